#pragma once
/// A vertex_set is a set of vertices as a bitmap.

#include "vertex.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

namespace graph_search {

class vertex_set {
 public:
  explicit vertex_set(std::size_t words = 0) : words_(words) {}

  bool has(vertex v) const noexcept { return (words_[v / 64] >> (v % 64) & 1U) != 0; }
  void add(vertex v) noexcept { words_[v / 64] |= std::uint64_t{1} << (v % 64); }
  void clear() noexcept { std::ranges::fill(words_, 0); }

  std::span<std::uint64_t> words() noexcept { return words_; }
  std::span<const std::uint64_t> words() const noexcept { return words_; }

  std::uint64_t size() const noexcept {
    std::uint64_t found = 0;
    for (const std::uint64_t word : words_) found += static_cast<unsigned>(std::popcount(word));
    return found;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Calls `work` with the number of each bit of a word that is set, in ascending order.
template <class Work>
void for_each_bit(std::uint64_t word, vertex first, const Work& work) {
  for (; word != 0; word &= word - 1) work(first + static_cast<vertex>(std::countr_zero(word)));
}

/// Calls `work` with every member, in ascending order.
template <class Work>
void for_each(std::span<const std::uint64_t> words, const Work& work) {
  for (std::size_t k = 0; k < words.size(); ++k)
    for_each_bit(words[k], static_cast<vertex>(64 * k), work);
}

}  // namespace graph_search
