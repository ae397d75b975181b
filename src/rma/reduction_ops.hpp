#pragma once
/// These are the operations of reductions. The host and the kernels of a device share them, so that
/// both give the same bits.

#include <functional>
#include <onehop/reduction.hpp>
#include <type_traits>
#include <utility>

namespace onehop {

template <class T>
struct sum_of {
  constexpr T operator()(T a, T b) const {
    // Signed sums must wrap around instead of overflowing.
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                            static_cast<std::make_unsigned_t<T>>(b));
    else
      return a + b;
  }
};
// The result must be NaN if a or b is NaN. Comparisons with NaN are false, so a is tested next, and
// the result is b if a is a number.
template <class T>
struct min_of {
  constexpr T operator()(T a, T b) const { return b >= a ? a : (a != a ? a : b); }
};
template <class T>
struct max_of {
  constexpr T operator()(T a, T b) const { return b <= a ? a : (a != a ? a : b); }
};

/// Calls `run` with the operation of a kind on values of a type, and returns its result. Returns
/// R{} for bitwise operations on floating-point numbers, which are not supported.
template <class T, class R, class Run>
R with_operation(reduction kind, Run&& run) {
  switch (kind) {
    case reduction::min:
      return run(min_of<T>());
    case reduction::max:
      return run(max_of<T>());
    case reduction::bit_and:
      if constexpr (std::is_integral_v<T>) return run(std::bit_and<T>());
      return R{};
    case reduction::bit_or:
      if constexpr (std::is_integral_v<T>) return run(std::bit_or<T>());
      return R{};
    case reduction::bit_xor:
      if constexpr (std::is_integral_v<T>) return run(std::bit_xor<T>());
      return R{};
    case reduction::sum:
      break;
  }
  return run(sum_of<T>());
}

}  // namespace onehop
