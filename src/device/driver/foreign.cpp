#include "device/driver/foreign.hpp"

#include <onehop/error.hpp>

#include "device/driver/location.hpp"
#include "device/driver/queue.hpp"

namespace onehop::device {
namespace {

driver::context owner_of(const void* memory) {
  const auto found = location_of(memory);
  if (!found) throw usage_error("memory that is said to be a CUDA device's, which no device knows");
  return found->owner;
}

}  // namespace

void order_streams(void* follower, void* leader, const void* memory) {
  // The marker may be destroyed at once: a stream that waits for it keeps waiting.
  marker reached(owner_of(memory));
  reached.set(static_cast<driver::stream>(leader));
  reached.lead(static_cast<driver::stream>(follower));
}

void copy_from_device(void* to, const void* from, std::size_t bytes, void* stream) {
  const driver::context owner = owner_of(from);
  const driver& known = *driver::loaded();
  const entered inside(known, owner);
  const auto on = static_cast<driver::stream>(stream);
  known.require(known.copy_to_host(to, reinterpret_cast<driver::address>(from), bytes, on),
                "cuMemcpyDtoHAsync");
  known.require(known.synchronise_stream(on), "cuStreamSynchronize");
}

}  // namespace onehop::device
