#pragma once
/// A rhs_matrix is a small dense matrix that multiplies the columns of a field, or holds their
/// inner products.

#include <complex>
#include <vector>

namespace onehop {

class rhs_matrix {
 public:
  using number = std::complex<double>;

  /// All entries are zero initially.
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
  /// This is the smallest part of a column of Y, by norm, that the columns before it do not span,
  /// among the columns taken.
  double least_part = 1;

  int rank() const noexcept { return make.columns(); }
};

/// Orthonormalises by a Cholesky factorisation of the inner products Y^+ Y with diagonal pivots
/// (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 10.3). A column is left
/// out if the part that earlier columns do not span is, by norm, at most `least` of it: it is
/// dependent, as far as the products can tell.
orthonormalisation orthonormalise(const rhs_matrix& products, double least);

}  // namespace onehop
