#include "transport/stores/region.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "transport/stores/control_block.hpp"

namespace onehop::stores {

block_allocator::block_allocator(std::size_t begin, std::size_t end) {
  if (end > begin) gaps_.emplace(begin, end - begin);
}

std::optional<std::size_t> block_allocator::allocate(std::size_t bytes) {
  const auto gap = std::ranges::find_if(gaps_, [&](const auto& g) { return g.second >= bytes; });
  if (gap == gaps_.end()) return std::nullopt;
  const auto [offset, space] = *gap;
  if (bytes == 0) return offset;
  gaps_.erase(gap);
  if (space > bytes) gaps_.emplace(offset + bytes, space - bytes);
  return offset;
}

void block_allocator::free(std::size_t offset, std::size_t bytes) {
  if (bytes == 0) return;
  auto gap = gaps_.emplace(offset, bytes).first;
  if (const auto after = std::next(gap);
      after != gaps_.end() && offset + gap->second == after->first) {
    gap->second += after->second;
    gaps_.erase(after);
  }
  if (gap == gaps_.begin()) return;
  if (const auto before = std::prev(gap); before->first + before->second == offset) {
    before->second += gap->second;
    gaps_.erase(gap);
  }
}

std::size_t block_allocator::largest_gap() const noexcept {
  std::size_t largest = 0;
  for (const auto& [offset, bytes] : gaps_) largest = std::max(largest, bytes);
  return largest;
}

exposed_blocks::exposed_blocks(arena& memory, int rank, std::size_t begin, std::size_t end)
    : arena_(memory),
      rank_(static_cast<std::size_t>(rank)),
      allocator_(begin, end / page_bytes * page_bytes) {}

int exposed_blocks::name_of(std::size_t rank) const {
  auto& control = control_in(arena_);
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
  return add(bytes_of_rank, control_block::round_up(bytes_of_rank[rank_]));
}

// Nobody knows what a group will need, so each gets an equal part of half of the addresses; the
// other half stays with the whole. There are many times more addresses than memory.
memory_id exposed_blocks::set_aside(const partition& how,
                                    const std::function<std::size_t(int members)>& head_bytes) {
  auto& control = control_in(arena_);
  std::vector<std::size_t> bytes(static_cast<std::size_t>(control.ranks));
  const std::size_t parts = 2 * std::max<std::size_t>(1, how.groups.size());
  const std::size_t each = allocator_.largest_gap() / parts / page_bytes * page_bytes;
  for (const std::vector<int>& members : how.groups)
    bytes[static_cast<std::size_t>(members.front())] =
        std::max(each, control_block::round_up(head_bytes(static_cast<int>(members.size()))));
  const std::vector<int> mine = how.members();
  const bool first = !mine.empty() && mine.front() == static_cast<int>(rank_);
  return add(bytes, first ? control_block::round_up(head_bytes(static_cast<int>(mine.size()))) : 0);
}

memory_id exposed_blocks::add(std::span<const std::size_t> bytes_of_rank, std::size_t mine_in_use) {
  const auto id = static_cast<memory_id>(by_id_.size());
  by_id_.emplace_back();
  blocks shares = allocate(bytes_of_rank);
  try {
    if (mine_in_use > 0) arena_.reserve(shares[rank_].offset, mine_in_use);
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
