#pragma once
/// Asks for what is needed soon while the arithmetic goes on. Vectors take so many lines that what
/// the processor sees of its program reaches less than half a vector ahead.

#include "dirac/isa/simd.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

constexpr std::size_t line_bytes = 64;

/// Lines that `reals` reals of each lane take.
template <class V>
constexpr int lines_of(int reals) {
  return static_cast<int>((reals * sizeof(V) + line_bytes - 1) / line_bytes);
}

template <int Lines>
ONEHOP_INLINE void ask_for(const std::byte* memory) {
  for (int k = 0; k < Lines; ++k) {
#if defined(__x86_64__)
    // Of the builtin, the compiler works out all addresses before the loop and keeps them in
    // memory.
    asm volatile("prefetcht0 %0" : : "m"(memory[k * line_bytes]));
#else
    __builtin_prefetch(memory + k * line_bytes);
#endif
  }
}

/// For one vector and right-hand side: what to ask for while direction d is worked on.
struct read_ahead {
  const std::byte* link[8];  ///< 18 reals of each lane, of links or of spinors
  const std::byte* spinor;   ///< 3 reals of each lane for every direction, in the order of the work
};

/// Directions in the order of the work, and where each stands in it.
constexpr int direction_at[8] = {0, 4, 1, 5, 2, 6, 3, 7};
constexpr int turn_of(int direction) { return direction < 4 ? 2 * direction : 2 * direction - 7; }

/// From the caches it is enough to be a direction ahead, and better: nearer ones are small. From
/// memory, and where links are opened first, it takes a vector: its links and, forward in t, the
/// neighbour that nobody has read yet.
template <class V>
ONEHOP_INLINE read_ahead look_ahead(const hop_job& job, std::int32_t i, bool vector_ahead,
                                    std::ptrdiff_t spinor_bytes) {
  const std::ptrdiff_t here = job.vectors[i];
  const std::ptrdiff_t next = job.vectors[i + 1 < job.count ? i + 1 : i];
  const auto block = [&job](std::ptrdiff_t vector, int direction) {
    return job.links.block(job.links.places[vector * 8 + direction]);
  };
  read_ahead ahead;
  for (int turn = 0; turn < 8; ++turn) {
    const int d = direction_at[turn];
    ahead.link[d] = vector_ahead ? block(next, d)
                    : turn < 7   ? block(here, direction_at[turn + 1])
                                 : block(next, direction_at[0]);
  }
  const std::ptrdiff_t neighbour = job.neighbours[(vector_ahead ? next : here) * 8 + 3].vector;
  ahead.spinor = job.in + neighbour * job.rhs * spinor_bytes;
  return ahead;
}

/// Of several right-hand sides all but the last ask for the neighbours that the one behind them
/// reads, whose links are here already; the last asks as an only one does, for `links`.
ONEHOP_INLINE void look_past(read_ahead& ahead, const std::byte* const* links, const hop_job& job,
                             std::ptrdiff_t vector, int rhs, std::ptrdiff_t spinor_bytes) {
  for (int d = 0; d < 8; ++d) {
    const std::ptrdiff_t neighbour = job.neighbours[vector * 8 + d].vector;
    ahead.link[d] =
        rhs + 1 < job.rhs ? job.in + (neighbour * job.rhs + rhs + 1) * spinor_bytes : links[d];
  }
}

}  // namespace
}  // namespace onehop
