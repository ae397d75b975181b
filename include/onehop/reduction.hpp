#pragma once
/// A reduction says how allreduce and related collectives combine the values of several ranks into
/// one.

#include <onehop/detail/language.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace onehop {

/// A reduction combines two values into one. Sums of integers wrap around; min and max give NaN if
/// any rank gives NaN; bit_and, bit_or and bit_xor take integers only.
enum class reduction { sum, min, max, bit_and, bit_or, bit_xor };

/// A sum_order says in which order the values of the ranks are combined.
enum class sum_order {
  fixed,  ///< rank 0, 1, ... on every rank, so all ranks and all transports get the same bits
  fast    ///< the transport's own order: the last bits may differ between runs and between ranks
};

/// A number_type tells the other ranks the type of a combiner's values.
enum class number_type { other, int32, uint32, int64, uint64, float32, float64 };

/// A combiner combines arrays of values of one type, element by element, for collectives that do
/// not know types. If `kind` or `type` differ between ranks, the collectives throw usage_error.
struct combiner {
  std::size_t value_bytes;
  reduction kind;
  /// Sets into[i] to into[i] combined with from[i]; any alignment is allowed, overlap is not.
  void (*apply)(const void* state, std::byte* into, const std::byte* from, std::size_t values);
  const void* state = nullptr;  ///< passed to `apply`
  number_type type = number_type::other;

  void operator()(std::byte* into, const std::byte* from, std::size_t values) const {
    apply(state, into, from, values);
  }
};

namespace detail {

/// Applies `op`, which takes and returns values, to each pair of elements of the two arrays.
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

/// Returns the combiner for an integer or floating-point type: char to long long, signed or not,
/// and float to long double. Its `apply` is null for bit operations on floating-point types, which
/// the collectives reject.
template <class T>
combiner combiner_of(reduction kind) noexcept;

/// Returns a combiner that calls the caller's `op`, which takes two values and returns one, and
/// must outlive the combiner. `op` must be as associative as the caller's accuracy requires: the
/// values are combined in rank order.
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
