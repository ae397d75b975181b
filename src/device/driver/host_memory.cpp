#include "device/driver/host_memory.hpp"

namespace onehop::device {
namespace {

/// The memory is registered for every context of the process.
constexpr unsigned portable = 1;

}  // namespace

pinned_memory::pinned_memory(driver::context owner, std::size_t bytes) {
  if (bytes == 0) return;
  const driver& known = *driver::loaded();
  const entered inside(known, owner);
  void* memory = nullptr;
  known.require(known.allocate_host(&memory, bytes, portable), "cuMemHostAlloc");
  memory_ = {owner, memory};
}

pinned_pages::pinned_pages(driver::context owner, std::span<std::byte> pages) {
  if (pages.empty()) return;
  const driver& known = *driver::loaded();
  const entered inside(known, owner);
  if (known.register_host(pages.data(), pages.size(), portable) == 0)
    pages_ = {owner, pages.data()};
}

}  // namespace onehop::device
