#include "transport/virtual/region.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <onehop/error.hpp>
#include <utility>

#include "base/text.hpp"

namespace onehop::virtual_machine {

exposed_shares::pages::pages(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  if (bytes == 0) return;
  const auto there = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page;
  const std::size_t whole = (bytes + page - 1) / page * page;
  void* const memory = bytes > there ? MAP_FAILED
                                     : mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw resource_error(
        text("a window of ", bytes, " bytes finds no memory: use smaller windows or fewer ranks"));
  bytes_ = {static_cast<std::byte*>(memory), whole};
}

exposed_shares::pages::~pages() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

exposed_shares::pages::pages(pages&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

exposed_shares::pages& exposed_shares::pages::operator=(pages&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

memory_id exposed_shares::expose(int rank, std::size_t bytes) {
  auto& mine = owners_[static_cast<std::size_t>(rank)];
  const auto id = static_cast<memory_id>(mine.size());
  // The id is taken whatever happens, so that the ranks go on counting alike.
  mine.emplace_back(0);
  mine.back() = pages(bytes);
  return id;
}

void exposed_shares::withdraw(memory_id id, int rank) noexcept {
  owners_[static_cast<std::size_t>(rank)][id] = pages(0);
}

std::span<std::byte> exposed_shares::share(memory_id id, int rank) const {
  return owners_[static_cast<std::size_t>(rank)][id].bytes();
}

}  // namespace onehop::virtual_machine
