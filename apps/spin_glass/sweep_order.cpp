#include "sweep_order.hpp"

#include <algorithm>

namespace spin_glass {
namespace {

struct range {
  int begin, end;
};

/// Returns the planes of half-sweep k that need nothing from beyond the ends.
range far_from_ends(int k, int planes) {
  const int begin = std::min(std::max(k, 1), planes);
  return {begin, std::max(begin, planes - begin)};
}

}  // namespace

sweep_order order_of(int half_sweeps, int planes) {
  sweep_order made;
  for (int k = 0; k < half_sweeps; ++k) {
    const range far = far_from_ends(k, planes);
    auto& ends = made.ends.emplace_back();
    for (int z = 0; z < far.begin; ++z) ends.push_back({k, z});
    for (int z = far.end; z < planes; ++z) ends.push_back({k, z});
  }
  for (int front = 0; front < planes; ++front) {
    for (int k = 0; k < half_sweeps; ++k) {
      const range far = far_from_ends(k, planes);
      const int z = front - k;
      if (z >= far.begin && z < far.end) made.inside.push_back({k, z});
    }
  }
  return made;
}

}  // namespace spin_glass
