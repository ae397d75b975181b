#pragma once
/// Data needed soon are prefetched during the arithmetic. A vector takes so many lines that the
/// hardware prefetcher reaches less than half a vector ahead.

#include "dirac/isa/neighbours_links.hpp"
#include "dirac/isa/simd.hpp"
#include "dirac/isa/wilson.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

constexpr std::size_t line_bytes = 64;

/// Returns how many lines `reals` reals per lane take.
template <class V>
constexpr int lines_of(int reals) {
  return static_cast<int>((reals * sizeof(V) + line_bytes - 1) / line_bytes);
}

/// `own` is the core's second-level cache, which can hold a whole vector's links; the first-level
/// cache is too small.
enum class cache { first, own };

template <int Lines, cache Into = cache::first>
ONEHOP_INLINE void prefetch(const std::byte* memory) {
  for (int k = 0; k < Lines; ++k) {
#if defined(__x86_64__)
    // With the builtin, the compiler would compute all addresses before the loop and keep them in
    // memory.
    if constexpr (Into == cache::first) {
      asm volatile("prefetcht0 %0" : : "m"(memory[k * line_bytes]));
    } else {
      asm volatile("prefetcht1 %0" : : "m"(memory[k * line_bytes]));
    }
#else
    __builtin_prefetch(memory + k * line_bytes, 0, Into == cache::first ? 3 : 2);
#endif
  }
}
/// Prefetches an eighth of a spinor, 3 reals per lane, for every direction in the order of the
/// work.
template <class V, int Direction, cache Into = cache::first>
ONEHOP_INLINE void prefetch_eighth(const std::byte* spinor) {
  constexpr int lines = lines_of<V>(3);
  prefetch<lines, Into>(spinor + turn_of(Direction) * lines * line_bytes);
}

/// Prefetches an eighth of the two spins read from a neighbour in time: the upper ones, or the
/// lower ones, which begin half a spinor later.
template <class V, bool Lower, int Direction, cache Into = cache::first>
ONEHOP_INLINE void prefetch_eighth_of_half(const std::byte* spinor, std::ptrdiff_t half) {
  constexpr int lines = lines_of<V>(12);
  constexpr int begin = turn_of(Direction) * lines / 8, end = (turn_of(Direction) + 1) * lines / 8;
  prefetch<end - begin, Into>(spinor + (Lower ? half : 0) + begin * line_bytes);
}

/// Returns the vector processed `count` vectors after number i.
ONEHOP_INLINE std::ptrdiff_t vector_after(const hop_job& job, std::int32_t i,
                                          std::int32_t count = 1) {
  return job.vectors[i + count < job.count ? i + count : i];
}

/// Prefetches part `part` of `parts` of the links that follow those of number i.
ONEHOP_INLINE void prefetch_part(const hop_job& job, std::int32_t i, int part, int parts) {
  const std::byte* links = job.links.blocks_of(vector_after(job, i));
  const auto lines = static_cast<int>(8 * job.links.block_bytes / line_bytes);
  for (int k = lines * part / parts; k < lines * (part + 1) / parts; ++k) {
    prefetch<1, cache::own>(links + k * line_bytes);
  }
}

/// This is true if links outside the core's own cache are prefetched twice, once for each cache
/// level, and data for the next right-hand side only into the core's own. Processors with AVX-512
/// (Zen 4, Xeon) gain from this for data in memory and in the shared cache, one with AVX2 (Zen 3)
/// loses, and no other has been measured.
#if defined(__AVX512F__)
constexpr bool prefetches_twice = true;
#else
constexpr bool prefetches_twice = false;
#endif

/// Returns the neighbour of a vector in the field being read.
ONEHOP_INLINE const std::byte* neighbour_of(const hop_job& job, std::ptrdiff_t vector,
                                            int direction, std::ptrdiff_t spinor_bytes) {
  return job.in + job.neighbours[vector * 8 + direction].vector * job.rhs * spinor_bytes;
}

/// These are the next vector's neighbours in some directions, which come from memory or from the
/// shared cache. They are prefetched into the core's own cache.
template <int... Directions>
class neighbours_later {
 public:
  ONEHOP_INLINE void find(const hop_job& job, std::ptrdiff_t vector, std::ptrdiff_t spinor_bytes,
                          int rhs = 0) {
    int k = 0;
    ((spinors_[k++] = neighbour_of(job, vector, Directions, spinor_bytes) + rhs * spinor_bytes),
     ...);
  }
  ONEHOP_INLINE bool found() const { return spinors_[0] != nullptr; }
  /// Prefetches an eighth of each neighbour.
  template <class V, int Eighth, bool Dagger>
  ONEHOP_INLINE void prefetch(std::ptrdiff_t half) const {
    int k = 0;
    (prefetch_one<V, Directions, Eighth, Dagger>(spinors_[k++], half), ...);
  }

 private:
  template <class V, int Direction, int Eighth, bool Dagger>
  ONEHOP_INLINE static void prefetch_one(const std::byte* spinor, std::ptrdiff_t half) {
    if constexpr (Direction % 4 == 3) {
      constexpr bool lower = minus_gamma(Direction, Dagger);
      prefetch_eighth_of_half<V, lower, Eighth, cache::own>(spinor, half);
    } else {
      prefetch_eighth<V, Eighth, cache::own>(spinor);
    }
  }

  const std::byte* spinors_[sizeof...(Directions)] = {};
};

