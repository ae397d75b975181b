#pragma once
/// A hop_footprint says what a hop needs of the caches, and what is best done for it: no bit
/// depends on it.

#include "dirac/kernel_table.hpp"
#include "lattice/field_precision.hpp"

#include <onehop/dirac_operator.hpp>
#include <onehop/geometry.hpp>

#include <cstddef>

namespace onehop {

/// The numbers are those of one rank.
struct hop_footprint {
  std::size_t links;      ///< bytes of links that a hop reads
  std::size_t field;      ///< bytes of a field of one parity
  std::size_t threads;    ///< threads that share the links and fields
  std::size_t own_cache;  ///< bytes of the cache that each core has to itself

  /// Returns whether what a hop reads and writes stays in caches, if not all in the cores' own.
  bool fits_caches() const noexcept;
  /// Returns whether results are too large to stay in caches for the next kernel.
  bool writes_past_caches() const noexcept;
  /// Returns whether two hops, there and back, find everything in the cores' own caches, where
  /// links that they have in common are held once or twice.
  bool fits_own_cache(bool links_once) const noexcept;
  /// Returns whether two hops find everything, or almost, in the cores' own caches only if links
  /// are held once, and the cache is large.
  bool gains_by_links_once() const noexcept;
  /// Returns whether two hops find everything in a shared cache, with `shared_cache` bytes for each
  /// thread, only if links are held once.
  bool needs_shared_cache_once(std::size_t shared_cache) const noexcept;

 private:
  std::size_t two_hops(bool links_once) const noexcept;
};

/// Returns whether hops can read a link from one place, there and back.
bool can_read_links_once(dslash kind, field_precision precision, int reals) noexcept;

/// Returns the footprint of a hop of one right-hand side on this rank's block, with this machine's
/// caches.
hop_footprint footprint_of(const geometry& geometry, dslash kind, field_precision precision,
                           int reals, int threads);

/// Returns each thread's share, of `threads`, in the cache that cores share, and 0 for kernels that
/// do not gain by holding links once there.
std::size_t shared_cache_of_hops(const kernel_table& kernels, int threads);

/// Slices of constant t with this many bytes for each thread stay in the cache that cores share,
/// beside the links that pass through.
constexpr std::size_t shared_slices_bytes = std::size_t{3} << 20U;

}  // namespace onehop
