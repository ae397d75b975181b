#include "solver/block_recurrence.hpp"

#include <algorithm>
#include <utility>

namespace onehop {
namespace {

rhs_values rhs_norms2(const rhs_matrix& a) {
  rhs_values norms2;
  for (int k = 0; k < a.columns(); ++k) norms2.push_back(a.rhs_norm2(k));
  return norms2;
}

}  // namespace

block_recurrence::block_recurrence(even_odd_operator& op, field_algebra& algebra,
                                   const lane_field& r)
    : op_(op),
      algebra_(algebra),
      q_(make(r.rhs())),
      p_(make(r.rhs())),
      v_(make(r.rhs())),
      half_way_(make(op.hermitian() ? 1 : r.rhs())),
      c_(0, 0),
      inverse_(0, 0),
      found_{{0, 0}, {0, 0}} {
  p_.reshape(0);
  restart(r);
}

// Below the first limit, rounding of the products dominates the square of a column's remainder;
// above the second, this rounding leaves columns orthogonal to about its square root.
orthonormalisation block_recurrence::orthonormalise(const rhs_matrix& products) const {
  return onehop::orthonormalise(products, is_coarse() ? 2e-3 : 1e-7);
}
bool block_recurrence::is_well_conditioned(const orthonormalisation& found) const {
  return found.least_part > (is_coarse() ? 5e-2 : 1e-3);
}

void block_recurrence::multiply(lane_field& y, const rhs_matrix& a) {
  if (a.columns() == 0) {
    y.reshape(0);
  } else if (a.rows() == a.columns()) {
    algebra_.mix(y, nullptr, y, a);
  } else {
    lane_field result = make(a.columns());
    algebra_.mix(result, nullptr, y, a);
    y = std::move(result);
  }
}

rhs_matrix block_recurrence::make_orthonormal(const orthonormalisation& found) {
  multiply(q_, found.make);
  if (q_.rhs() == 0 || is_well_conditioned(found)) return found.back;
  const orthonormalisation again = orthonormalise(algebra_.products(q_, q_, true));
  multiply(q_, again.make);
  return again.back * found.back;
}

void block_recurrence::restart(const lane_field& r) {
  q_ = make(r.rhs());
  if (op_.hermitian()) {
    q_.copy_from(r, op_.team());
  } else {
    op_.schur(q_, r, true);
  }
  c_ = make_orthonormal(orthonormalise(algebra_.products(q_, q_, true)));
  gradients2_ = rhs_norms2(c_);
  if (q_.rhs() == 0 || p_.rhs() == 0) {
    p_.reshape(q_.rhs());
    if (q_.rhs() > 0) p_.copy_from(q_, op_.team());
  } else {
    update_directions_by(-(inverse_ * algebra_.products(v_, q_)));
  }
}

void block_recurrence::update_directions_by(const rhs_matrix& factors) {
  if (q_.rhs() == p_.rhs()) {
    algebra_.mix(p_, &q_, p_, factors);
    return;
  }
  lane_field p = make(q_.rhs());
  if (q_.rhs() > 0) algebra_.mix(p, &q_, p_, factors);
  p_ = std::move(p);
}

rhs_matrix block_recurrence::apply() {
  v_.reshape(p_.rhs());
  if (op_.hermitian()) {
    op_.schur(v_, p_);
    return algebra_.products(p_, v_, true);
  }
  half_way_.reshape(p_.rhs());
  op_.schur(half_way_, p_);
  op_.schur(v_, half_way_, true);
  return algebra_.products(half_way_, half_way_, true);
}

void block_recurrence::step(lane_field& x, rhs_values& norms2) {
  const orthonormalisation conjugate = orthonormalise(apply());
  inverse_ = conjugate.make * conjugate.make.adjoint();
  const rhs_matrix steps = inverse_ * c_;
  const rhs_matrix gains = c_.adjoint() * steps;
  found_ = orthonormalise(algebra_.block_step(x, steps, p_, q_, inverse_, v_));
  gradients2_ = rhs_norms2(found_.back * c_);
  for (int k = 0; k < x.rhs(); ++k) {
    // CG on the normal equations minimises |b - S x| in the space of its directions.
    norms2[k] = op_.hermitian() ? gradients2_[k] : std::max(0.0, norms2[k] - gains(k, k).real());
  }
}

void block_recurrence::update_directions() {
  if (found_.rank() == q_.rhs() && is_well_conditioned(found_)) {
    algebra_.block_update_directions(q_, found_.make, p_, found_.back.adjoint());
    c_ = found_.back * c_;
    return;
  }
  const rhs_matrix back = make_orthonormal(found_);
  c_ = back * c_;
  update_directions_by(back.adjoint());
}

}  // namespace onehop
