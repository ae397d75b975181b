#include "transport/stores/region.hpp"

#include "base/text.hpp"
#include "transport/stores/control_block.hpp"

namespace onehop::stores {

exposed_blocks::exposed_blocks(arena& memory, int rank, std::size_t begin, std::size_t end)
    : arena_(memory),
      rank_(static_cast<std::size_t>(rank)),
      allocator_(begin, end / page_bytes * page_bytes) {}

int exposed_blocks::name_of(std::size_t rank) const {
  auto& control = *reinterpret_cast<control_block*>(arena_.base());
  return control.rank(static_cast<int>(rank)).name;
}

exposed_blocks::blocks exposed_blocks::allocate(std::span<const std::size_t> bytes_of_rank) {
  blocks shares;
  for (std::size_t rank = 0; rank < bytes_of_rank.size(); ++rank) {
    const std::size_t bytes = control_block::round_up(bytes_of_rank[rank]);
    const auto offset = allocator_.allocate(bytes);
    if (!offset) {
      const std::size_t largest = allocator_.largest_gap();
      free(shares);
      throw resource_error(text("rank ", name_of(rank), " wants ", bytes,
                                " bytes for a window, but only ", largest, " of the ",
                                arena_.bytes(), " bytes ", arena_.place(),
                                " are free in one piece: ", arena_.advice()));
    }
    shares.push_back({*offset, bytes});
  }
  return shares;
}

void exposed_blocks::free(const blocks& shares) {
  for (const block& share : shares) allocator_.free(share.offset, share.bytes);
}

memory_id exposed_blocks::expose(std::span<const std::size_t> bytes_of_rank) {
  const auto id = static_cast<memory_id>(by_id_.size());
  by_id_.emplace_back();
  blocks shares = allocate(bytes_of_rank);
  try {
    if (shares[rank_].bytes > 0) arena_.reserve(shares[rank_].offset, shares[rank_].bytes);
  } catch (...) {
    free(shares);
    throw;
  }
  by_id_[id] = std::move(shares);
  return id;
}

void exposed_blocks::withdraw(memory_id id) noexcept {
  blocks& shares = by_id_[id];
  if (shares[rank_].bytes > 0) arena_.release(shares[rank_].offset, shares[rank_].bytes);
  free(shares);
  shares.clear();
}

std::span<std::byte> exposed_blocks::share(memory_id id, int rank) const {
  const block& found = by_id_[id][static_cast<std::size_t>(rank)];
  return {arena_.base() + found.offset, found.bytes};
}

}  // namespace onehop::stores
