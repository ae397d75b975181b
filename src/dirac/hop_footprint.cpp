#include "dirac/hop_footprint.hpp"

namespace onehop {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;
/// Results of more bytes than this are not kept in the caches for the next kernel.
constexpr std::size_t streaming_bytes = 5 * mebibyte;
/// A hop of more bytes than this for each thread comes from memory.
constexpr std::size_t cached_bytes = 2 * mebibyte;
/// From here on it is worth it to read links in another order than they are stored in so as to have
/// all of them there. Seen with caches of 2 MiB, and a shared one far from the cores (Xeon);
/// smaller ones have not been tried.
constexpr std::size_t large_own_cache = 2 * mebibyte;

}  // namespace

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
  // Four fifths in the cache still are a gain of a fourth; two thirds are none.
  const bool mostly_fits = 4 * two_hops(true) <= 5 * own_cache * threads;
  return own_cache >= large_own_cache && mostly_fits && !fits_own_cache(false);
}

}  // namespace onehop
