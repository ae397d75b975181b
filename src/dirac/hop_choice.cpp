#include "dirac/hop_choice.hpp"

#include <onehop/error.hpp>

#include "base/text.hpp"
#include "base/words.hpp"
#include "dirac/vector_order.hpp"

namespace onehop {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;
/// Results larger than this are not kept in the caches for the next kernel.
constexpr std::size_t streaming_bytes = 5 * mebibyte;
/// A hop of more bytes than this per thread reads from memory.
constexpr std::size_t cached_bytes = 2 * mebibyte;
/// Slices of constant t with this many bytes per thread stay in the cache that cores share, beside
/// the links that pass through.
constexpr std::size_t shared_slices_bytes = 3 * mebibyte;
/// From this size on it pays to read links in an order other than the stored one, to keep all of
/// them in the core's own cache. It is a gain with caches of 2 MiB and a shared cache far from the
/// cores (Xeon), and a loss with caches of 1 MiB and a near shared one (Zen 4).
constexpr std::size_t large_own_cache = 2 * mebibyte;

bool decided(hop_choice::answer answer, bool by_size) {
  return answer == hop_choice::answer::by_size ? by_size : answer == hop_choice::answer::yes;
}

bool fits_caches(const hop_footprint& sizes) {
  return sizes.links + 2 * sizes.field <= cached_bytes * sizes.threads;
}

/// Returns the bytes of two hops, there and back.
std::size_t two_hops(const hop_footprint& sizes, bool links_once) {
  return (links_once ? 1 : 2) * sizes.links + 2 * sizes.field;
}

/// Returns whether two hops find (almost) everything in the cores' own caches only if links are
/// held once, and whether these caches are large.
bool gains_by_links_once(const hop_footprint& sizes) {
  // With four fifths in the cache there is still a gain of a fourth; with two thirds there is none.
  const std::size_t own_caches = sizes.own_cache * sizes.threads;
  const bool mostly_fits = 4 * two_hops(sizes, true) <= 5 * own_caches;
  return sizes.own_cache >= large_own_cache && mostly_fits && two_hops(sizes, false) > own_caches;
}

[[noreturn]] void refuse(std::string_view word) {
  throw usage_error(text("way of a hop '", word,
                         "': give order:YxZxT with numbers of pieces, write:past or write:kept, "
                         "ahead:vector or ahead:direction, links:once or links:twice"));
}

std::array<int, 3> pieces_of(std::string_view value, std::string_view word) {
  std::array<int, 3> pieces{};
  for (int& count : pieces) {
    count = number_from<int>(take_until(value, 'x')).value_or(0);
    if (count < 1) refuse(word);
  }
  if (!value.empty()) refuse(word);
  return pieces;
}

hop_choice::answer answer_of(std::string_view value, std::string_view no, std::string_view yes,
                             std::string_view word) {
  if (value == yes) return hop_choice::answer::yes;
  if (value != no) refuse(word);
  return hop_choice::answer::no;
}

std::string_view name_of(dslash kind) {
  return is_improved(kind) ? "naik" : is_staggered(kind) ? "staggered" : "wilson";
}

std::string_view name_of(field_precision precision) {
  return precision == field_precision::double_  ? "double"
         : precision == field_precision::single ? "single"
                                                : "half";
}

}  // namespace

// Hops that read links from one place need 18 reals. In half precision, arithmetic takes longer
// than loading links, so a hop would gain nothing.
bool can_read_links_once(field_precision precision, int recon) noexcept {
  return recon == 18 && precision != field_precision::half;
}

hop_plan plan_hop(const hop_choice& choice, const hop_footprint& sizes) {
  hop_plan plan{};
  plan.past_caches = decided(choice.past_caches, sizes.field > streaming_bytes);
  plan.from_memory = decided(choice.vector_ahead, !fits_caches(sizes));
  plan.links_once = sizes.can_share_links && decided(choice.links_once, gains_by_links_once(sizes));
  plan.in_own_cache = two_hops(sizes, plan.links_once) <= sizes.own_cache * sizes.threads;
  return plan;
}

std::array<int, 3> plan_pieces(const hop_choice& choice, const hop_footprint& sizes,
                               const lane_layout& layout, std::size_t vector_bytes) {
  if (choice.pieces) return *choice.pieces;
  if (fits_caches(sizes)) return {1, 1, 1};
  return fitting_pieces(layout, vector_bytes, shared_slices_bytes, static_cast<int>(sizes.threads));
}

hop_choice hop_choice::parse(std::string_view words) {
  hop_choice result;
  while (!words.empty()) {
    const std::string_view word = take_until(words, ',');
    std::string_view value = word;
    const std::string_view what = take_until(value, ':');
    if (what == "order") {
      result.pieces = pieces_of(value, word);
    } else if (what == "write") {
      result.past_caches = answer_of(value, "kept", "past", word);
    } else if (what == "ahead") {
      result.vector_ahead = answer_of(value, "direction", "vector", word);
    } else if (what == "links") {
      result.links_once = answer_of(value, "twice", "once", word);
    } else {
      refuse(word);
    }
  }
  return result;
}

std::string hop_name(dslash kind, field_precision precision, int recon, const geometry& geometry,
                     int threads) {
  return text(name_of(kind), "/", name_of(precision), "/", recon, "/",
              to_string(geometry.lattice()), "/", to_string(geometry.grid()), "/", threads);
}

}  // namespace onehop
