#pragma once
/// Linear algebra on whole fields, and the per-site numbers that sums over the lattice start from.

#include "dirac/isa/block.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// Most components of a site.
constexpr int most_components = 12;

/// A block at a time: `count` reals of each lane, opened where they are stored compressed.
template <class V, bool Fixed>
class cursor {
 public:
  using real = typename V::real;

  ONEHOP_INLINE cursor(const std::byte* field, int components)
      : field_(field), count_(2 * components) {}

  ONEHOP_INLINE const real* read(std::size_t block) {
    if constexpr (Fixed) {
      open_fixed<V>(buffer_, field_ + block * bytes(), count_);
      return buffer_;
    } else {
      return reinterpret_cast<const real*>(field_ + block * bytes());
    }
  }
  /// Where to write the block, which `written` then closes.
  ONEHOP_INLINE real* write(std::byte* field, std::size_t block) {
    if constexpr (Fixed) {
      return buffer_;
    } else {
      return reinterpret_cast<real*>(field + block * bytes());
    }
  }
  ONEHOP_INLINE void written(std::byte* field, std::size_t block) {
    if constexpr (Fixed) close_fixed<V>(field + block * bytes(), buffer_, count_);
  }

 private:
  ONEHOP_INLINE std::size_t bytes() const {
    return block_bytes(Fixed               ? storage::fixed16
                       : sizeof(real) == 8 ? storage::real64
                                           : storage::real32,
                       count_, V::lanes);
  }

  const std::byte* field_;
  int count_;
  alignas(64) real buffer_[Fixed ? 2 * most_components * V::lanes : 1];
};

/// y = combine(y, x), complex number by complex number.
template <class V, bool Fixed, class Combine>
ONEHOP_INLINE void combine_fields(const field_job& job, const Combine& combine) {
  cursor<V, Fixed> x(job.x, job.components);
  cursor<V, Fixed> y(job.y, job.components);
  for (std::size_t k = 0; k < job.blocks; ++k) {
    const auto* from = x.read(k);
    const auto* old = y.read(k);
    auto* to = y.write(job.y, k);
    for (int c = 0; c < job.components; ++c) {
      const int at = c * 2 * V::lanes;
      combine(complex_simd<V>::load(old + at), complex_simd<V>::load(from + at)).store(to + at);
    }
    y.written(job.y, k);
  }
}

template <class V>
ONEHOP_INLINE V broadcast_double(double a) {
  return V::broadcast(static_cast<typename V::real>(a));
}

template <class V, bool Fixed>
void axpy(const field_job& job) {
  const V a = broadcast_double<V>(job.a_re);
  combine_fields<V, Fixed>(job, [a](complex_simd<V> y, complex_simd<V> x) {
    return complex_simd<V>{y.re + a * x.re, y.im + a * x.im};
  });
}

template <class V, bool Fixed>
void xpay(const field_job& job) {
  const V a = broadcast_double<V>(job.a_re);
  combine_fields<V, Fixed>(job, [a](complex_simd<V> y, complex_simd<V> x) {
    return complex_simd<V>{x.re + a * y.re, x.im + a * y.im};
  });
}

template <class V, bool Fixed>
void complex_axpy(const field_job& job) {
  const complex_simd<V> a{broadcast_double<V>(job.a_re), broadcast_double<V>(job.a_im)};
  combine_fields<V, Fixed>(
      job, [a](complex_simd<V> y, complex_simd<V> x) { return multiply_add(y, a, x); });
}

template <class V, bool Fixed>
void complex_xpay(const field_job& job) {
  const complex_simd<V> a{broadcast_double<V>(job.a_re), broadcast_double<V>(job.a_im)};
  combine_fields<V, Fixed>(
      job, [a](complex_simd<V> y, complex_simd<V> x) { return multiply_add(x, a, y); });
}

template <class V>
ONEHOP_INLINE V block_norm(const typename V::real* x, int components) {
  V sum = V::zero();
  for (int c = 0; c < components; ++c, x += 2 * V::lanes) {
    const auto value = complex_simd<V>::load(x);
    sum = sum + value.re * value.re;
    sum = sum + value.im * value.im;
  }
  return sum;
}

template <class V, bool Fixed>
void site_norms(const field_job& job) {
  cursor<V, Fixed> x(job.x, job.components);
  for (std::size_t k = 0; k < job.blocks; ++k) {
    store_doubles(block_norm<V>(x.read(k), job.components), job.re + k * V::lanes);
  }
}

template <class V, bool Fixed>
void site_dots(const field_job& job) {
  cursor<V, Fixed> x(job.x, job.components);
  cursor<V, Fixed> w(job.w, job.components);
  for (std::size_t k = 0; k < job.blocks; ++k) {
    const auto* left = x.read(k);
    const auto* right = w.read(k);
    auto sum = complex_simd<V>::zero();
    for (int c = 0; c < job.components; ++c) {
      const int at = c * 2 * V::lanes;
      sum = conjugate_multiply_add(sum, complex_simd<V>::load(left + at),
                                   complex_simd<V>::load(right + at));
    }
    store_doubles(sum.re, job.re + k * V::lanes);
    store_doubles(sum.im, job.im + k * V::lanes);
  }
}

template <class V, bool Fixed>
void cg_update(const field_job& job) {
  const V a = broadcast_double<V>(job.a_re);
  cursor<V, Fixed> x(job.x, job.components);
  cursor<V, Fixed> y(job.y, job.components);
  cursor<V, Fixed> z(job.z, job.components);
  cursor<V, Fixed> w(job.w, job.components);
  for (std::size_t k = 0; k < job.blocks; ++k) {
    const auto* direction = x.read(k);
    const auto* old_y = y.read(k);
    const auto* image = w.read(k);
    const auto* old_z = z.read(k);
    auto* new_y = y.write(job.y, k);
    auto* new_z = z.write(job.z, k);
    for (int c = 0; c < 2 * job.components; ++c) {
      const int at = c * V::lanes;
      (V::load(old_y + at) + a * V::load(direction + at)).store(new_y + at);
      (V::load(old_z + at) - a * V::load(image + at)).store(new_z + at);
    }
    y.written(job.y, k);
    z.written(job.z, k);
    store_doubles(block_norm<V>(new_z, job.components), job.re + k * V::lanes);
  }
}

}  // namespace
}  // namespace onehop
