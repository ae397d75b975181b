#pragma once
/// This file expands links of 18, 12 or 8 reals, and 16-bit ones, to 18 reals: for links that are
/// used more than once, and for kernels that do not read them in their stored form.

#include "dirac/isa/expand_link.hpp"
#include "dirac/isa/link_reader.hpp"
#include "dirac/isa/simd.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// Writes the link, in units of `unit`, as 18 reals.
template <class V, int Reals, bool Fixed>
[[gnu::noinline]] void open_link(typename V::real* u, const std::byte* block, double unit,
                                 const void* signs) {
  if constexpr (Reals == 18 || (Fixed && Reals == 12)) {
    using reader = entry_reader<V, Reals, Fixed>;
    typename V::real* third_row = u + 12 * V::lanes;
    if constexpr (Reals == 12) reader::make(third_row, block, signs);
    const reader link(block, third_row);
    const V factor = V::broadcast(static_cast<typename V::real>(unit));
    ONEHOP_UNROLL_ALWAYS
    for (int k = 0; k < 9; ++k) {
      const complex_simd<V> entry = link(k);
      (Fixed ? scaled(factor, entry) : entry).store(u + 2 * k * V::lanes);
    }
  } else {
    const stored_reals<V, Fixed> from{block};
    V stored[Reals];
    for (int k = 0; k < Reals; ++k) stored[k] = from.scaled(k);
    const V sign = load_signs<V>(signs);
    if constexpr (Reals == 12) {
      expand_twelve(u, stored, sign);
    } else {
      expand_eight(u, stored, sign);
    }
  }
}

/// Writes the folded_reader's form of a link of eight reals.
template <class V, bool Fixed>
[[gnu::noinline]] void open_folded(typename V::real* made, const std::byte* block, double,
                                   const void* signs) {
  folded_reader<V, Fixed>::make(made, block, signs);
}

template <class V>
using link_opener = void (*)(typename V::real*, const std::byte*, double, const void*);

template <class V, bool Fixed>
link_opener<V> opener_of(int recon, bool folded) {
  return recon == 18   ? open_link<V, 18, Fixed>
         : recon == 12 ? open_link<V, 12, Fixed>
         : folded      ? open_folded<V, Fixed>
                       : open_link<V, 8, Fixed>;
}

/// A link_opening says how links are expanded to 18 reals in units of `unit`; if `folded`, links of
/// eight reals are expanded to the form that a folded_reader uses.
template <class V>
class link_opening {
 public:
  link_opening(const link_view& links, double unit, bool folded) : links_(&links), unit_(unit) {
    opener_ = links.recon == 18 ? nullptr : opener_of<V, false>(links.recon, folded);
    if constexpr (sizeof(typename V::real) == sizeof(float)) {
      if (links.fixed) opener_ = opener_of<V, true>(links.recon, folded);
    }
  }
  /// Returns false if links are used as stored.
  bool opens() const noexcept { return opener_ != nullptr; }

  /// Returns the links of a vector, expanded in `buffer` if need be.
  ONEHOP_INLINE const std::byte* open(std::ptrdiff_t vector, int turn,
                                      typename V::real* buffer) const {
    const std::byte* block = links_->blocks_of(vector) + turn * links_->block_bytes;
    if (opener_ == nullptr) return block;
    opener_(buffer, block, unit_, links_->sign(vector, turn));
    return reinterpret_cast<const std::byte*>(buffer);
  }

 private:
  const link_view* links_;
  link_opener<V> opener_;
  double unit_;
};

/// opened_links are the eight links of a vector, expanded for an entry_reader of 18 reals or, if
/// `Folded`, for a folded_reader. They are two types rather than one with a test: with branches
/// between its products, the compiler does not fuse the same products for every number of lanes.
template <class V, bool Folded = false>
class opened_links {
 public:
  static constexpr bool neighbours_lanes = false;
  using opening = link_opening<V>;
  using reader = std::conditional_t<Folded, folded_reader<V, false>, entry_reader<V, 18, false>>;

  ONEHOP_INLINE opened_links(const hop_job&, const opening& how, std::ptrdiff_t vector) {
    for (int d = 0; d < 8; ++d) link_[d] = how.open(vector, turn_of(d), buffer_[d]);
  }
  ONEHOP_INLINE reader operator[](int d) const {
    return {link_[d], reinterpret_cast<const typename V::real*>(link_[d])};
  }

 private:
  const std::byte* link_[8];
  alignas(64) typename V::real buffer_[8][18 * V::lanes];
};

}  // namespace
}  // namespace onehop
