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

/// What to ask for while a vector is worked on.
struct read_ahead {
  const std::byte* links;   ///< those that come after the ones that are worked on
  const std::byte* spinor;  ///< 3 reals of each lane for every direction, in the order of the work

  template <int Direction, class Link>
  ONEHOP_INLINE const std::byte* for_direction() const {
    return links + turn_of(Direction) * Link::block_bytes;
  }
};

/// The links of the next direction or, if these take too long to come or a vector's are opened
/// first, of the next vector; and the neighbour forward in t, which nobody has read yet.
ONEHOP_INLINE read_ahead look_ahead(const hop_job& job, std::int32_t i, bool vector_ahead,
                                    std::ptrdiff_t spinor_bytes) {
  const std::ptrdiff_t here = job.vectors[i];
  const std::ptrdiff_t next = job.vectors[i + 1 < job.count ? i + 1 : i];
  const std::ptrdiff_t neighbour = job.neighbours[(vector_ahead ? next : here) * 8 + 3].vector;
  return {
      vector_ahead ? job.links.blocks_of(next) : job.links.blocks_of(here) + job.links.block_bytes,
      job.in + neighbour * job.rhs * spinor_bytes};
}

/// The same for one of several right-hand sides: all but the last ask for the neighbours that the
/// one behind them reads, whose links are here already.
struct read_ahead_of_several : read_ahead {
  const std::byte* lines[8];

  ONEHOP_INLINE read_ahead_of_several(const read_ahead& as_only, const hop_job& job,
                                      std::ptrdiff_t vector, int rhs, std::ptrdiff_t spinor_bytes)
      : read_ahead(as_only) {
    const bool last = rhs + 1 == job.rhs;
    spinor += rhs * spinor_bytes;
    for (int d = 0; d < 8; ++d) {
      const std::ptrdiff_t neighbour = job.neighbours[vector * 8 + d].vector;
      lines[d] = last ? links + turn_of(d) * static_cast<std::ptrdiff_t>(job.links.block_bytes)
                      : job.in + (neighbour * job.rhs + rhs + 1) * spinor_bytes;
    }
  }
  template <int Direction, class Link>
  ONEHOP_INLINE const std::byte* for_direction() const {
    return lines[Direction];
  }
};

}  // namespace
}  // namespace onehop
