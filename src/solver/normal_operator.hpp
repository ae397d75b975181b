#pragma once
/// A normal_operator is M^+ M + shift, on whole fields.

#include "dirac/even_odd_operator.hpp"
#include "solver/field_algebra.hpp"

#include <vector>

namespace onehop {

/// These are the halves of one whole field, by parity; a half that stays zero may be left out.
using halves = std::vector<lane_field>;

/// The operator is hermitian and positive. Wilson's M^+ M joins the parities; that of staggered
/// fermions does not, so that the half where a source vanishes stays zero and need not be there.
class normal_operator {
 public:
  /// The operator and the algebra must outlive this; `parities` is {0, 1}, or one of them for
  /// staggered fermions.
  normal_operator(even_odd_operator& op, field_algebra& algebra, std::vector<int> parities);

  halves make_field() const;
  halves copy_of(const halves& from) const;
  const std::vector<int>& parities() const noexcept { return parities_; }
  const lane_layout& layout() const noexcept { return op_.layout(); }
  field_precision kind() const noexcept { return op_.kernels().kind; }

  /// Sets out = (M^+ M + shift) in. Collective, as all that gives numbers.
  void apply(halves& out, const halves& in, double shift);
  /// Sets r = b - (M^+ M + shift) x; returns |r|^2.
  double residual(halves& r, const halves& b, const halves& x, double shift);

  double norm2(const halves& x);
  /// Returns Re <x, y>.
  double dot(const halves& x, const halves& y);
  void axpy(halves& y, double a, const halves& x);
  /// Sets y = x + a y.
  void xpay(halves& y, double a, const halves& x);
  /// Sets r -= a q; returns |r|^2.
  double residual_step(halves& r, double a, const halves& q);
  /// Sets x += a p, p = b r + c p.
  void shifted_step(halves& x, double a, halves& p, double b, const halves& r, double c);

 private:
  even_odd_operator& op_;
  field_algebra& algebra_;
  std::vector<int> parities_;
  halves between_;  ///< M in, or H in for staggered fermions
};

}  // namespace onehop
