#pragma once
/// Links of 18, 12 or 8 reals, and of 16-bit ones, made ready to multiply with.

#include "dirac/isa/expand_link.hpp"
#include "dirac/isa/simd.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// Writes the link as 18 reals.
template <class V, int Reals, bool Fixed>
[[gnu::noinline]] void open_link(typename V::real* u, const std::byte* block, double scale,
                                 const void* signs) {
  using real = typename V::real;
  V stored[Reals];
  for (int k = 0; k < Reals; ++k) {
    if constexpr (Fixed) {
      stored[k] = V::broadcast(static_cast<real>(scale / 32767)) *
                  load_shorts<V>(reinterpret_cast<const std::int16_t*>(block) + k * V::lanes);
    } else {
      stored[k] = V::load(reinterpret_cast<const real*>(block) + k * V::lanes);
    }
  }
  const V sign = V::load_unaligned(static_cast<const real*>(signs));
  if constexpr (Reals == 18) {
    for (int k = 0; k < 18; ++k) stored[k].store(u + k * V::lanes);
  } else if constexpr (Reals == 12) {
    expand_twelve(u, stored, sign);
  } else {
    expand_eight(u, stored, sign);
  }
}

template <class V>
using link_opener = void (*)(typename V::real*, const std::byte*, double, const void*);

template <class V, bool Fixed>
link_opener<V> opener_of(int reals) {
  return reals == 18   ? open_link<V, 18, Fixed>
         : reals == 12 ? open_link<V, 12, Fixed>
                       : open_link<V, 8, Fixed>;
}

/// Null where links are used as they are stored.
template <class V>
link_opener<V> choose_opener(const link_view& links) {
  if constexpr (sizeof(typename V::real) == sizeof(float)) {
    if (links.fixed) return opener_of<V, true>(links.reals);
  }
  return links.reals == 18 ? nullptr : opener_of<V, false>(links.reals);
}

}  // namespace
}  // namespace onehop
