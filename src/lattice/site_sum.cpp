#include "lattice/site_sum.hpp"

#include <onehop/collectives.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace onehop {
namespace {

/// Terms of a chunk, whose sum in any of the levels below then needs no more than 51 bits.
constexpr std::size_t chunk = 1024;
constexpr int levels = 3;

/// Sums of the terms' parts: those of level k are multiples of 2^(-40 - 41 k) times a power of two
/// above the largest term. Each is exact.
struct chunk_parts {
  double sums[levels] = {};
  bool complete = true;  ///< nothing is left below the last level
};

typedef double eight __attribute__((vector_size(64), __may_alias__));
typedef double eight_stored __attribute__((vector_size(64), __may_alias__, aligned(8)));

/// The next eight of `count`, or those that there are and zeros.
[[gnu::always_inline]] inline void take_eight(eight& into, const double* terms, std::size_t count) {
  if (count >= 8) {
    into = *reinterpret_cast<const eight_stored*>(terms);
    return;
  }
  into = eight{};
  for (std::size_t lane = 0; lane < count; ++lane) into[lane] = terms[lane];
}

/// 1.5 2^exponent, a normal number.
double rounder(int exponent) {
  constexpr std::uint64_t half = std::uint64_t{1} << 51U;
  return std::bit_cast<double>((static_cast<std::uint64_t>(exponent + 1023) << 52U) | half);
}

/// Adding and subtracting 1.5 2^52 times a unit rounds a term to it, and leaves the rest exactly
/// (Rump, Ogita and Oishi, SIAM J. Sci. Comput. 31 (2008) 189, section 3).
[[gnu::always_inline]] inline chunk_parts split_terms(const double* terms, std::size_t count) {
  eight largest = {};
  for (std::size_t at = 0; at < count; at += 8) {
    eight term;
    take_eight(term, terms + at, count - at);
    const eight size = term < 0 ? -term : term;
    largest = size > largest ? size : largest;
  }
  double above_all = 0;
  for (int lane = 0; lane < 8; ++lane) above_all = std::max(above_all, largest[lane]);
  // All terms are below 2^above, but those that are not numbers, which leave something over. The
  // rounders must be normal numbers, and so must be what they round to.
  const int above = static_cast<int>(std::bit_cast<std::uint64_t>(above_all) >> 52U) - 1022;
  if (above > 1000 || above < -850) return {.complete = false};
  const double rounders[levels] = {rounder(above + 12), rounder(above - 29), rounder(above - 70)};
  eight sums[levels] = {};
  eight left = {};
  for (std::size_t at = 0; at < count; at += 8) {
    eight term;
    take_eight(term, terms + at, count - at);
    for (int k = 0; k < levels; ++k) {
      const eight part = (term + rounders[k]) - rounders[k];
      sums[k] += part;
      term -= part;
    }
    left += term < 0 ? -term : term;
  }
  chunk_parts parts;
  for (int lane = 0; lane < 8; ++lane) {
    for (int k = 0; k < levels; ++k) parts.sums[k] += sums[k][lane];
    parts.complete = parts.complete && left[lane] == 0;
  }
  return parts;
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] chunk_parts split_by_avx512(const double* terms, std::size_t count) {
  return split_terms(terms, count);
}
[[gnu::target("avx2")]] chunk_parts split_by_avx2(const double* terms, std::size_t count) {
  return split_terms(terms, count);
}
#endif

chunk_parts split(const double* terms, std::size_t count) {
#if defined(__x86_64__)
  static const bool has_avx512 = __builtin_cpu_supports("avx512f");
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx512) return split_by_avx512(terms, count);
  if (has_avx2) return split_by_avx2(terms, count);
#endif
  return split_terms(terms, count);
}

}  // namespace

void site_sum::add(std::span<const double> terms) noexcept {
  for (std::size_t k = 0; k < terms.size(); k += chunk) {
    add_chunk(terms.subspan(k, std::min(chunk, terms.size() - k)));
  }
}

void site_sum::add_chunk(std::span<const double> terms) noexcept {
  const chunk_parts parts = split(terms.data(), terms.size());
  if (parts.complete) {
    for (const double sum : parts.sums) add(sum);
  } else {
    for (const double term : terms) add(term);
  }
}

void site_sum::merge(const site_sum& other) noexcept {
  for (std::size_t k = 0; k < limbs_.size(); ++k) limbs_[k] += other.limbs_[k];
}

