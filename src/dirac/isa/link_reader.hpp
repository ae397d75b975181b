#pragma once
/// A Wilson hop uses these readers to read links directly from where they are stored.
///
/// A reader first prepares links in fewer reals (`make`), all links of a vector together, so that
/// none waits for another. It changes the face if necessary (`prepare`), and then gives the product
/// of the link, or its adjoint, with all its triplets row by row. Entries of 16-bit links are in
/// units of `link_unit`; a hop multiplies its sums by that unit instead.

#include "dirac/isa/block.hpp"
#include "dirac/isa/expand_link.hpp"
#include "dirac/isa/multiply_link.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// stored_reals are the reals in which a link is stored, or integers that represent them.
template <class V, bool Fixed>
struct stored_reals {
  const std::byte* block;
  static constexpr std::size_t bytes = V::lanes * (Fixed ? 2 : sizeof(typename V::real));

  ONEHOP_INLINE V operator[](int k) const {
    using real = typename V::real;
    if constexpr (Fixed) {
      return load_shorts<V>(reinterpret_cast<const std::int16_t*>(block) + k * V::lanes);
    } else {
      return V::load(reinterpret_cast<const real*>(block) + k * V::lanes);
    }
  }
  /// Returns real k of a link whose reals are at most 1.
  ONEHOP_INLINE V scaled(int k) const {
    if constexpr (Fixed) return (*this)[k] * V::broadcast(1 / fixed_one);
    return (*this)[k];
  }
};

template <class V>
ONEHOP_INLINE V load_signs(const void* signs) {
  return V::load_unaligned(static_cast<const typename V::real*>(signs));
}

/// Returns a third of the lines that a link of `bytes` bytes takes.
constexpr int third_of_lines(std::size_t bytes) {
  constexpr std::size_t three_lines = 3 * 64;
  return static_cast<int>((bytes + three_lines - 1) / three_lines);
}

/// An entry_reader is for 18 or 12 reals. The third row of 12 is computed beforehand; the others
/// are read in place.
template <class V, int Reals, bool Fixed>
class entry_reader {
 public:
  static constexpr std::ptrdiff_t block_bytes = Reals * stored_reals<V, Fixed>::bytes;
  static constexpr int lines_a_row = third_of_lines(block_bytes);
  static constexpr int made_reals = Reals == 12 ? 6 : 0;

  ONEHOP_INLINE static void make(typename V::real* made, const std::byte* block,
                                 const void* signs) {
    const V sign = load_signs<V>(signs);
    const auto u = [block](int entry) { return stored(block, entry); };
    const complex_simd<V> third[3] = {cross(u(1), u(5), u(2), u(4)), cross(u(2), u(3), u(0), u(5)),
                                      cross(u(0), u(4), u(1), u(3))};
    for (int k = 0; k < 3; ++k) {
      // Products of two entries are in the square of an entry's unit.
      const auto entry = Fixed ? scaled(V::broadcast(1 / fixed_one), third[k]) : third[k];
      complex_simd<V>{times_sign(entry.re, sign), times_sign(entry.im, sign)}.store(
          made + 2 * k * V::lanes);
    }
  }
  ONEHOP_INLINE entry_reader(const std::byte* block, const typename V::real* made)
      : block_(block), made_(made) {}

  template <bool Adjoint, int Triplets>
  ONEHOP_INLINE void prepare(complex_simd<V>*) const {}
  template <bool Adjoint, int Triplets>
  ONEHOP_INLINE void multiply(complex_simd<V>* product, const complex_simd<V>* face,
                              int row) const {
    multiply_row<Adjoint, Triplets>(product, face, *this, row);
  }
  template <bool Adjoint>
  ONEHOP_INLINE void multiply_triplet(complex_simd<V>* product,
                                      const complex_simd<V>* triplet) const {
    multiply_rows<Adjoint>(product, triplet, *this);
  }
  ONEHOP_INLINE complex_simd<V> operator()(int entry) const {
    if (Reals == 12 && entry >= 6) {
      return complex_simd<V>::load(made_ + 2 * (entry - 6) * V::lanes);
    }
    return stored(block_, entry);
  }

 private:
  ONEHOP_INLINE static complex_simd<V> stored(const std::byte* block, int entry) {
    const stored_reals<V, Fixed> reals{block};
    return {reals[2 * entry], reals[2 * entry + 1]};
  }

  const std::byte* block_;
  const typename V::real* made_;
};

/// A folded_reader is for eight reals: it transforms the face as a whole, using what was computed
/// from the reals beforehand.
template <class V, bool Fixed>
class folded_reader {
 public:
  static constexpr std::ptrdiff_t block_bytes = 8 * stored_reals<V, Fixed>::bytes;
  static constexpr int lines_a_row = third_of_lines(block_bytes);
  static constexpr int made_reals = folded_link<V>::reals;

  ONEHOP_INLINE static void make(typename V::real* made, const std::byte* block,
                                 const void* signs) {
    const stored_reals<V, Fixed> from{block};
    V stored[8];
    for (int k = 0; k < 8; ++k) stored[k] = from.scaled(k);
    folded_link<V>(stored, load_signs<V>(signs)).store(made);
  }
  ONEHOP_INLINE folded_reader(const std::byte*, const typename V::real* made) : made_(made) {}

  template <bool Adjoint, int Triplets>
  ONEHOP_INLINE void prepare(complex_simd<V>* face) const {
    const folded_link<V> link(made_);
    for (int s = 0; s < Triplets; ++s) link.template multiply<Adjoint>(face + 3 * s);
  }
  template <bool Adjoint, int Triplets>
  ONEHOP_INLINE void multiply(complex_simd<V>* product, const complex_simd<V>* face,
                              int row) const {
    for (int s = 0; s < Triplets; ++s) product[s] = face[3 * s + row];
  }
  template <bool Adjoint>
  ONEHOP_INLINE void multiply_triplet(complex_simd<V>* product,
                                      const complex_simd<V>* triplet) const {
    for (int row = 0; row < 3; ++row) product[row] = triplet[row];
  }

 private:
  const typename V::real* made_;
};

/// Returns the unit of the entries that a reader gives.
inline double link_unit(const link_view& links) {
  return links.fixed && links.recon != 8 ? links.scale / 32767 : 1.0;
}

}  // namespace
}  // namespace onehop
