#include "transport/device/row_packing.hpp"

#include <onehop/error.hpp>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "rma/copy_view.hpp"

namespace onehop {
namespace {

/// Every device's copy engine accepts rows up to this distance apart.
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

}  // namespace

device::found_kernels kernels_in(device::driver::context owner) {
  device::found_kernels found = device::find_kernels();
  if (found.kernels == nullptr) return found;
  const device::entered inside(*device::driver::loaded(), owner);
  try {
    found.kernels->prepare();
  } catch (const error& failure) {
    return {nullptr, failure.what()};
  }
  return found;
}

row_packing choose_packing(const local_view& source, device::driver::context owner) {
  if (source.data == nullptr || is_contiguous(source)) return {};
  const std::string rows = text(source.blocks, " rows of ", source.block_bytes, " bytes");
  const wish wanted = wish_for(source);
  if (!wanted.kernel) return {nullptr, text(rows, " by the copy engine: ", wanted.why)};
  const device::found_kernels found = kernels_in(owner);
  if (found.kernels == nullptr)
    return {nullptr, text(rows, " by the copy engine: no kernel, ", found.problem)};
  return {found.kernels, text(rows, " by a kernel: ", wanted.why)};
}

}  // namespace onehop
