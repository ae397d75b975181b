#pragma once
/// The gamma matrices are written out in the DeGrand-Rossi basis.

#include <array>
#include <complex>

namespace onehop::reference {

using spin_matrix = std::array<std::array<std::complex<double>, 4>, 4>;

inline const spin_matrix& gamma(int mu) {
  constexpr std::complex<double> o(0, 0), e(1, 0), i(0, 1);
  static const std::array<spin_matrix, 4> matrices = {{
      {{{o, o, o, i}, {o, o, i, o}, {o, -i, o, o}, {-i, o, o, o}}},
      {{{o, o, o, -e}, {o, o, e, o}, {o, e, o, o}, {-e, o, o, o}}},
      {{{o, o, i, o}, {o, o, o, -i}, {-i, o, o, o}, {o, i, o, o}}},
      {{{o, o, e, o}, {o, o, o, e}, {e, o, o, o}, {o, e, o, o}}},
  }};
  return matrices[mu];
}

/// gamma_5 = diag(1, 1, -1, -1)
inline double gamma5(int spin) { return spin < 2 ? 1.0 : -1.0; }

}  // namespace onehop::reference
