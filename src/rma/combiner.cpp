#include <onehop/reduction.hpp>

#include "rma/reduction_ops.hpp"

/// These are the loops over values that combiners of numbers use.

namespace onehop {
namespace {

template <class T, class Op>
void combine(const void*, std::byte* into, const std::byte* from, std::size_t values) {
  detail::combine_all<T>(into, from, values, Op());
}
#if defined(__x86_64__)
/// Vectors of the processor's full width shorten the sum of 64 KiB from 2.5 to 2.0 us, including
/// the exchange between two cores. AVX-512 gains another 4 %.
template <class T, class Op>
[[gnu::target("avx2")]] void combine_wide(const void*, std::byte* into, const std::byte* from,
                                          std::size_t values) {
  detail::combine_all<T>(into, from, values, Op());
}
#endif

using loop = decltype(combiner::apply);

template <class T, class Op>
loop choose() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return combine_wide<T, Op>;
#endif
  return combine<T, Op>;
}

template <class T>
loop loop_of(reduction kind) noexcept {
  return with_operation<T, loop>(kind, []<class Op>(Op) { return choose<T, Op>(); });
}

template <class T>
constexpr number_type number_type_of() {
  if constexpr (std::is_same_v<T, float>) return number_type::float32;
  if constexpr (std::is_same_v<T, double>) return number_type::float64;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
    return std::is_signed_v<T> ? number_type::int32 : number_type::uint32;
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    return std::is_signed_v<T> ? number_type::int64 : number_type::uint64;
  return number_type::other;
}

}  // namespace

template <class T>
combiner combiner_of(reduction kind) noexcept {
  return {sizeof(T), kind, loop_of<T>(kind), nullptr, number_type_of<T>()};
}

template combiner combiner_of<char>(reduction) noexcept;
template combiner combiner_of<signed char>(reduction) noexcept;
template combiner combiner_of<unsigned char>(reduction) noexcept;
template combiner combiner_of<short>(reduction) noexcept;
template combiner combiner_of<unsigned short>(reduction) noexcept;
template combiner combiner_of<int>(reduction) noexcept;
template combiner combiner_of<unsigned>(reduction) noexcept;
template combiner combiner_of<long>(reduction) noexcept;
template combiner combiner_of<unsigned long>(reduction) noexcept;
template combiner combiner_of<long long>(reduction) noexcept;
template combiner combiner_of<unsigned long long>(reduction) noexcept;
template combiner combiner_of<float>(reduction) noexcept;
template combiner combiner_of<double>(reduction) noexcept;
template combiner combiner_of<long double>(reduction) noexcept;

}  // namespace onehop
