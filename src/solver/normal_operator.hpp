#pragma once
/// M^+ M + shift, on whole fields.

#include "dirac/even_odd_operator.hpp"
#include "solver/field_algebra.hpp"

#include <vector>

namespace onehop {

/// The halves of one whole field, by parity; a half that stays zero may be left out.
using halves = std::vector<lane_field>;

/// Hermitian and positive. Wilson's M^+ M joins the parities; that of staggered fermions does not,
/// so that the half where a source vanishes stays zero and need not be there.
class normal_operator {
 public:
  /// Both must outlive this; `parities` is {0, 1}, or one of them for staggered fermions.
  normal_operator(even_odd_operator& op, field_algebra& algebra, std::vector<int> parities);

  halves make_field() const;
  halves copy_of(const halves& from) const;
  const std::vector<int>& parities() const noexcept { return parities_; }
  const lane_layout& layout() const noexcept { return op_.layout(); }
  field_precision kind() const noexcept { return op_.kernels().kind; }

  /// out = (M^+ M + shift) in. Collective, as all that gives numbers.
  void apply(halves& out, const halves& in, double shift);
  /// r = b - (M^+ M + shift) x; returns |r|^2.
  double residual(halves& r, const halves& b, const halves& x, double shift);

  double norm2(const halves& x);
  /// Re <x, y>
  double dot(const halves& x, const halves& y);
  void axpy(halves& y, double a, const halves& x);
  /// y = x + a y
  void xpay(halves& y, double a, const halves& x);
  /// r -= a q; returns |r|^2.
  double residual_step(halves& r, double a, const halves& q);
  /// x += a p, p = b r + c p
  void shifted_step(halves& x, double a, halves& p, double b, const halves& r, double c);

 private:
  even_odd_operator& op_;
  field_algebra& algebra_;
  std::vector<int> parities_;
  halves between_;  ///< M in; of staggered fermions H in
};

}  // namespace onehop
