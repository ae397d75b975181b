#include "device/driver/host_memory.hpp"

#include <utility>

namespace onehop::device {
namespace {

/// The memory is registered for every context of the process.
constexpr unsigned portable = 1;

}  // namespace

pinned_memory::pinned_memory(driver::context owner, std::size_t bytes) : owner_(owner) {
  if (bytes == 0) return;
  const driver& known = *driver::loaded();
  const entered inside(known, owner_);
  void* memory = nullptr;
  known.require(known.allocate_host(&memory, bytes, portable), "cuMemHostAlloc");
  data_ = static_cast<std::byte*>(memory);
}

pinned_memory::pinned_memory(pinned_memory&& other) noexcept
    : owner_(other.owner_), data_(std::exchange(other.data_, nullptr)) {}

pinned_memory& pinned_memory::operator=(pinned_memory&& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(data_, other.data_);
  return *this;
}

pinned_memory::~pinned_memory() {
  if (data_ == nullptr) return;
  const driver& known = *driver::loaded();
  driver::context popped = nullptr;
  if (known.push_context(owner_) != 0) return;
  known.free_host(data_);
  known.pop_context(&popped);
}

pinned_pages::pinned_pages(driver::context owner, std::span<std::byte> pages) : owner_(owner) {
  if (pages.empty()) return;
  const driver& known = *driver::loaded();
  const entered inside(known, owner_);
  if (known.register_host(pages.data(), pages.size(), portable) == 0) data_ = pages.data();
}

pinned_pages::pinned_pages(pinned_pages&& other) noexcept
    : owner_(other.owner_), data_(std::exchange(other.data_, nullptr)) {}

pinned_pages& pinned_pages::operator=(pinned_pages&& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(data_, other.data_);
  return *this;
}

pinned_pages::~pinned_pages() {
  if (data_ == nullptr) return;
  const driver& known = *driver::loaded();
  driver::context popped = nullptr;
  if (known.push_context(owner_) != 0) return;
  known.unregister_host(data_);
  known.pop_context(&popped);
}

}  // namespace onehop::device
