#pragma once
/// These kernels do linear algebra on whole fields, and compute the per-site numbers from which
/// sums over the lattice start.

#include "dirac/isa/block.hpp"
#include "dirac/kernel_table.hpp"

namespace onehop {
namespace {

/// A site has at most this many components.
constexpr int most_components = 12;

/// opened_fields holds the blocks of some fields at one place, converted if they are stored in half
/// precision.
template <class V, bool Fixed, int Outs, int Ins>
struct opened_fields {
  using real = typename V::real;
  static constexpr field_precision kind = Fixed               ? field_precision::half
                                          : sizeof(real) == 8 ? field_precision::double_
                                                              : field_precision::single;

  real* out[Outs > 0 ? Outs : 1];
  const real* in[Ins > 0 ? Ins : 1];
  alignas(64) real buffer[Outs + Ins][Fixed ? 2 * most_components * V::lanes : 1];

  ONEHOP_INLINE void open(const field_job& job, std::size_t block) {
    const int count = 2 * job.components;
    const std::size_t at = block * block_bytes(kind, count, V::lanes);
    for (int k = 0; k < Outs; ++k) {
      if constexpr (Fixed) {
        open_fixed<V>(buffer[k], job.out[k] + at, count);
        out[k] = buffer[k];
      } else {
        out[k] = reinterpret_cast<real*>(job.out[k] + at);
      }
    }
    for (int k = 0; k < Ins; ++k) {
      if constexpr (Fixed) {
        open_fixed<V>(buffer[Outs + k], job.in[k] + at, count);
        in[k] = buffer[Outs + k];
      } else {
        in[k] = reinterpret_cast<const real*>(job.in[k] + at);
      }
    }
  }
  ONEHOP_INLINE void close(const field_job& job, std::size_t block) {
    if constexpr (Fixed) {
      const int count = 2 * job.components;
      const std::size_t at = block * block_bytes(kind, count, V::lanes);
      for (int k = 0; k < Outs; ++k) close_fixed<V>(job.out[k] + at, buffer[k], count);
    }
  }
};

/// A place_in_fields is the data that one block of a kernel works with.
template <class V>
struct place_in_fields {
  const field_job& job;
  std::size_t block;
  int n;

