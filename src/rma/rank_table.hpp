#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace onehop {

/// A rank_table holds one value per rank, stored once if all are equal. Thousands of ranks of a
/// virtual machine, each with such a table for each window, share one memory.
template <class T>
class rank_table {
 public:
  rank_table() = default;
  rank_table(std::size_t ranks, T of_all) : ranks_(ranks), values_(1, of_all) {}
  explicit rank_table(std::vector<T> values) : ranks_(values.size()), values_(std::move(values)) {
    if (std::ranges::adjacent_find(values_, std::not_equal_to()) == values_.end())
      values_ = std::vector<T>(values_.begin(), values_.begin() + (ranks_ > 0 ? 1 : 0));
  }

  /// Returns the number of ranks.
  std::size_t size() const noexcept { return ranks_; }
  const T& operator[](std::size_t rank) const {
    return values_.size() == 1 ? values_.front() : values_[rank];
  }
  /// Returns one rank's value for modification; from then on each rank has a value of its own.
  T& own(std::size_t rank) {
    if (values_.size() != ranks_) values_.assign(ranks_, T(values_.front()));
    return values_[rank];
  }

 private:
  std::size_t ranks_ = 0;
  std::vector<T> values_;  ///< one value for all ranks, or one for each
};

}  // namespace onehop
