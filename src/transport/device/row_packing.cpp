#include "transport/device/row_packing.hpp"

#include <onehop/error.hpp>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "rma/copy_view.hpp"

namespace onehop {
namespace {

/// The copy engine of every device takes rows at most this far apart.
constexpr std::ptrdiff_t most_pitch = std::ptrdiff_t{1} << 30;

bool engine_takes(const local_view& source) {
  return source.stride_bytes >= static_cast<std::ptrdiff_t>(source.block_bytes) &&
         source.stride_bytes <= most_pitch;
}

struct wish {
  bool kernel;
  std::string why;
};

wish wish_for(const local_view& source) {
  const environment known = environment::read();
  if (!known.device_pack_chosen && !engine_takes(source))
    return {true, "the copy engine takes no rows at such a distance"};
  const std::string_view by = known.device_pack_chosen ? "by ONEHOP_DEVICE_PACK" : "by default";
  const std::size_t limit = known.device_pack;
  if (limit == 0) return {false, text("no rows go to a kernel, ", by)};
  const bool kernel = source.block_bytes <= limit;
  return {kernel, text("rows of up to ", limit, " bytes go to a kernel, ", by)};
}

/// Empty where they are there: a module may be built for other devices.
std::string problem_of_loading(const device::device_kernels& kernels,
                               device::driver::context owner) {
  const device::entered inside(*device::driver::loaded(), owner);
  try {
    kernels.prepare();
  } catch (const error& failure) {
    return failure.what();
  }
  return {};
}

}  // namespace

row_packing choose_packing(const local_view& source, device::driver::context owner) {
  if (source.data == nullptr || is_contiguous(source)) return {};
  const std::string rows = text(source.blocks, " rows of ", source.block_bytes, " bytes");
  const wish wanted = wish_for(source);
  if (!wanted.kernel) return {nullptr, text(rows, " by the copy engine: ", wanted.why)};
  device::found_kernels found = device::find_kernels();
  if (found.kernels != nullptr) found.problem = problem_of_loading(*found.kernels, owner);
  if (!found.problem.empty())
    return {nullptr, text(rows, " by the copy engine: no kernel, ", found.problem)};
  return {found.kernels, text(rows, " by a kernel: ", wanted.why)};
}

}  // namespace onehop
