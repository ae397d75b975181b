#include "solver/judge.hpp"

#include "lattice/site_sum.hpp"

#include <array>
#include <cmath>
#include <vector>

namespace onehop {
namespace {

using any_operator = std::variant<reference::wilson, reference::clover, reference::staggered,
                                  reference::improved_staggered>;

any_operator make_operator(const hop_links& links, const solve_options& options) {
  const double mass = options.mass;
  const bool antiperiodic = options.antiperiodic;
  switch (options.dslash) {
    case dslash::clover:
      return reference::clover(links.thin(), mass, options.csw, antiperiodic, options.mu);
    case dslash::staggered:
      return reference::staggered(links.thin(), mass, antiperiodic);
    case dslash::asqtad:
    case dslash::hisq:
      return reference::improved_staggered(links.near(), links.far(), mass, antiperiodic);
    default:
      return reference::wilson(links.thin(), mass, antiperiodic, options.mu);
  }
}

}  // namespace

judge::judge(const hop_links& links, const solve_options& options)
    : ctx_(links.geometry().context()), operator_(make_operator(links, options)) {}

double judge::residual(std::span<const std::complex<double>> b,
                       std::span<const std::complex<double>> x, double more_mass) {
  std::vector<std::complex<double>> image(b.size());
  std::visit([&](auto& m) { m.apply(x, image); }, operator_);
  return distance(b, image, more_mass, x);
}

double judge::shifted_residual(std::span<const std::complex<double>> b,
                               std::span<const std::complex<double>> x, double shift) {
  std::vector<std::complex<double>> between(b.size()), image(b.size());
  std::visit(
      [&](auto& m) {
        m.apply(x, between);
        m.apply(between, image, true);
      },
      operator_);
  return distance(b, image, shift, x);
}

double judge::distance(std::span<const std::complex<double>> b,
                       std::span<const std::complex<double>> image, double factor,
                       std::span<const std::complex<double>> x) {
  std::array<site_sum, 2> sums;
  for (std::size_t k = 0; k < b.size(); ++k) {
    sums[0].add(std::norm(b[k] - (image[k] + factor * x[k])));
    sums[1].add(std::norm(b[k]));
  }
  std::array<double, 2> norms{};
  totals(ctx_, sums, norms);
  return norms[1] == 0 ? std::sqrt(norms[0]) : std::sqrt(norms[0] / norms[1]);
}

}  // namespace onehop
