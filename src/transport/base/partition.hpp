#pragma once
/// A partition says how the ranks of a transport are divided into groups, each a smaller job of its
/// own.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace onehop {

/// All of a partition but `mine` is the same on every rank of the whole.
struct partition {
  static constexpr int none = -1;

  /// This has the ranks of the whole in each group, in the order of the group's own numbers. Groups
  /// share no rank, and a rank may be in none.
  std::vector<std::vector<int>> groups;
  int mine = none;  ///< which group this rank is in

  /// Returns the members of this rank's group; empty for a rank in no group.
  std::vector<int> members() const {
    return mine == none ? std::vector<int>() : groups[static_cast<std::size_t>(mine)];
  }
  /// Returns the number of a rank of the whole within this rank's group.
  int number_of(int rank) const {
    const std::vector<int>& all = groups[static_cast<std::size_t>(mine)];
    return static_cast<int>(std::ranges::find(all, rank) - all.begin());
  }
};

}  // namespace onehop
