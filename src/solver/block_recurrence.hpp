#pragma once
/// Directions that several columns search together, and their residuals.

#include "dirac/even_odd_operator.hpp"
#include "solver/field_algebra.hpp"

namespace onehop {

/// BCGrQ (Dubrulle, ETNA 12, 216 (2001); in lattice QCD Clark et al., arXiv:1710.09745) for A X =
/// B: residuals N = Q C with orthonormal Q, directions P. A is S where S is hermitian; otherwise
/// S^+ S, and N is S^+ R for residuals R of S.
///
/// Q may have fewer columns than B, those that N spans: dependent columns cost nothing, and a
/// direction that comes to depend on others is dropped.
class block_recurrence {
 public:
  /// `r` is the residual of S; both others must outlive this. Collective, as all that follows.
  block_recurrence(even_odd_operator& op, field_algebra& algebra, const lane_field& r);

  /// N is zero, as far as its numbers tell.
  bool empty() const noexcept { return p_.rhs() == 0; }

  /// x and |b - S x|^2 of all columns become the next. To be followed by turn() or restart().
  ///
  /// Of the normal equations |b - S x|^2 is what is left of it after all gains, and drowns in their
  /// rounding when they have taken most of it: gradients2 says when that may be.
  void step(lane_field& x, rhs_values& norms2);
  /// |N|^2 of all columns, after step() or restart().
  const rhs_values& gradients2() const noexcept { return gradients2_; }
  /// The next directions.
  void turn();
  /// The same from residuals of S computed anew, conjugate to the last directions.
  void restart(const lane_field& r);

 private:
  lane_field make(int columns) const {
    return op_.make_scratch(even_odd_operator::solved, columns);
  }
  /// V = A P; returns P^+ V.
  rhs_matrix apply();
  orthonormalisation orthonormalise(const rhs_matrix& products) const;
  /// Makes Q orthonormal, given what its products say; returns S: Q as it was = Q S.
  rhs_matrix make_orthonormal(const orthonormalisation& found);
  /// P = Q + P times these.
  void turn_by(const rhs_matrix& factors);
  /// y = y A
  void multiply(lane_field& y, const rhs_matrix& a);
  bool is_well_conditioned(const orthonormalisation& found) const;
  bool is_coarse() const noexcept { return op_.kernels().kind != field_precision::double_; }

  even_odd_operator& op_;
  field_algebra& algebra_;
  lane_field q_, p_, v_, half_way_;
  rhs_matrix c_;  ///< C; older than Q between step() and what follows
  rhs_values gradients2_;
  rhs_matrix inverse_;        ///< (P^+ A P)^-1
  orthonormalisation found_;  ///< of the residual directions that step() left in Q
};

}  // namespace onehop
