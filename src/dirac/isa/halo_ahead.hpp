#pragma once
/// Lines of other ranks, asked for a few at a time while the arithmetic goes on: ghosts that the
/// next vector reads, and memory of the neighbours that the next exchange writes. Each comes from
/// another core's cache, which takes as long as a large part of a vector's work; all at once they
/// would keep the core's own loads waiting.

#include "dirac/isa/read_ahead.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

ONEHOP_INLINE void ask_to_write(const std::byte* line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*line));
#else
  __builtin_prefetch(line, 1);
#endif
}

constexpr int ghost_lines_a_turn = 2;

/// For one vector and right-hand side; a turn is the work on one direction. Null where there is
/// nothing to ask for.
struct halo_ahead {
  static constexpr bool ghosts = true;

  const std::byte* ghost = nullptr;
  const std::byte* written = nullptr;
  int ghost_bytes = 0, written_lines = 0;

  template <int Direction>
  ONEHOP_INLINE void ask() const {
    if (ghost == nullptr && written == nullptr) [[likely]]
      return;
    constexpr std::ptrdiff_t turn = turn_of(Direction);
    constexpr std::ptrdiff_t first = turn * ghost_lines_a_turn * line_bytes;
    if (ghost != nullptr && first < ghost_bytes) ask_for<ghost_lines_a_turn>(ghost + first);
    for (int k = 0; k < written_lines; ++k) {
      ask_to_write(written + (turn * written_lines + k) * line_bytes);
    }
  }
  /// To the next right-hand side.
  ONEHOP_INLINE void advance() {
    if (ghost != nullptr) ghost += ghost_bytes;
    if (written != nullptr) written += 8 * written_lines * line_bytes;
  }
};

/// Whether a job has anything to do with other ranks.
inline bool meets_halo(const hop_job& job) {
  bool result = job.written_soon.a_turn > 0;
  for (const void* ghost : job.ghosts) result = result || ghost != nullptr;
  return result;
}

/// Of a job that has not.
struct no_halo {
  static constexpr bool ghosts = false;

  ONEHOP_INLINE explicit no_halo(const hop_job&) {}
  ONEHOP_INLINE no_halo at(const hop_job&, std::int32_t) const { return *this; }
  template <int Direction>
  ONEHOP_INLINE void ask() const {}
  ONEHOP_INLINE void advance() {}
};

/// What a kernel asks for. `Reals` of each lane are a ghost's.
template <class V, int Reals>
class halo_asker {
 public:
  ONEHOP_INLINE explicit halo_asker(const hop_job& job) {
    for (const void* ghost : job.ghosts) at_boundary_ = at_boundary_ || ghost != nullptr;
  }

  ONEHOP_INLINE halo_ahead at(const hop_job& job, std::int32_t i) const {
    halo_ahead result;
    const asked_lines& asked = job.written_soon;
    if (asked.a_turn > 0) {
      const std::ptrdiff_t before = std::ptrdiff_t{i} * job.rhs * 8 * asked.a_turn * line_bytes;
      if (before < asked.bytes) {
        result.written = asked.begin + before;
        result.written_lines = asked.a_turn;
      }
    }
    if (at_boundary_ && i + 1 < job.count) find_ghosts(result, job, job.vectors[i + 1]);
    return result;
  }

 private:
  /// Most vectors have one ghost; others are asked for at once.
  static void find_ghosts(halo_ahead& result, const hop_job& job, std::ptrdiff_t vector) {
    for (int d = 0; d < 8; ++d) {
      const std::ptrdiff_t face = job.neighbours[vector * 8 + d].face;
      if (face < 0) continue;
      const int bytes = Reals * job.face_lanes[d % 4] * static_cast<int>(sizeof(typename V::real));
      const auto* ghost = static_cast<const std::byte*>(job.ghosts[d]) + face * job.rhs * bytes;
      if (result.ghost == nullptr) {
        result.ghost = ghost;
        result.ghost_bytes = bytes;
      } else {
        ask_for<lines_of<V>(Reals)>(ghost);
      }
    }
  }

  bool at_boundary_ = false;
};

}  // namespace
}  // namespace onehop
