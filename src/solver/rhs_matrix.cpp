#include "solver/rhs_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace onehop {

rhs_matrix::rhs_matrix(int rows, int columns)
    : rows_(rows), columns_(columns), entries_(static_cast<std::size_t>(rows) * columns) {}

rhs_matrix rhs_matrix::operator*(const rhs_matrix& right) const {
  rhs_matrix result(rows_, right.columns_);
  for (int i = 0; i < rows_; ++i) {
    for (int k = 0; k < columns_; ++k) {
      for (int j = 0; j < right.columns_; ++j) result(i, j) += (*this)(i, k) * right(k, j);
    }
  }
  return result;
}

rhs_matrix rhs_matrix::operator-() const {
  rhs_matrix result = *this;
  for (number& entry : result.entries_) entry = -entry;
  return result;
}

rhs_matrix rhs_matrix::adjoint() const {
  rhs_matrix result(columns_, rows_);
  for (int i = 0; i < rows_; ++i) {
    for (int j = 0; j < columns_; ++j) result(j, i) = std::conj((*this)(i, j));
  }
  return result;
}

double rhs_matrix::rhs_norm2(int column) const {
  double sum = 0;
  for (int i = 0; i < rows_; ++i) sum += std::norm((*this)(i, column));
  return sum;
}

namespace {

/// The factor R of Y^+ Y = R^+ R grows row by row; each row belongs to the column of Y that is its
/// pivot.
class pivoted_factor {
 public:
  explicit pivoted_factor(const rhs_matrix& products)
      : products_(products), rows_(products.rows(), products.rows()), left_(products.rows()) {
    for (int j = 0; j < size(); ++j) left_[j] = products(j, j).real();
  }

  /// Takes the column with the largest relative part outside the span so far; returns false if no
  /// such part exceeds `least`.
  bool take(double least) {
    int best = -1;
    double best_part = least * least;
    for (int j = 0; j < size(); ++j) {
      const double part = left_[j] / products_(j, j).real();
      if (std::ranges::find(pivots_, j) == pivots_.end() && part > best_part) {
        best = j;
        best_part = part;
      }
    }
    if (best < 0) return false;
    least_part_ = std::min(least_part_, std::sqrt(best_part));
    add_row(best);
    return true;
  }

  orthonormalisation result() const {
    const int rank = static_cast<int>(pivots_.size());
    orthonormalisation all{rhs_matrix(size(), rank), rhs_matrix(rank, size()), least_part_};
    for (int k = 0; k < rank; ++k) {
      for (int j = 0; j < size(); ++j) all.back(k, j) = rows_(k, j);
    }
    // This is column k of the inverse of R's triangle at the pivots.
    for (int k = 0; k < rank; ++k) {
      all.make(pivots_[k], k) = 1.0 / rows_(k, pivots_[k]);
      for (int i = k - 1; i >= 0; --i) {
        std::complex<double> sum = 0;
        for (int l = i + 1; l <= k; ++l) sum += rows_(i, pivots_[l]) * all.make(pivots_[l], k);
        all.make(pivots_[i], k) = -sum / rows_(i, pivots_[i]);
      }
    }
    return all;
  }

 private:
  int size() const { return products_.rows(); }

  void add_row(int pivot) {
    const int row = static_cast<int>(pivots_.size());
    const double root = std::sqrt(left_[pivot]);
    for (int j = 0; j < size(); ++j) {
      if (std::ranges::find(pivots_, j) != pivots_.end()) continue;
      std::complex<double> sum = products_(pivot, j);
      for (int k = 0; k < row; ++k) sum -= std::conj(rows_(k, pivot)) * rows_(k, j);
      rows_(row, j) = j == pivot ? root : sum / root;
      left_[j] -= std::norm(rows_(row, j));
    }
    pivots_.push_back(pivot);
  }

  const rhs_matrix& products_;
  rhs_matrix rows_;
  std::vector<double> left_;  ///< norm of each column outside of the span of the pivots
  std::vector<int> pivots_;
  double least_part_ = 1;
};

}  // namespace

orthonormalisation orthonormalise(const rhs_matrix& products, double least) {
  pivoted_factor factor(products);
  while (factor.take(least)) {
  }
  return factor.result();
}

}  // namespace onehop
