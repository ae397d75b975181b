#include "rma/combining.hpp"

#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop {

void require_values(const context& ctx, const combiner& combine, std::size_t bytes) {
  if (combine.apply == nullptr)
    throw usage_error(
        text("rank ", ctx.rank(),
             ": bits of floating-point numbers cannot be combined: give whole numbers, "
             "or sum, min or max"));
  // The rounds of every transport can carry this much in one message.
  constexpr std::size_t most_value_bytes = 256;
  if (combine.value_bytes > most_value_bytes)
    throw usage_error(text("rank ", ctx.rank(), ": values of ", combine.value_bytes,
                           " bytes are combined: give values of at most ", most_value_bytes));
  if (values_in(bytes, combine) * combine.value_bytes != bytes)
    throw usage_error(text("rank ", ctx.rank(), ": ", bytes,
                           " bytes are not a whole number of values "
                           "of ",
                           combine.value_bytes, " bytes"));
}

}  // namespace onehop
