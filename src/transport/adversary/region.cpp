#include "transport/adversary/region.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::adversary {
namespace {

constexpr std::align_val_t page{4096};

}  // namespace

void poison(std::span<std::byte> bytes) noexcept {
  if (!bytes.empty()) std::memset(bytes.data(), 0xdb, bytes.size());
}

void exposed_shares::page_deleter::operator()(std::byte* pages) const noexcept {
  ::operator delete(pages, page);
}

exposed_shares::exposed_shares(int ranks) : owners_(static_cast<std::size_t>(ranks)) {}

memory_id exposed_shares::expose(int rank, std::size_t bytes) {
  owner& mine = owners_[static_cast<std::size_t>(rank)];
  const auto id = static_cast<memory_id>(mine.by_id.size());
  mine.by_id.emplace_back();
  mine.spare.reserve(mine.by_id.size());  // a withdrawal must not fail for want of memory
  if (bytes > capacity_bytes - mine.in_use)
    throw resource_error(text("rank ", rank, " wants ", bytes, " bytes for a window, ",
                              capacity_bytes - mine.in_use, " of the ", capacity_bytes,
                              " bytes that the adversary gives a rank are free: take a smaller "
                              "problem"));
  const auto fitting =
      std::ranges::find_if(mine.spare, [&](const block& b) { return b.space >= bytes; });
  block found;
  if (fitting != mine.spare.end()) {
    found = std::move(*fitting);
    mine.spare.erase(fitting);
  } else {
    found.space = std::max<std::size_t>(bytes, 1);
    found.pages.reset(static_cast<std::byte*>(::operator new(found.space, page)));
  }
  found.bytes = bytes;
  if (bytes > 0) std::memset(found.pages.get(), 0, bytes);
  mine.in_use += bytes;
  mine.by_id[id] = std::move(found);
  return id;
}

void exposed_shares::withdraw(memory_id id, int rank) noexcept {
  owner& mine = owners_[static_cast<std::size_t>(rank)];
  block& gone = mine.by_id[id];
  poison(share(id, rank));
  mine.in_use -= gone.bytes;
  // The memory is kept for the next expose, so that a late put into it is still noticed.
  mine.spare.insert(mine.spare.begin(), std::move(gone));
  gone = {};
}

std::span<std::byte> exposed_shares::share(memory_id id, int rank) const {
  const block& found = owners_[static_cast<std::size_t>(rank)].by_id[id];
  return {found.pages.get(), found.bytes};
}

}  // namespace onehop::adversary