void site_sum::normalise() noexcept {
  std::int64_t carry = 0;
  for (unsigned k = 0; k + 1 < not_finite; ++k) {
    const std::int64_t limb = limbs_[k] + carry;
    carry = limb >> 32U;
    limbs_[k] = limb & 0xffffffff;
  }
  limbs_[not_finite - 1] += carry;
}

double site_sum::local_total() const noexcept {
  if (limbs_[not_finite] != 0) return std::numeric_limits<double>::quiet_NaN();
  site_sum sum = *this;
  sum.normalise();
  const bool negative = sum.limbs_[not_finite - 1] < 0;
  if (negative) {
    for (unsigned k = 0; k < not_finite; ++k) sum.limbs_[k] = -sum.limbs_[k];
    sum.normalise();
  }
  // From small to large: every partial sum is far below the next limb's unit, so only the last
  // additions round.
  double result = 0;
  for (unsigned k = 0; k < not_finite; ++k) {
    if (sum.limbs_[k] == 0) continue;
    result += std::ldexp(static_cast<double>(sum.limbs_[k]), 32 * static_cast<int>(k) - 1074);
  }
  return negative ? -result : result;
}

double site_sum::total(const context& ctx) const {
  double result = 0;
  totals(ctx, {this, 1}, {&result, 1});
  return result;
}

packed_sum::packed_sum(site_sum sum) noexcept {
  constexpr unsigned end = site_sum::not_finite;
  if (sum.limbs_[end] != 0) {
    form = kind::not_finite;
    return;
  }
  sum.normalise();
  if (sum.limbs_[end - 1] < 0) {
    form = kind::negative;
    for (std::int64_t& limb : sum.limbs_) limb = -limb;
    sum.normalise();
  }
  unsigned begin = 0, last = end;
  while (begin < end && sum.limbs_[begin] == 0) ++begin;
  while (last > begin && sum.limbs_[last - 1] == 0) --last;
  if (last - begin > most_limbs) {
    form = kind::too_wide;
    return;
  }
  first = static_cast<std::uint16_t>(begin);
  for (unsigned k = begin; k < last; ++k) {
    limbs[k - begin] = static_cast<std::uint32_t>(sum.limbs_[k]);
  }
}

void packed_sum::add_to(site_sum& sum) const noexcept {
  if (form == kind::not_finite) ++sum.limbs_[site_sum::not_finite];
  const std::int64_t sign = form == kind::negative ? -1 : 1;
  for (unsigned k = 0; k < most_limbs && first + k < site_sum::not_finite; ++k) {
    sum.limbs_[first + k] += sign * static_cast<std::int64_t>(limbs[k]);
  }
}

namespace {

std::vector<std::byte> packed(std::span<const site_sum> sums) {
  std::vector<packed_sum> mine(sums.begin(), sums.end());
  const auto bytes = std::as_bytes(std::span(mine));
  return {bytes.begin(), bytes.end()};
}

/// `all` as [rank][sum]; false where a rank's sum did not fit.
bool add_up(std::span<const packed_sum> all, std::span<double> results) {
  for (const packed_sum& each : all) {
    if (each.form == packed_sum::kind::too_wide) return false;
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    site_sum sum;
    for (std::size_t at = k; at < all.size(); at += results.size()) all[at].add_to(sum);
    results[k] = sum.local_total();
  }
  return true;
}

/// For sums that do not fit: each as it is.
void exchange_whole(const context& ctx, std::span<const site_sum> sums, std::span<double> results) {
  std::vector<site_sum> all(sums.size() * static_cast<std::size_t>(ctx.size()));
  allgather(ctx, std::as_bytes(sums), std::as_writable_bytes(std::span(all)));
  for (std::size_t k = 0; k < sums.size(); ++k) {
    site_sum sum;
    for (std::size_t at = k; at < all.size(); at += sums.size()) sum.merge(all[at]);
    results[k] = sum.local_total();
  }
}

}  // namespace

void totals(const context& ctx, std::span<const site_sum> sums, std::span<double> results) {
  started_totals(ctx, {sums.begin(), sums.end()}).finish(results);
}

started_totals::started_totals(const context& ctx, std::vector<site_sum> sums)
    : ctx_(ctx), sums_(std::move(sums)), exchange_(ctx, packed(sums_)) {}

void started_totals::finish(std::span<double> results) {
  std::vector<packed_sum> all(sums_.size() * static_cast<std::size_t>(ctx_.size()));
  exchange_.finish(std::as_writable_bytes(std::span(all)));
  if (!add_up(all, results)) exchange_whole(ctx_, sums_, results);
}

}  // namespace onehop
