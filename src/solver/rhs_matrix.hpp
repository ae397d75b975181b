#pragma once
/// A rhs_matrix is a small dense matrix: columns of a field are multiplied by it, and their inner
/// products are one.

#include <complex>
#include <vector>

namespace onehop {

class rhs_matrix {
 public:
  using number = std::complex<double>;

  /// All entries are zero at first.
  rhs_matrix(int rows, int columns);

  int rows() const noexcept { return rows_; }
  int columns() const noexcept { return columns_; }
  number& operator()(int row, int column) { return entries_[row * columns_ + column]; }
  const number& operator()(int row, int column) const { return entries_[row * columns_ + column]; }
  /// The layout is [row][column][re, im].
  const double* data() const noexcept { return reinterpret_cast<const double*>(entries_.data()); }

  rhs_matrix operator*(const rhs_matrix& right) const;
  rhs_matrix operator-() const;
  rhs_matrix adjoint() const;
  /// Returns |column|^2.
  double rhs_norm2(int column) const;

 private:
  int rows_, columns_;
  std::vector<number> entries_;
};

/// An orthonormalisation says how to make columns Y orthonormal: Q = Y `make`, and Y = Q `back` up
/// to what was left out.
struct orthonormalisation {
  rhs_matrix make, back;
  /// This is the least part of a column of Y, by norm, that the columns before it do not span,
  /// among those taken.
  double least_part = 1;

  int rank() const noexcept { return make.columns(); }
};

/// Orthonormalises by a Cholesky factorisation of the inner products Y^+ Y with diagonal pivots
/// (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 10.3). Columns whose
/// part, by norm, that those taken before do not span is at most `least` of them are left out: they
/// are dependent, as far as the products can tell.
orthonormalisation orthonormalise(const rhs_matrix& products, double least);

}  // namespace onehop
