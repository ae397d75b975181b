#pragma once
/// How values of several ranks become one, for allreduce and its relatives.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace onehop {

/// What makes one value of two. Sums of whole numbers wrap around.
/// min, max: not a number where any rank gives that.
/// bit_and, bit_or, bit_xor: of whole numbers only.
enum class reduction { sum, min, max, bit_and, bit_or, bit_xor };

/// The order in which the ranks' values are combined.
enum class sum_order {
  fixed,  ///< 0, 1, ... on every rank, so that all ranks and all transports get the same bits
  fast    ///< as the transport likes best: the last bits may differ between runs and between ranks
};

/// Combines arrays of values of one type, element by element, for collectives that know no types.
/// Two ranks that combine different things are told of it where `kind` differs.
struct combiner {
  std::size_t value_bytes;
  reduction kind;
  /// into[i] = into[i] (combined with) from[i]; any alignment, no overlap.
  void (*apply)(const void* state, std::byte* into, const std::byte* from, std::size_t values);
  const void* state = nullptr;  ///< handed to `apply`

  void operator()(std::byte* into, const std::byte* from, std::size_t values) const {
    apply(state, into, from, values);
  }
};

namespace detail {

/// Goes through both arrays with `op`, which takes and returns values.
template <class T, class Op>
void combine_all(std::byte* __restrict into, const std::byte* __restrict from, std::size_t values,
                 Op op) {
  for (std::size_t i = 0; i < values; ++i) {
    T left, right;
    std::memcpy(&left, into + i * sizeof(T), sizeof(T));
    std::memcpy(&right, from + i * sizeof(T), sizeof(T));
    left = op(left, right);
    std::memcpy(into + i * sizeof(T), &left, sizeof(T));
  }
}

template <class T>
struct operation_on {
  using apply = void (*)(const void*, std::byte*, const std::byte*, std::size_t);

  static apply of(reduction kind) noexcept {
    switch (kind) {
      case reduction::min:
        return [](const void*, std::byte* into, const std::byte* from, std::size_t values) {
          // A value that is not a number must not be lost on the way.
          combine_all<T>(into, from, values,
                         [](T a, T b) { return b >= a ? a : (a != a ? a : b); });
        };
      case reduction::max:
        return [](const void*, std::byte* into, const std::byte* from, std::size_t values) {
          combine_all<T>(into, from, values,
                         [](T a, T b) { return b <= a ? a : (a != a ? a : b); });
        };
      case reduction::bit_and:
        return bitwise([](auto a, auto b) { return a & b; });
      case reduction::bit_or:
        return bitwise([](auto a, auto b) { return a | b; });
      case reduction::bit_xor:
        return bitwise([](auto a, auto b) { return a ^ b; });
      case reduction::sum:
        break;
    }
    return [](const void*, std::byte* into, const std::byte* from, std::size_t values) {
      // Signed sums must wrap around and not overflow.
      if constexpr (std::is_integral_v<T>)
        combine_all<std::make_unsigned_t<T>>(into, from, values, [](auto a, auto b) {
          return static_cast<std::make_unsigned_t<T>>(a + b);
        });
      else
        combine_all<T>(into, from, values, [](T a, T b) { return a + b; });
    };
  }

 private:
  template <class Op>
  static apply bitwise(Op) noexcept {
    if constexpr (std::is_integral_v<T>)
      return [](const void*, std::byte* into, const std::byte* from, std::size_t values) {
        combine_all<T>(into, from, values, [](T a, T b) { return static_cast<T>(Op()(a, b)); });
      };
    else
      return nullptr;
  }
};

}  // namespace detail

/// Of a whole number or a floating-point type. Its `apply` is null for bits of the latter, which
/// the collectives refuse.
template <class T>
combiner combiner_of(reduction kind) noexcept {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
  return {sizeof(T), kind, detail::operation_on<T>::of(kind)};
}

/// Of values combined by the caller's `op`, which takes two and returns one and outlives the
/// combiner. It must be associative as far as the caller cares: the ranks' values are combined in
/// rank order.
template <class T, class Op>
combiner combiner_of(const Op& op) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  return {sizeof(T), reduction::sum,
          [](const void* state, std::byte* into, const std::byte* from, std::size_t values) {
            detail::combine_all<T>(into, from, values, *static_cast<const Op*>(state));
          },
          &op};
}

}  // namespace onehop
