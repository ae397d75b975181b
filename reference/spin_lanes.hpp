#pragma once
/// spin_lanes hold a spinor with its four spins side by side, which a compiler turns into vectors:
/// links and fields in space do the same to every spin.

#include "colour.hpp"
#include "gamma.hpp"

#include <cstring>

namespace onehop::reference {

// The alignment is that of a double, since a field of spins may lie anywhere.
typedef double spins __attribute__((vector_size(32), aligned(8)));
typedef long long spin_numbers __attribute__((vector_size(32)));

/// Entries are ordered by colour.
struct spin_lanes {
  spins re[3], im[3];

  /// These load and store canonical order: spin, then colour.
  void load(const complex* spinor) {
    for (int a = 0; a < 3; ++a) {
      const complex &p = spinor[a], &q = spinor[3 + a], &r = spinor[6 + a], &s = spinor[9 + a];
      const double real[] = {p.real(), q.real(), r.real(), s.real()};
      const double imag[] = {p.imag(), q.imag(), r.imag(), s.imag()};
      std::memcpy(&re[a], real, sizeof(spins));
      std::memcpy(&im[a], imag, sizeof(spins));
    }
  }
  void store(complex* spinor) const {
    for (int s = 0; s < 4; ++s) {
      for (int a = 0; a < 3; ++a) spinor[3 * s + a] = {re[a][s], im[a][s]};
    }
  }
};

/// spin_rows are a matrix with one entry in each row, times a number.
struct spin_rows {
  spin_numbers column;
  spins re, im;

  spin_rows(const spin_matrix& matrix, const complex& factor) : column{}, re{}, im{} {
    for (int s = 0; s < 4; ++s) {
      for (int r = 0; r < 4; ++r) {
        if (matrix[s][r] == 0.0) continue;
        const complex entry = factor * matrix[s][r];
        column[s] = r;
        re[s] = entry.real();
        im[s] = entry.imag();
      }
    }
  }
};

/// Returns a diagonal matrix: `upper` where gamma_5 is 1, its conjugate where it is -1.
inline spin_rows diagonal_rows(const complex& upper) {
  spin_matrix matrix{};
  for (int s = 0; s < 4; ++s) matrix[s][s] = gamma5(s) > 0 ? upper : std::conj(upper);
  return {matrix, 1.0};
}

/// Lane s becomes lane source[s].
[[gnu::always_inline]] inline void shuffle(spins& to, const spins& from,
                                           const spin_numbers& source) {
#if defined(__clang__)
  for (int s = 0; s < 4; ++s) to[s] = from[source[s]];
#else
  to = __builtin_shuffle(from, source);
#endif
}

#if defined(__x86_64__)
template <class Work>
[[gnu::target("avx2")]] void run_by_avx2(const Work& work) {
  work();
}
#endif

/// Runs work(), by wider vectors where the machine has them. The work must be always_inline.
template <class Work>
void run_by_vectors(const Work& work) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return run_by_avx2(work);
#endif
  work();
}

/// Sets moved = u psi, or u^+ psi.
[[gnu::always_inline]] inline void turn_colour(spin_lanes& moved, const colour_matrix& u,
                                               bool adjoint, const spin_lanes& psi) {
  for (int a = 0; a < 3; ++a) {
    moved.re[a] = moved.im[a] = spins{};
    for (int b = 0; b < 3; ++b) {
      const complex& entry = adjoint ? u[3 * b + a] : u[3 * a + b];
      const double re = entry.real(), im = entry.imag();
      if (adjoint) {
        moved.re[a] += re * psi.re[b] + im * psi.im[b];
        moved.im[a] += re * psi.im[b] - im * psi.re[b];
      } else {
        moved.re[a] += re * psi.re[b] - im * psi.im[b];
        moved.im[a] += re * psi.im[b] + im * psi.re[b];
      }
    }
  }
}

/// Adds sum += rows psi.
[[gnu::always_inline]] inline void add_turned_spin(spin_lanes& sum, const spin_rows& rows,
                                                   const spin_lanes& psi) {
  for (int a = 0; a < 3; ++a) {
    spins re, im;
    shuffle(re, psi.re[a], rows.column);
    shuffle(im, psi.im[a], rows.column);
    sum.re[a] += rows.re * re - rows.im * im;
    sum.im[a] += rows.re * im + rows.im * re;
  }
}

/// Adds sum += factor psi.
[[gnu::always_inline]] inline void add(spin_lanes& sum, double factor, const spin_lanes& psi) {
  for (int a = 0; a < 3; ++a) {
    sum.re[a] += factor * psi.re[a];
    sum.im[a] += factor * psi.im[a];
  }
}

}  // namespace onehop::reference
