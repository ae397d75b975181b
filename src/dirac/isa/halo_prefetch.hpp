#pragma once
/// Ghosts that the next vector reads are prefetched during the arithmetic of each vector and
/// right-hand side. Each line comes from another core's cache, which takes as long as a large part
/// of a vector's work; prefetching a whole face at once would delay the core's own loads.

#include "dirac/isa/prefetch.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// Returns whether a job reads ghosts.
inline bool has_ghosts(const hop_job& job) {
  bool result = false;
  for (const void* ghost : job.ghosts) result = result || ghost != nullptr;
  return result;
}

/// A halo_prefetch prefetches the ghosts of a job, which have `Reals` reals per lane. `Ghosts` says
/// at compile time whether the job reads ghosts, so that a hop without them makes no test.
template <class V, int Reals, bool Ghosts>
class halo_prefetch {
 public:
  ONEHOP_INLINE explicit halo_prefetch(const hop_job& job) {
    if constexpr (Ghosts) {
      for (int d = 0; d < 8; ++d) {
        if (job.ghosts[d] != nullptr) directions_[count_++] = d;
      }
    }
  }

  ONEHOP_INLINE void at(const hop_job& job, std::int32_t i, int rhs) const {
    if (!Ghosts || i + 1 == job.count) return;
    const lane_neighbour* next = job.neighbours + std::ptrdiff_t{job.vectors[i + 1]} * 8;
    for (int k = 0; k < count_; ++k) {
      const int d = directions_[k];
      if (next[d].face >= 0) prefetch_entry(job, d, std::ptrdiff_t{next[d].face} * job.rhs + rhs);
    }
  }

 private:
  static constexpr int lane_bytes = Reals * static_cast<int>(sizeof(typename V::real));

  ONEHOP_INLINE static void prefetch_entry(const hop_job& job, int direction,
                                           std::ptrdiff_t entry) {
    const int bytes = lane_bytes * job.face_lanes[direction % 4];
    const auto* ghost = static_cast<const std::byte*>(job.ghosts[direction]) + entry * bytes;
    if (bytes == lane_bytes * V::lanes) {
      prefetch<lines_of<V>(Reals)>(ghost);
    } else {
      for (int at = 0; at < bytes; at += static_cast<int>(line_bytes)) prefetch<1>(ghost + at);
    }
  }

  int directions_[8];
  int count_ = 0;
};

}  // namespace
}  // namespace onehop
