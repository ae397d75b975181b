#include "lattice/unit_counts.hpp"

#include <algorithm>
#include <bit>

namespace onehop {
namespace {

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63U;

/// The vector has as many lanes as a register of the target holds, because g++ splits wider vectors
/// into single entries when they are compared.
template <int Lanes>
struct simd_of {
  typedef double reals __attribute__((vector_size(8 * Lanes)));
  typedef double stored __attribute__((vector_size(8 * Lanes), __may_alias__, aligned(8)));
  typedef std::uint64_t bits __attribute__((vector_size(8 * Lanes)));
};

template <int Lanes>
[[gnu::always_inline]] inline double largest_of(const double* terms, std::size_t count) {
  using simd = simd_of<Lanes>;
  typename simd::reals largest[2] = {};
  for (std::size_t at = 0; at < count; at += 2 * Lanes) {
    for (int k = 0; k < 2; ++k) {
      const typename simd::reals term =
          *reinterpret_cast<const typename simd::stored*>(terms + at + k * Lanes);
      const auto size = (typename simd::reals)((typename simd::bits)term & ~sign_bit);
      largest[k] = size > largest[k] ? size : largest[k];
    }
  }
  double result = 0;
  for (const auto& some : largest) {
    for (int lane = 0; lane < Lanes; ++lane) result = std::max(result, some[lane]);
  }
  return result;
}

/// Returns 1.5 2^52 2^unit, a normal number. Adding it to a smaller term leaves the term, rounded
/// to whole units, in the last bits; subtracting it again turns these into a number, whose
/// difference from the term is exact (Rump, Ogita and Oishi, SIAM J. Sci. Comput. 31 (2008) 189,
/// section 3).
double rounder(int unit) {
  constexpr std::uint64_t half = std::uint64_t{1} << 51U;
  return std::bit_cast<double>((static_cast<std::uint64_t>(unit + 52 + 1023) << 52U) | half);
}

template <int Lanes>
[[gnu::always_inline]] inline unit_counts count_with(const double* terms, double* rest,
                                                     std::size_t count, int above) {
  using simd = simd_of<Lanes>;
  using reals = typename simd::reals;
  using bits = typename simd::bits;
  const double high = rounder(above + unit_counts::units[0]);
  const double low = rounder(above + unit_counts::units[1]);
  bits high_counts = {}, low_counts = {}, left = {};
  for (std::size_t at = 0; at < count; at += Lanes) {
    const reals term = *reinterpret_cast<const typename simd::stored*>(terms + at);
    const reals shifted = term + high;
    high_counts += (bits)shifted;
    const reals between = term - (shifted - high);
    const reals shifted_again = between + low;
    low_counts += (bits)shifted_again;
    const reals over = between - (shifted_again - low);
    left |= (bits)over;
    *reinterpret_cast<typename simd::stored*>(rest + at) = over;
  }
  // Each term also added the bits of the rounder. All this is modulo 2^64, and the counts stay
  // below that: 2^10 terms of at most 2^50 units.
  std::uint64_t high_count = -count * std::bit_cast<std::uint64_t>(high);
  std::uint64_t low_count = -count * std::bit_cast<std::uint64_t>(low);
  std::uint64_t any = 0;
  for (int lane = 0; lane < Lanes; ++lane) {
    high_count += high_counts[lane];
    low_count += low_counts[lane];
    any |= left[lane];
  }
  return {{static_cast<std::int64_t>(high_count), static_cast<std::int64_t>(low_count)},
          (any & ~sign_bit) != 0};
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] double largest_by_avx512(const double* terms, std::size_t count) {
  return largest_of<8>(terms, count);
}
[[gnu::target("avx2")]] double largest_by_avx2(const double* terms, std::size_t count) {
  return largest_of<4>(terms, count);
}
[[gnu::target("avx512f")]] unit_counts count_by_avx512(const double* terms, double* rest,
                                                       std::size_t count, int above) {
  return count_with<8>(terms, rest, count, above);
}
[[gnu::target("avx2")]] unit_counts count_by_avx2(const double* terms, double* rest,
                                                  std::size_t count, int above) {
  return count_with<4>(terms, rest, count, above);
}
#endif

struct counters {
  double (*largest)(const double*, std::size_t) = largest_of<2>;
  unit_counts (*count)(const double*, double*, std::size_t, int) = count_with<2>;
};

counters choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {largest_by_avx512, count_by_avx512};
  if (__builtin_cpu_supports("avx2")) return {largest_by_avx2, count_by_avx2};
#endif
  return {};
}

const counters& chosen() {
  static const counters best = choose();
  return best;
}

}  // namespace

int exponent_above(const double* terms, std::size_t count) noexcept {
  const auto largest = std::bit_cast<std::uint64_t>(chosen().largest(terms, count));
  return largest == 0 ? least_above : static_cast<int>(largest >> 52U) - 1022;
}

unit_counts count_units(const double* terms, double* rest, std::size_t count, int above) noexcept {
  return chosen().count(terms, rest, count, above);
}

}  // namespace onehop
