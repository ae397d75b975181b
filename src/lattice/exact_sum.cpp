#include <onehop/exact_sum.hpp>

#include "lattice/unit_counts.hpp"
#include "rma/rounds.hpp"

#include <onehop/collectives.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace onehop {
namespace {

/// Terms left after this many pairs of units are added one by one.
constexpr int most_passes = 4;

}  // namespace

void exact_sum::add(std::span<const double> terms) noexcept {
  for (std::size_t k = 0; k < terms.size(); k += most_counted) {
    add_chunk(terms.subspan(k, std::min(most_counted, terms.size() - k)));
  }
}

void exact_sum::add_chunk(std::span<const double> terms) noexcept {
  std::array<double, most_counted> rest;
  const double* from = terms.data();
  const std::size_t count =
      (terms.size() + counted_together - 1) / counted_together * counted_together;
  if (count != terms.size()) {
    std::fill(std::ranges::copy(terms, rest.begin()).out, rest.begin() + count, 0.0);
    from = rest.data();
  }
  for (int pass = 0; pass < most_passes; ++pass) {
    const int above = exponent_above(from, count);
    if (above < least_above || above > most_above) break;
    const unit_counts sum = count_units(from, rest.data(), count, above);
    for (std::size_t k = 0; k < sum.counts.size(); ++k) {
      const bool negative = sum.counts[k] < 0;
      const auto magnitude = static_cast<std::uint64_t>(sum.counts[k]);
      add_units(negative ? -magnitude : magnitude, negative,
                static_cast<unsigned>(above + unit_counts::units[k] + 1074));
    }
    if (!sum.leaves_rest) return;
    from = rest.data();
  }
  for (std::size_t k = 0; k < count; ++k) add(from[k]);
}

void exact_sum::merge(const exact_sum& other) noexcept {
  for (std::size_t k = 0; k < limbs_.size(); ++k) limbs_[k] += other.limbs_[k];
}

void exact_sum::normalise() noexcept {
  std::int64_t carry = 0;
  for (unsigned k = 0; k + 1 < not_finite; ++k) {
    const std::int64_t limb = limbs_[k] + carry;
    carry = limb >> 32U;
    limbs_[k] = limb & 0xffffffff;
  }
  limbs_[not_finite - 1] += carry;
}

double exact_sum::local_total() const noexcept {
  if (limbs_[not_finite] != 0) return std::numeric_limits<double>::quiet_NaN();
  exact_sum sum = *this;
  sum.normalise();
  const bool negative = sum.limbs_[not_finite - 1] < 0;
  if (negative) {
    for (unsigned k = 0; k < not_finite; ++k) sum.limbs_[k] = -sum.limbs_[k];
    sum.normalise();
  }
  // Limbs are added from small to large: every partial sum is far below the next limb's unit, so
  // that only the last additions round.
  double result = 0;
  for (unsigned k = 0; k < not_finite; ++k) {
    if (sum.limbs_[k] == 0) continue;
    result += std::ldexp(static_cast<double>(sum.limbs_[k]), 32 * static_cast<int>(k) - 1074);
  }
  return negative ? -result : result;
}

double exact_sum::total(const context& ctx) const {
  double result = 0;
  totals(ctx, {this, 1}, {&result, 1});
  return result;
}

/// A packed_sum is a sum in the form sent to other ranks: its sign and its nonzero limbs, which
/// nearly always are few.
struct packed_sum {
  static constexpr unsigned most_limbs = 7;

  packed_sum() = default;
  explicit packed_sum(exact_sum sum) noexcept;
  void add_to(exact_sum& sum) const noexcept;

  enum class kind : std::uint16_t { positive, negative, not_finite, too_wide };
  kind form = kind::positive;
  std::uint16_t first = 0;  ///< index of the first limb
  std::array<std::uint32_t, most_limbs> limbs{};
};

packed_sum::packed_sum(exact_sum sum) noexcept {
  constexpr unsigned end = exact_sum::not_finite;
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

void packed_sum::add_to(exact_sum& sum) const noexcept {
  if (form == kind::not_finite) ++sum.limbs_[exact_sum::not_finite];
  const std::int64_t sign = form == kind::negative ? -1 : 1;
  for (unsigned k = 0; k < most_limbs && first + k < exact_sum::not_finite; ++k) {
    sum.limbs_[first + k] += sign * static_cast<std::int64_t>(limbs[k]);
  }
}

namespace {

std::vector<std::byte> packed(std::span<const exact_sum> sums) {
  std::vector<packed_sum> mine(sums.begin(), sums.end());
  const auto bytes = std::as_bytes(std::span(mine));
  return {bytes.begin(), bytes.end()};
}

/// Adds up `all`, as [rank][sum]; returns false if a rank's sum did not fit.
bool add_up(std::span<const packed_sum> all, std::span<double> results) {
  for (const packed_sum& each : all) {
    if (each.form == packed_sum::kind::too_wide) return false;
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    exact_sum sum;
    for (std::size_t at = k; at < all.size(); at += results.size()) all[at].add_to(sum);
    results[k] = sum.local_total();
  }
  return true;
}

/// Exchanges in full the sums that do not fit the packed form.
void exchange_whole(const context& ctx, std::span<const exact_sum> sums,
                    std::span<double> results) {
  std::vector<exact_sum> all(sums.size() * static_cast<std::size_t>(ctx.size()));
  allgather(ctx, std::as_bytes(sums), std::as_writable_bytes(std::span(all)));
  for (std::size_t k = 0; k < sums.size(); ++k) {
    exact_sum sum;
    for (std::size_t at = k; at < all.size(); at += sums.size()) sum.merge(all[at]);
    results[k] = sum.local_total();
  }
}

}  // namespace

void totals(const context& ctx, std::span<const exact_sum> sums, std::span<double> results) {
  started_totals(ctx, {sums.begin(), sums.end()}).finish(results);
}

started_totals::started_totals(const context& ctx, std::vector<exact_sum> sums)
    : ctx_(ctx), sums_(std::move(sums)), exchange_(ctx, packed(sums_)) {}

void started_totals::finish(std::span<double> results) {
  // Memory for the sums of all ranks is allocated only when these have arrived: thousands of ranks
  // of a virtual machine wait for them and share one memory.
  const std::size_t bytes = sums_.size() * sizeof(packed_sum);
  if (bytes <= bootstrap_of(ctx_).round_bytes())
    rounds::hear_all(ctx_, make_tag(operation::allgather, bytes));
  std::vector<packed_sum> all(sums_.size() * static_cast<std::size_t>(ctx_.size()));
  exchange_.finish(std::as_writable_bytes(std::span(all)));
  if (!add_up(all, results)) exchange_whole(ctx_, sums_, results);
}

}  // namespace onehop
