#include "transport/stores/block_allocator.hpp"

#include <algorithm>
#include <iterator>

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

}  // namespace onehop::stores
