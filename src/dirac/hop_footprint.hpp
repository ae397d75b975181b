#pragma once
/// What a hop needs of the caches, and what is best done for it: no bit depends on it.

#include "dirac/kernel_table.hpp"
#include "lattice/field_precision.hpp"

#include <onehop/dirac_operator.hpp>
#include <onehop/geometry.hpp>

#include <cstddef>

namespace onehop {

/// Of one rank.
struct hop_footprint {
  std::size_t links;      ///< bytes that a hop reads of them
  std::size_t field;      ///< of a field of one parity
  std::size_t threads;    ///< among which that is divided
  std::size_t own_cache;  ///< of each of their cores

  /// What a hop reads and writes stays in caches, if not all in the cores' own.
  bool fits_caches() const noexcept;
  /// Results are too large to stay in caches for the next kernel.
  bool writes_past_caches() const noexcept;
  /// Two hops, there and back, find everything in the cores' own caches, where links that they have
  /// in common are held once or twice.
  bool fits_own_cache(bool links_once) const noexcept;
  /// They do, or almost, only if links are held once, and the cache is large.
  bool gains_by_links_once() const noexcept;
  /// The same of a cache that cores share, of which so many bytes fall to each thread.
  bool needs_shared_cache_once(std::size_t shared_cache) const noexcept;

 private:
  std::size_t two_hops(bool links_once) const noexcept;
};

/// Whether hops can read a link from one place, there and back.
bool can_read_links_once(dslash kind, field_precision precision, int reals) noexcept;

/// Of a hop of one right-hand side on this rank's block, of this machine's caches.
hop_footprint footprint_of(const geometry& geometry, dslash kind, field_precision precision,
                           int reals, int threads);

/// What falls to each of so many threads of a cache that cores share; 0 for kernels that hold links
/// once in vain there.
std::size_t shared_cache_of_hops(const kernel_table& kernels, int threads);

/// Slices of constant t of so many bytes for each thread stay in the cache that cores share, beside
/// the links that pass through.
constexpr std::size_t shared_slices_bytes = std::size_t{3} << 20U;

}  // namespace onehop
