#pragma once
/// How the ranks of a transport are divided into groups, each a smaller job of its own.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace onehop {

/// The same on every rank of the whole but for `mine`.
struct partition {
  static constexpr int none = -1;

  /// The ranks of the whole in each group, in the order of the group's own numbers. Groups share no
  /// rank, and a rank may be in none.
  std::vector<std::vector<int>> groups;
  int mine = none;  ///< which group this rank is in

  /// Empty for a rank in no group.
  std::vector<int> members() const {
    return mine == none ? std::vector<int>() : groups[static_cast<std::size_t>(mine)];
  }
  /// Number of a rank of the whole within this rank's group.
  int number_of(int rank) const {
    const std::vector<int>& all = groups[static_cast<std::size_t>(mine)];
    return static_cast<int>(std::ranges::find(all, rank) - all.begin());
  }
};

}  // namespace onehop
