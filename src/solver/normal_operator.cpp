#include "solver/normal_operator.hpp"

#include <utility>

namespace onehop {

normal_operator::normal_operator(even_odd_operator& op, field_algebra& algebra,
                                 std::vector<int> parities)
    : op_(op), algebra_(algebra), parities_(std::move(parities)) {
  for (int parity = 0; parity < 2; ++parity) between_.push_back(op.make_field(parity));
}

halves normal_operator::make_field() const {
  halves field;
  for (const int parity : parities_) field.push_back(op_.make_field(parity));
  return field;
}

halves normal_operator::copy_of(const halves& from) const {
  halves copy = make_field();
  for (std::size_t h = 0; h < from.size(); ++h) copy[h].copy_from(from[h], op_.team());
  return copy;
}

void normal_operator::apply(halves& out, const halves& in, double shift) {
  if (op_.hermitian()) {
    for (std::size_t h = 0; h < in.size(); ++h) {
      op_.normal_half(out[h], in[h], between_[1 - in[h].parity()]);
    }
  } else {
    for (int h = 0; h < 2; ++h) op_.full(between_[h], in[h], in[1 - h]);
    for (int h = 0; h < 2; ++h) op_.full(out[h], between_[h], between_[1 - h], true);
  }
  if (shift != 0) axpy(out, shift, in);
}

double normal_operator::residual(halves& r, const halves& b, const halves& x, double shift) {
  apply(r, x, shift);
  xpay(r, -1.0, b);
  return norm2(r);
}

double normal_operator::norm2(const halves& x) {
  if (x.size() == 1) return algebra_.norms(x[0]).front();
  const auto [even, odd] = algebra_.norms(x[0], x[1]);
  return even.front() + odd.front();
}

double normal_operator::dot(const halves& x, const halves& y) {
  double sum = 0;
  for (std::size_t h = 0; h < x.size(); ++h) sum += algebra_.dots(x[h], y[h]).front().real();
  return sum;
}

void normal_operator::axpy(halves& y, double a, const halves& x) {
  for (std::size_t h = 0; h < x.size(); ++h) algebra_.axpy(y[h], a, x[h]);
}

void normal_operator::xpay(halves& y, double a, const halves& x) {
  for (std::size_t h = 0; h < x.size(); ++h) algebra_.xpay(y[h], a, x[h]);
}

double normal_operator::residual_step(halves& r, double a, const halves& q) {
  double sum = 0;
  for (std::size_t h = 0; h < r.size(); ++h) {
    algebra_.residual_step(r[h], a, q[h]);
    sum += algebra_.left(r[h]).front();
  }
  return sum;
}

void normal_operator::shifted_step(halves& x, double a, halves& p, double b, const halves& r,
                                   double c) {
  for (std::size_t h = 0; h < x.size(); ++h) algebra_.shifted_step(x[h], a, p[h], b, r[h], c);
}

}  // namespace onehop
