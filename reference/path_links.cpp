#include "path_links.hpp"

#include "colour.hpp"
#include "whole_lattice.hpp"

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

/// Returns a (a^+ a)^{-1/2}, the unitary factor, with the root by the eigenvalues of a^+ a
/// (Hasenfratz, Hoffmann and Schaefer, JHEP 05 (2007) 029, section 2).
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

/// These are the coefficients of the paths of 1, 3, 5 and 7 links and of Lepage's.
struct weights {
  double one, three, five, seven, lepage;
};

using path = std::vector<int>;

void add(colour_matrix& sum, double weight, const colour_matrix& term) {
  for (int k = 0; k < 9; ++k) sum[k] += weight * term[k];
}

/// Returns the steps forward and backward in every direction but those of `used`.
std::vector<int> sideways(const path& used) {
  std::vector<int> steps;
  for (int step = -4; step <= 4; ++step) {
    bool is_free = step != 0;
    for (const int other : used) is_free = is_free && std::abs(step) != std::abs(other);
    if (is_free) steps.push_back(step);
  }
  return steps;
}

colour_matrix fat_link(const whole_lattice& u, int mu, const coordinate& x, const weights& w) {
  const int m = mu + 1;
  colour_matrix sum{};
  const auto walk = [&](double weight, const path& steps) {
    add(sum, weight, product_along(u, x, steps));
  };
  walk(w.one, {m});
  for (const int a : sideways({m})) {
    walk(w.three, {a, m, -a});
    walk(w.lepage, {a, a, m, -a, -a});
    for (const int b : sideways({m, a})) {
      walk(w.five, {a, b, m, -b, -a});
      for (const int c : sideways({m, a, b})) walk(w.seven, {a, b, c, m, -c, -b, -a});
    }
  }
  return sum;
}

template <class Make>
whole_lattice made(const coordinate& extents, const Make& make) {
  whole_lattice result(extents);
  coordinate x{};
  for (x[3] = 0; x[3] < extents[3]; ++x[3])
    for (x[2] = 0; x[2] < extents[2]; ++x[2])
      for (x[1] = 0; x[1] < extents[1]; ++x[1])
        for (x[0] = 0; x[0] < extents[0]; ++x[0])
          for (int mu = 0; mu < 4; ++mu) result.link(mu, x) = make(mu, x);
  return result;
}

whole_lattice fat_links(const whole_lattice& u, const weights& w) {
  return made(u.extents(), [&](int mu, const coordinate& x) { return fat_link(u, mu, x, w); });
}

whole_lattice straight_links(const whole_lattice& u, double weight) {
  return made(u.extents(), [&](int mu, const coordinate& x) {
    colour_matrix link{};
    add(link, weight, product_along(u, x, path{mu + 1, mu + 1, mu + 1}));
    return link;
  });
}

}  // namespace

fat_and_naik asqtad_links(const gauge_field& thin, double u0) {
  const whole_lattice u(thin);
  const weights w = {5. / 8, std::pow(u0, -2) / 16, std::pow(u0, -4) / 64, std::pow(u0, -6) / 384,
                     -std::pow(u0, -4) / 16};
  return {fat_links(u, w).part(thin.geometry()),
          straight_links(u, -std::pow(u0, -2) / 24).part(thin.geometry())};
}

fat_and_naik hisq_links(const gauge_field& thin, double naik_epsilon) {
  const whole_lattice u(thin);
  const whole_lattice fat7 = fat_links(u, {1. / 8, 1. / 16, 1. / 64, 1. / 384, 0});
  const whole_lattice v = made(
      u.extents(), [&](int mu, const coordinate& x) { return unitary_part(fat7.link(mu, x)); });
  // The links stand in differences forward and backward, of which the operator takes half, and the
  // cube of such halves is (three links - 3 times one) / 4 in their place. The fat link gets -(1 +
  // epsilon)/6 of it, beside the 1/8 of fat7 and the 6 paths of Lepage that it has to make up for.
  const double third = -(1 + naik_epsilon) / 6;
  return {fat_links(v, {1. / 8 + 6. / 8 - 3 * third / 4, 1. / 16, 1. / 64, 1. / 384, -1. / 8})
              .part(thin.geometry()),
          straight_links(v, third / 4).part(thin.geometry())};
}

}  // namespace onehop::reference
