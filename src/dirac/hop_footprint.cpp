#include "dirac/hop_footprint.hpp"

#include "machine/caches.hpp"

#include <algorithm>

namespace onehop {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;
/// Results of more bytes than this are not kept in the caches for the next kernel.
constexpr std::size_t streaming_bytes = 5 * mebibyte;
/// A hop of more bytes than this for each thread comes from memory.
constexpr std::size_t cached_bytes = 2 * mebibyte;
/// From this size on it is worth while to read links in another order than they are stored in, so
/// as to have all of them in the core's own cache. It is a gain with caches of 2 MiB, and a shared
/// one far from the cores (Xeon); with 1 MiB, and a shared one near (Zen 4), it is a loss.
constexpr std::size_t large_own_cache = 2 * mebibyte;
/// No more of a shared cache is counted on for a thread: virtual machines see larger caches whole,
/// of which they have a part.
constexpr std::size_t most_shared_cache = 32 * mebibyte;

}  // namespace

// Hops with one place for links need 18 reals, and staggered hops convert links of sixteen bits
// first.
bool can_read_links_once(dslash kind, field_precision precision, int reals) noexcept {
  return reals == 18 && (!is_staggered(kind) || precision != field_precision::half);
}

hop_footprint footprint_of(const geometry& geometry, dslash kind, field_precision precision,
                           int reals, int threads) {
  const std::size_t sites = geometry.local_volume() / 2;
  const std::size_t hops = is_improved(kind) ? 16 : 8;
  const std::size_t real = precision == field_precision::half ? 2 : arithmetic_bytes(precision);
  return {sites * hops * reals * real, block_bytes(precision, 2 * components(kind), 1) * sites,
          static_cast<std::size_t>(threads), core_cache_bytes()};
}

// Only vectors of 512 bits wait for memory longer than it costs to read links from eight places.
std::size_t shared_cache_of_hops(const kernel_table& kernels, int threads) {
  constexpr std::size_t widest_vector = 64;
  const bool wide = kernels.lanes * arithmetic_bytes(kernels.kind) >= widest_vector;
  if (!wide || kernels.kind == field_precision::half) return 0;
  return shared_cache_bytes(static_cast<std::size_t>(threads));
}

bool hop_footprint::fits_caches() const noexcept {
  return links + 2 * field <= cached_bytes * threads;
}

bool hop_footprint::writes_past_caches() const noexcept { return field > streaming_bytes; }

std::size_t hop_footprint::two_hops(bool links_once) const noexcept {
  return (links_once ? 1 : 2) * links + 2 * field;
}

bool hop_footprint::fits_own_cache(bool links_once) const noexcept {
  return two_hops(links_once) <= own_cache * threads;
}

bool hop_footprint::gains_by_links_once() const noexcept {
  // With four fifths in the cache there still is a gain of a fourth; with two thirds there is none.
  const bool mostly_fits = 4 * two_hops(true) <= 5 * own_cache * threads;
  return own_cache >= large_own_cache && mostly_fits && !fits_own_cache(false);
}

bool hop_footprint::needs_shared_cache_once(std::size_t shared_cache) const noexcept {
  if (fits_own_cache(false)) return false;
  const bool fits = two_hops(true) <= std::min(shared_cache, most_shared_cache) * threads;
  // Data that fill two thirds of a cache do not all stay there.
  return fits && 3 * two_hops(false) > 2 * shared_cache * threads;
}

}  // namespace onehop
