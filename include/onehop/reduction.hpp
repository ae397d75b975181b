#pragma once
/// A reduction says how values of several ranks become one, for allreduce and its relatives.

#include <onehop/detail/language.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace onehop {

/// A reduction makes one value of two. Sums of whole numbers wrap around; min and max give NaN
/// where any rank gives NaN; bit_and, bit_or and bit_xor take whole numbers only.
enum class reduction { sum, min, max, bit_and, bit_or, bit_xor };

/// A sum_order says in which order the ranks' values are combined.
enum class sum_order {
  fixed,  ///< rank 0, 1, ... on every rank, so that all ranks and all transports get the same bits
  fast    ///< in the transport's own order: the last bits may differ between runs and between ranks
};

/// A number_type names the type of a combiner's values to the other ranks.
enum class number_type { other, int32, uint32, int64, uint64, float32, float64 };

/// A combiner combines arrays of values of one type, element by element, for collectives that know
/// no types. Where `kind` or `type` differ between ranks, the collectives throw usage_error.
struct combiner {
  std::size_t value_bytes;
  reduction kind;
  /// Sets into[i] to into[i] combined with from[i]; any alignment is allowed, overlap is not.
  void (*apply)(const void* state, std::byte* into, const std::byte* from, std::size_t values);
  const void* state = nullptr;  ///< handed to `apply`
  number_type type = number_type::other;

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

}  // namespace detail

/// Returns the combiner of a whole number or a floating-point type: of char to long long, signed
/// or not, and of float to long double. Its `apply` is null for bit operations on floating-point
/// types, which the collectives refuse.
template <class T>
combiner combiner_of(reduction kind) noexcept;

/// Returns the combiner that calls the caller's `op`, which takes two values and returns one and
/// outlives the combiner. It must be associative as far as the caller cares: the ranks' values are
/// combined in rank order.
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
