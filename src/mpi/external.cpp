#include "mpi/external.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "mpi/errors.hpp"

namespace onehop::mpi_abi {

void require_external(const char* representation) {
  if (std::string(representation) != "external32")
    throw mpi_error(err_arg, text("no data representation is ", representation));
}

void swap_elements(std::span<std::byte> packed, const datatype& type) {
  std::vector<std::size_t> numbers;
  type.add_number_sizes(numbers);
  while (!packed.empty())
    for (const std::size_t bytes : numbers) {
      const std::size_t here = std::min(bytes, packed.size());
      std::ranges::reverse(packed.first(here));
      packed = packed.subspan(here);
    }
}

}  // namespace onehop::mpi_abi
