#pragma once
/// A spin_matrix is a product of gamma matrices in the DeGrand-Rossi basis.

#include <array>
#include <complex>

namespace onehop {

/// A spin_matrix has one entry per row, like every product of gamma matrices.
struct spin_matrix {
  std::array<int, 4> column{0, 1, 2, 3};
  std::array<std::complex<double>, 4> entry{1, 1, 1, 1};
};

inline spin_matrix operator*(const spin_matrix& a, const spin_matrix& b) {
  spin_matrix product;
  for (int row = 0; row < 4; ++row) {
    product.column[row] = b.column[a.column[row]];
    product.entry[row] = a.entry[row] * b.entry[a.column[row]];
  }
  return product;
}

/// Returns g_x, g_y, g_z, g_t.
inline const std::array<spin_matrix, 4>& gammas() {
  constexpr std::complex<double> j{0, 1};
  static const std::array<spin_matrix, 4> all = {{{{3, 2, 1, 0}, {j, j, -j, -j}},
                                                  {{3, 2, 1, 0}, {-1, 1, 1, -1}},
                                                  {{2, 3, 0, 1}, {j, -j, -j, j}},
                                                  {{2, 3, 0, 1}, {1, 1, 1, 1}}}};
  return all;
}

inline const spin_matrix& gamma5() {
  static const spin_matrix matrix{{0, 1, 2, 3}, {1, 1, -1, -1}};
  return matrix;
}

}  // namespace onehop