  /// Returns factor k of this right-hand side; complex factors have an imaginary part 1.
  ONEHOP_INLINE V factor(int k, int part = 0) const {
    const double* factors = job.factors[k] + std::ptrdiff_t{n} * job.factor_step;
    return V::broadcast(static_cast<typename V::real>(factors[part]));
  }
  ONEHOP_INLINE complex_simd<V> complex_factor(int k) const { return {factor(k), factor(k, 1)}; }
  ONEHOP_INLINE void leave(int k, V sum) const {
    store_doubles(sum, job.sums[k] + block * V::lanes);
  }
  ONEHOP_INLINE void leave(int k, complex_simd<V> sum) const {
    leave(k, sum.re);
    leave(k + 1, sum.im);
  }
};

/// Calls work(place, fields) for every block.
template <class V, bool Fixed, int Outs, int Ins, class Work>
ONEHOP_INLINE void for_each_block(const field_job& job, const Work& work) {
  opened_fields<V, Fixed, Outs, Ins> fields;
  std::size_t block = 0;
  for (std::size_t vector = 0; vector < job.vectors; ++vector) {
    for (int n = 0; n < job.rhs; ++n, ++block) {
      fields.open(job, block);
      work(place_in_fields<V>{job, block, n}, fields);
      fields.close(job, block);
    }
  }
}

/// Returns complex number c of a block.
template <class V>
ONEHOP_INLINE complex_simd<V> number(const typename V::real* block, int c) {
  return complex_simd<V>::load(block + c * 2 * V::lanes);
}
template <class V>
ONEHOP_INLINE void set_number(typename V::real* block, int c, complex_simd<V> value) {
  value.store(block + c * 2 * V::lanes);
}
/// Returns a + f b for a real f.
template <class V>
ONEHOP_INLINE complex_simd<V> add_multiple(complex_simd<V> a, V f, complex_simd<V> b) {
  return {a.re + f * b.re, a.im + f * b.im};
}
template <class V>
ONEHOP_INLINE complex_simd<V> subtract_multiple(complex_simd<V> a, V f, complex_simd<V> b) {
  return {a.re - f * b.re, a.im - f * b.im};
}
template <class V>
ONEHOP_INLINE complex_simd<V> minus(complex_simd<V> a) {
  return {V::zero() - a.re, V::zero() - a.im};
}
template <class V>
ONEHOP_INLINE V add_norm(V sum, complex_simd<V> a) {
  sum = sum + a.re * a.re;
  return sum + a.im * a.im;
}

template <class V, bool Fixed>
void axpy(const field_job& job) {
  for_each_block<V, Fixed, 1, 1>(job, [&job](const auto& at, auto& f) {
    const V a = at.factor(0);
    for (int c = 0; c < job.components; ++c) {
      set_number<V>(f.out[0], c, add_multiple<V>(number<V>(f.out[0], c), a, number<V>(f.in[0], c)));
    }
  });
}

template <class V, bool Fixed>
void xpay(const field_job& job) {
  for_each_block<V, Fixed, 1, 1>(job, [&job](const auto& at, auto& f) {
    const V a = at.factor(0);
    for (int c = 0; c < job.components; ++c) {
      set_number<V>(f.out[0], c, add_multiple<V>(number<V>(f.in[0], c), a, number<V>(f.out[0], c)));
    }
  });
}

template <class V, bool Fixed>
void complex_axpy(const field_job& job) {
  for_each_block<V, Fixed, 1, 1>(job, [&job](const auto& at, auto& f) {
    const complex_simd<V> a = at.complex_factor(0);
    for (int c = 0; c < job.components; ++c) {
      set_number<V>(f.out[0], c, multiply_add<V>(number<V>(f.out[0], c), a, number<V>(f.in[0], c)));
    }
  });
}

template <class V, bool Fixed>
void site_norms(const field_job& job) {
  for_each_block<V, Fixed, 0, 1>(job, [&job](const auto& at, auto& f) {
    V sum = V::zero();
    for (int c = 0; c < job.components; ++c) sum = add_norm<V>(sum, number<V>(f.in[0], c));
    at.leave(0, sum);
  });
}

template <class V, bool Fixed>
void site_dots(const field_job& job) {
  for_each_block<V, Fixed, 0, 2>(job, [&job](const auto& at, auto& f) {
    auto sum = complex_simd<V>::zero();
    for (int c = 0; c < job.components; ++c) {
      sum = conjugate_multiply_add<V>(sum, number<V>(f.in[0], c), number<V>(f.in[1], c));
    }
    at.leave(0, sum);
  });
}

template <class V, bool Fixed>
void site_two_dots(const field_job& job) {
  for_each_block<V, Fixed, 0, 3>(job, [&job](const auto& at, auto& f) {
    auto first = complex_simd<V>::zero();
    auto second = complex_simd<V>::zero();
    for (int c = 0; c < job.components; ++c) {
      const auto common = number<V>(f.in[0], c);
      first = conjugate_multiply_add<V>(first, common, number<V>(f.in[1], c));
      second = conjugate_multiply_add<V>(second, number<V>(f.in[2], c), common);
    }
    at.leave(0, first);
    at.leave(2, second);
  });
}

template <class V, bool Fixed>
void residual_step(const field_job& job) {
  for_each_block<V, Fixed, 1, 1>(job, [&job](const auto& at, auto& f) {
    const V a = at.factor(0);
    V norm = V::zero();
    for (int c = 0; c < job.components; ++c) {
      const auto r = subtract_multiple<V>(number<V>(f.out[0], c), a, number<V>(f.in[0], c));
      set_number<V>(f.out[0], c, r);
      norm = add_norm<V>(norm, r);
    }
    at.leave(0, norm);
  });
}

template <class V, bool Fixed>
void direction_step(const field_job& job) {
  for_each_block<V, Fixed, 2, 1>(job, [&job](const auto& at, auto& f) {
    const V a = at.factor(0);
    const V b = at.factor(1);
    for (int c = 0; c < job.components; ++c) {
      const auto p = number<V>(f.out[1], c);
      set_number<V>(f.out[0], c, add_multiple<V>(number<V>(f.out[0], c), a, p));
      set_number<V>(f.out[1], c, add_multiple<V>(number<V>(f.in[0], c), b, p));
    }
  });
}

template <class V, bool Fixed>
void shifted_step(const field_job& job) {
  for_each_block<V, Fixed, 2, 1>(job, [&job](const auto& at, auto& f) {
    const V a = at.factor(0);
    const V b = at.factor(1);
    const V scale = at.factor(2);
    for (int c = 0; c < job.components; ++c) {
      const auto p = number<V>(f.out[1], c);
      const auto r = number<V>(f.in[0], c);
      set_number<V>(f.out[0], c, add_multiple<V>(number<V>(f.out[0], c), a, p));
      set_number<V>(f.out[1], c, add_multiple<V>({scale * p.re, scale * p.im}, b, r));
    }
  });
}

template <class V, bool Fixed>
void pipelined_step(const field_job& job) {
  for_each_block<V, Fixed, 6, 1>(job, [&job](const auto& at, auto& f) {
    const V a = at.factor(0);
    const V b = at.factor(1);
    V norm = V::zero();
    V dot = V::zero();
    for (int c = 0; c < job.components; ++c) {
      const auto [x, p, r, s, w, z] = f.out;
      const auto new_z = add_multiple<V>(number<V>(f.in[0], c), b, number<V>(z, c));
      const auto new_s = add_multiple<V>(number<V>(w, c), b, number<V>(s, c));
      const auto new_p = add_multiple<V>(number<V>(r, c), b, number<V>(p, c));
      const auto new_r = subtract_multiple<V>(number<V>(r, c), a, new_s);
      const auto new_w = subtract_multiple<V>(number<V>(w, c), a, new_z);
      set_number<V>(x, c, add_multiple<V>(number<V>(x, c), a, new_p));
      set_number<V>(p, c, new_p);
      set_number<V>(r, c, new_r);
      set_number<V>(s, c, new_s);
      set_number<V>(w, c, new_w);
      set_number<V>(z, c, new_z);
      norm = add_norm<V>(norm, new_r);
      dot = dot + new_r.re * new_w.re;
      dot = dot + new_r.im * new_w.im;
    }
    at.leave(0, norm);
    at.leave(1, dot);
  });
}

template <class V, bool Fixed>
void half_step(const field_job& job) {
  for_each_block<V, Fixed, 1, 2>(job, [&job](const auto& at, auto& f) {
    const complex_simd<V> a = minus<V>(at.complex_factor(0));
    V norm = V::zero();
    auto dot = complex_simd<V>::zero();
    for (int c = 0; c < job.components; ++c) {
      const auto s = multiply_add<V>(number<V>(f.out[0], c), a, number<V>(f.in[0], c));
      set_number<V>(f.out[0], c, s);
      norm = add_norm<V>(norm, s);
      dot = conjugate_multiply_add<V>(dot, number<V>(f.in[1], c), s);
    }
    at.leave(0, norm);
    at.leave(1, dot);
  });
}

template <class V, bool Fixed>
void stabilised_step(const field_job& job) {
  for_each_block<V, Fixed, 3, 2>(job, [&job](const auto& at, auto& f) {
    const complex_simd<V> a = at.complex_factor(0);
    const complex_simd<V> b = at.complex_factor(1);
    const complex_simd<V> minus_b = minus<V>(b);
    const complex_simd<V> beta = at.complex_factor(2);
    for (int c = 0; c < job.components; ++c) {
      const auto [x, r, p] = f.out;
      const auto old_r = number<V>(r, c);
      const auto old_p = number<V>(p, c);
      set_number<V>(x, c, multiply_add<V>(multiply_add<V>(number<V>(x, c), a, old_p), b, old_r));
      const auto new_r = multiply_add<V>(old_r, minus_b, number<V>(f.in[0], c));
      set_number<V>(r, c, new_r);
      const auto freed = multiply_add<V>(old_p, minus_b, number<V>(f.in[1], c));
      set_number<V>(p, c, multiply_add<V>(new_r, beta, freed));
    }
  });
}

}  // namespace
}  // namespace onehop
