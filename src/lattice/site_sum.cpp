#include "lattice/site_sum.hpp"

#include <onehop/collectives.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace onehop {

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

void totals(const context& ctx, std::span<const site_sum> sums, std::span<double> results) {
  std::vector<site_sum> mine(sums.begin(), sums.end());
  for (site_sum& sum : mine) sum.normalise();
  std::vector<site_sum> all(sums.size() * static_cast<std::size_t>(ctx.size()));
  allgather(ctx, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  for (std::size_t k = 0; k < sums.size(); ++k) {
    site_sum sum;
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ctx.size()); ++rank) {
      sum.merge(all[rank * sums.size() + k]);
    }
    results[k] = sum.local_total();
  }
}

}  // namespace onehop