/// A prefetch_ahead prefetches while a vector is processed: the forward neighbour in t, which
/// nothing has read yet, and the links of the next direction. If a vector's links are `Opened`
/// first, it prefetches the next vector's links instead, always with prefetches_twice, otherwise
/// only if they come from memory.
template <bool Opened>
struct prefetch_ahead {
  const std::byte* links;  ///< links after the current ones
  const std::byte* later;  ///< links one vector after the current or prefetched ones, or null
  const std::byte* spinor;
  /// Backward in t and forward in z, neighbours come from the shared cache, since the core's own
  /// holds only a few rows of sites and their links; forward in t they come from memory.
  neighbours_later<7, 2, 3> spinors_later;
  std::ptrdiff_t half;  ///< bytes of half a spinor

  ONEHOP_INLINE prefetch_ahead(const hop_job& job, std::int32_t i, std::ptrdiff_t spinor_bytes)
      : half(spinor_bytes / 2) {
    const std::ptrdiff_t here = job.vectors[i];
    const std::ptrdiff_t next = vector_after(job, i);
    if (prefetches_twice ? Opened : job.from_memory) {
      links = job.links.blocks_of(next);
      later = job.links.blocks_of(vector_after(job, i, 2));
    } else {
      links = job.links.blocks_of(here) + job.links.block_bytes;
      later = job.links.blocks_of(next);
    }
    if (job.in_own_cache) later = nullptr;
    if (job.from_memory && prefetches_twice) {
      spinor = neighbour_of(job, here, 3, spinor_bytes);
      spinors_later.find(job, next, spinor_bytes);
    } else {
      spinor = neighbour_of(job, job.from_memory ? next : here, 3, spinor_bytes);
    }
  }

  template <class V, int Direction, bool Dagger>
  ONEHOP_INLINE void prefetch_spinors() const {
    prefetch_eighth_of_half<V, minus_gamma(3, Dagger), Direction>(spinor, half);
    if (prefetches_twice && spinors_later.found())
      spinors_later.prefetch<V, Direction, Dagger>(half);
  }
  /// Prefetches a third of a link.
  template <int Direction, class Link>
  ONEHOP_INLINE void prefetch_link(int third) const {
    const std::ptrdiff_t place =
        turn_of(Direction) * Link::block_bytes + third * Link::lines_a_row * line_bytes;
    prefetch<Link::lines_a_row>(links + place);
    if constexpr (prefetches_twice) {
      if (later != nullptr) prefetch<Link::lines_a_row, cache::own>(later + place);
    }
  }
};

/// A prefetch_at_neighbours prefetches links that are stored at the neighbours.
template <bool Ghosts>
struct prefetch_at_neighbours : prefetch_ahead<false> {
  neighbours_links<Ghosts> here, next;
  bool vector_ahead;  ///< prefetch the next vector's links, also into the first-level cache

  ONEHOP_INLINE prefetch_at_neighbours(const hop_job& job, std::int32_t i,
                                       std::ptrdiff_t spinor_bytes)
      : prefetch_ahead(job, i, spinor_bytes),
        here(job, job.vectors[i]),
        next(job, vector_after(job, i)),
        vector_ahead(!prefetches_twice && job.from_memory) {}

  template <int Direction, class Link>
  ONEHOP_INLINE void prefetch_link(int third) const {
    constexpr int turn = turn_of(Direction);
    const std::ptrdiff_t place = third * Link::lines_a_row * line_bytes;
    const std::byte* later_link = next.template at<Link::block_bytes>(turn);
    const std::byte* soon = turn == 7 ? next.template at<Link::block_bytes>(0)
                                      : here.template at<Link::block_bytes>((turn + 1) % 8);
    prefetch<Link::lines_a_row>((vector_ahead ? later_link : soon) + place);
    if constexpr (prefetches_twice) {
      if (later != nullptr) prefetch<Link::lines_a_row, cache::own>(later_link + place);
    }
  }
};

/// A prefetch_of_several is for one of several right-hand sides. All but the last prefetch the
/// neighbours for the next right-hand side, whose links are loaded already; the last prefetches the
/// next links.
struct prefetch_of_several {
  const std::byte* spinor;
  /// Neighbours backward in z are prefetched too if data come from memory, because all right-hand
  /// sides of a few rows of sites fill the core's own cache.
  neighbours_later<7, 2, 3, 6> spinors_later;
  std::ptrdiff_t half;
  const std::byte* lines[8];

  ONEHOP_INLINE prefetch_of_several(const hop_job& job, std::int32_t i, int rhs, bool vector_ahead,
                                    std::ptrdiff_t spinor_bytes)
      : half(spinor_bytes / 2) {
    const std::ptrdiff_t here = job.vectors[i];
    const std::ptrdiff_t next = vector_after(job, i);
    const bool last = rhs + 1 == job.rhs;
    spinor = neighbour_of(job, vector_ahead ? next : here, 3, spinor_bytes) + rhs * spinor_bytes;
    if (job.from_memory && prefetches_twice) spinors_later.find(job, next, spinor_bytes, rhs);
    for (int d = 0; d < 8; ++d) {
      lines[d] = last ? job.links.blocks_of(next) +
                            turn_of(d) * static_cast<std::ptrdiff_t>(job.links.block_bytes)
                      : neighbour_of(job, here, d, spinor_bytes) + (rhs + 1) * spinor_bytes;
    }
  }
  template <class V, int Direction, bool Dagger>
  ONEHOP_INLINE void prefetch_spinors() const {
    if (prefetches_twice && spinors_later.found()) {
      spinors_later.prefetch<V, Direction, Dagger>(half);
    } else {
      prefetch_eighth_of_half<V, minus_gamma(3, Dagger), Direction>(spinor, half);
    }
  }
  template <int Direction, class Link>
  ONEHOP_INLINE void prefetch_link(int third) const {
    prefetch<Link::lines_a_row, prefetches_twice ? cache::own : cache::first>(
        lines[Direction] + third * Link::lines_a_row * line_bytes);
  }
};

}  // namespace
}  // namespace onehop
