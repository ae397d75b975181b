#pragma once
/// An exact sum over the sites of all ranks depends on nothing but the terms, down to the last bit.

#include <onehop/collectives.hpp>
#include <onehop/context.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace onehop {

/// An exact_sum accumulates without rounding: every double is a multiple of 2^-1074, so a row of
/// integer limbs can hold any sum (Kulisch, "Computer Arithmetic and Validity", 2013, ch. 8). The
/// order of terms, the number of lanes and ranks and the process grid therefore cannot change a
/// result; only the final conversion to double rounds.
///
/// It can hold 2^30 terms between totals.
class exact_sum {
 public:
  void add(double term) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(term);
    const auto exponent = static_cast<unsigned>(bits >> 52U) & 0x7ffU;
    if (exponent == 0x7ffU) {
      ++limbs_[not_finite];
      return;
    }
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52U) - 1);
    const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | (std::uint64_t{1} << 52U);
    add_units(mantissa, (bits >> 63U) != 0, exponent == 0 ? 0 : exponent - 1);
  }
  /// Adds all terms, faster than one by one if they do not differ too much in magnitude.
  void add(std::span<const double> terms) noexcept;
  void merge(const exact_sum& other) noexcept;

  /// Returns this rank's sum, rounded once.
  double local_total() const noexcept;
  /// Returns the sum over all ranks, with the same bits on each. Collective.
  double total(const context& ctx) const;

 private:
  friend struct packed_sum;

  /// Adds `count` times 2^(position - 1074), or subtracts it.
  void add_units(std::uint64_t count, bool negative, unsigned position) noexcept {
    const std::uint64_t low = count << (position % 32U);
    const std::uint64_t high = position % 32U == 0 ? 0 : count >> (64U - position % 32U);
    const auto sign = -static_cast<std::int64_t>(negative);
    const unsigned limb = position / 32U;
    limbs_[limb] += (static_cast<std::int64_t>(low & 0xffffffffU) ^ sign) - sign;
    limbs_[limb + 1] += (static_cast<std::int64_t>(low >> 32U) ^ sign) - sign;
    limbs_[limb + 2] += (static_cast<std::int64_t>(high) ^ sign) - sign;
  }
  void add_chunk(std::span<const double> terms) noexcept;
  /// Carries over until every limb but the last is from 0 to 2^32-1, so that equal sums have equal
  /// limbs.
  void normalise() noexcept;

  static constexpr unsigned not_finite = 67;
  /// limbs_[k] counts multiples of 2^(32 k - 1074); the last entry counts terms that were not
  /// finite.
  std::array<std::int64_t, 68> limbs_{};
};

/// Computes the totals of several sums in one exchange. It takes two if a rank's terms differ so
/// much in magnitude that their sum does not fit the packed form. Collective.
void totals(const context& ctx, std::span<const exact_sum> sums, std::span<double> results);

/// A started_totals computes totals while its caller does something else; see started_allgather.
class started_totals {
 public:
  started_totals(const context& ctx, std::vector<exact_sum> sums);
  void finish(std::span<double> results);

 private:
  context ctx_;
  std::vector<exact_sum> sums_;
  started_allgather exchange_;
};

}  // namespace onehop
