#include "unitary_part.hpp"

#include "colour.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace onehop::reference {
namespace {

double trace(const colour_matrix& a) { return (a[0] + a[4] + a[8]).real(); }

/// Returns the eigenvalues of a hermitian matrix by the trigonometric solution of its
/// characteristic equation.
std::array<double, 3> eigenvalues(const colour_matrix& q) {
  const double mean = trace(q) / 3;
  colour_matrix rest = q;
  for (const int k : {0, 4, 8}) rest[k] -= mean;
  const colour_matrix square = product(rest, rest);
  const double s = trace(square) / 6, r = trace(product(square, rest)) / 6;
  const double size = std::sqrt(std::max(s, 0.0));
  const double angle = size == 0 ? 0 : std::acos(std::clamp(r / (size * s), -1.0, 1.0)) / 3;
  std::array<double, 3> values{};
  for (int k = 0; k < 3; ++k)
    values[k] = mean + 2 * size * std::cos(angle + 2 * std::numbers::pi * k / 3);
  return values;
}

}  // namespace

colour_matrix unitary_part(const colour_matrix& a) {
  colour_matrix adjoint{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) adjoint[3 * i + j] = std::conj(a[3 * j + i]);
  const colour_matrix q = product(adjoint, a);
  const auto g = eigenvalues(q);
  const double r0 = std::sqrt(g[0]), r1 = std::sqrt(g[1]), r2 = std::sqrt(g[2]);
  const double u = r0 + r1 + r2, v = r0 * r1 + r1 * r2 + r2 * r0, w = r0 * r1 * r2;
  const double below = w * (u * v - w);
  // q^{-1/2} = f0 + f1 q + f2 q^2
  const double f0 = (u * v * v - w * (u * u + v)) / below;
  const double f1 = (2 * u * v - w - u * u * u) / below;
  const double f2 = u / below;
  colour_matrix root = product(q, q);
  for (int k = 0; k < 9; ++k) root[k] = f1 * q[k] + f2 * root[k];
  for (const int k : {0, 4, 8}) root[k] += f0;
  return product(a, root);
}

}  // namespace onehop::reference
