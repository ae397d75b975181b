#include "device/driver/peer_memory.hpp"

#include <algorithm>
#include <vector>

#include "device/driver/queue.hpp"

namespace onehop::device {
namespace {

constexpr int attribute_range_start = 11;
constexpr unsigned enable_peer_access = 1;

driver::memory_handle handle_of(const std::array<std::byte, 64>& bytes) {
  driver::memory_handle handle{};
  std::ranges::copy(bytes, handle.reserved);
  return handle;
}

}  // namespace

shared_name share(driver::context owner, const std::byte* memory) {
  const driver& known = *driver::loaded();
  const entered inside(known, owner);
  const auto at = reinterpret_cast<driver::address>(memory);
  driver::address begin = 0;
  known.require(known.pointer_attribute(&begin, attribute_range_start, at),
                "cuPointerGetAttribute");
  driver::memory_handle handle{};
  known.require(known.get_handle(&handle, begin), "cuIpcGetMemHandle");
  shared_name name{{}, at - begin};
  std::ranges::copy(handle.reserved, name.handle.begin());
  return name;
}

void reach_memory_of(driver::context other, driver::context owner) {
  const driver& known = *driver::loaded();
  const entered inside(known, owner);
  const driver::result outcome = known.enable_peer(other, 0);
  if (outcome != driver::peer_enabled_before) known.require(outcome, "cuCtxEnablePeerAccess");
}

peer_memory::peer_memory(driver::context owner, const std::array<std::byte, 64>& handle) {
  const driver& known = *driver::loaded();
  const entered inside(known, owner);
  driver::address begin = 0;
  known.require(known.open_handle(&begin, handle_of(handle), enable_peer_access),
                "cuIpcOpenMemHandle");
  memory_ = {owner, begin};
}

std::shared_ptr<peer_memory> peer_cache::open(driver::context owner,
                                              const std::array<std::byte, 64>& handle) {
  std::erase_if(open_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<peer_memory>& known = open_[{owner, handle}];
  std::shared_ptr<peer_memory> memory = known.lock();
  if (!memory) known = memory = std::make_shared<peer_memory>(owner, handle);
  return memory;
}

std::shared_ptr<device_memory> peer_cache::board(driver::context owner, std::size_t bytes) {
  for (const kept_board& kept : boards_)
    if (kept.owner == owner && kept.bytes >= bytes && kept.memory.use_count() == 1)
      return kept.memory;
  boards_.push_back({owner, bytes, std::make_shared<device_memory>(owner, bytes)});
  return boards_.back().memory;
}

device_memory::device_memory(driver::context owner, std::size_t bytes) {
  const driver& known = *driver::loaded();
  const entered inside(known, owner);
  driver::address begin = 0;
  known.require(known.allocate(&begin, bytes), "cuMemAlloc");
  memory_ = {owner, begin};
  const std::vector<std::byte> zeros(bytes);
  queue filling(owner);
  filling.bring_in(data(), zeros.data(), bytes);
  filling.finish();
}

}  // namespace onehop::device
