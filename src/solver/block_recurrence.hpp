#pragma once
/// A block_recurrence holds the directions that several right-hand sides search together, and their
/// residuals.

#include "dirac/even_odd_operator.hpp"
#include "solver/field_algebra.hpp"

namespace onehop {

/// This is BCGrQ (Dubrulle, ETNA 12, 216 (2001); in lattice QCD Clark et al., arXiv:1710.09745) for
/// A X = B, with residuals N = Q C, orthonormal Q, and directions P. A is S if S is hermitian;
/// otherwise it is S^+ S, and N is S^+ R for residuals R of S.
///
/// Q has as many columns as N spans, possibly fewer than B: dependent columns cost nothing, and a
/// direction that becomes dependent on others is dropped.
class block_recurrence {
 public:
  /// The constructor is collective, like all functions that follow. `r` is the residual of S; the
  /// operator and the algebra must outlive the recurrence.
  block_recurrence(even_odd_operator& op, field_algebra& algebra, const lane_field& r);

  /// Returns whether N is zero to working accuracy.
  bool empty() const noexcept { return p_.rhs() == 0; }

  /// Advances x and |b - S x|^2 of all columns by a step; update_directions() or restart() must
  /// follow.
  ///
  /// For the normal equations |b - S x|^2 is computed by subtracting all gains. It is lost in their
  /// rounding once they have taken most of it; gradients2 shows when that may be so.
  void step(lane_field& x, rhs_values& norms2);
  /// Returns |N|^2 of all columns, after step() or restart().
  const rhs_values& gradients2() const noexcept { return gradients2_; }
  /// Computes the directions of the next step.
  void update_directions();
  /// Makes directions, conjugate to the last ones, from recomputed residuals of S.
  void restart(const lane_field& r);

 private:
  lane_field make(int columns) const {
    return op_.make_scratch(even_odd_operator::solved, columns);
  }
  /// Sets V = A P and returns P^+ V.
  rhs_matrix apply();
  orthonormalisation orthonormalise(const rhs_matrix& products) const;
  /// Makes Q orthonormal, using its inner products; returns S such that the old Q equals Q S.
  rhs_matrix make_orthonormal(const orthonormalisation& found);
  /// Sets P to Q + P times these factors.
  void update_directions_by(const rhs_matrix& factors);
  /// Sets y = y A.
  void multiply(lane_field& y, const rhs_matrix& a);
  bool is_well_conditioned(const orthonormalisation& found) const;
  bool is_coarse() const noexcept { return op_.kernels().kind != field_precision::double_; }

  even_odd_operator& op_;
  field_algebra& algebra_;
  lane_field q_, p_, v_, half_way_;
  rhs_matrix c_;  ///< the matrix C; lags behind Q between step() and its successor
  rhs_values gradients2_;
  rhs_matrix inverse_;        ///< (P^+ A P)^-1
  orthonormalisation found_;  ///< factors of the residual directions that step() left in Q
};

}  // namespace onehop
