#include "solver/residual_check.hpp"

#include <onehop/exact_sum.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace onehop {
namespace {

using any_operator = std::variant<reference::wilson, reference::clover, reference::staggered,
                                  reference::improved_staggered>;

any_operator make_operator(const hop_links& links, const solve_options& options,
                           thread_team& team) {
  const double mass = mass_of(options.dirac);
  const double mu = mu_of(options.dirac);
  const bool antiperiodic = options.boundary == boundary::antiperiodic;
  switch (kind_of(options.dirac)) {
    case dslash::clover:
      return reference::clover(links.thin(), mass, csw_of(options.dirac), antiperiodic, mu, &team);
    case dslash::staggered:
      return reference::staggered(links.thin(), mass, antiperiodic, &team);
    case dslash::asqtad:
    case dslash::hisq:
      return reference::improved_staggered(links.near(), links.far(), mass, antiperiodic, &team);
    default:
      return reference::wilson(links.thin(), mass, antiperiodic, mu, &team);
  }
}

/// Adds |a_k|^2 for a(first) to a(last - 1).
template <class Entry>
void add_norms(exact_sum& sum, std::size_t first, std::size_t last, const Entry& a) {
  std::array<double, 1024> terms;
  for (std::size_t k = first; k < last; k += terms.size()) {
    const std::size_t count = std::min(terms.size(), last - k);
    for (std::size_t j = 0; j < count; ++j) {
      const std::complex<double> entry = a(k + j);
      terms[j] = entry.real() * entry.real() + entry.imag() * entry.imag();
    }
    sum.add(std::span(terms.data(), count));
  }
}

}  // namespace

residual_check::residual_check(const hop_links& links, const solve_options& options,
                               thread_team& team)
    : ctx_(links.geometry().context()),
      team_(team),
      operator_(make_operator(links, options, team)),
      image_(links.geometry().local_volume() * components(kind_of(options.dirac))) {}

double residual_check::residual(std::span<const std::complex<double>> b,
                                std::span<const std::complex<double>> x, double more_mass) {
  std::visit([&](auto& m) { m.apply(x, image_); }, operator_);
  return distance(b, more_mass, x);
}

double residual_check::shifted_residual(std::span<const std::complex<double>> b,
                                        std::span<const std::complex<double>> x, double shift) {
  between_.resize(b.size());
  std::visit(
      [&](auto& m) {
        m.apply(x, between_);
        m.apply(between_, image_, true);
      },
      operator_);
  return distance(b, shift, x);
}

double residual_check::distance(std::span<const std::complex<double>> b, double factor,
                                std::span<const std::complex<double>> x) {
  std::vector<std::array<exact_sum, 2>> partial(team_.threads());
  team_.run([&](int thread) {
    const auto [first, last] = team_.share(b.size(), thread);
    auto& [difference, source] = partial[thread];
    add_norms(difference, first, last,
              [&](std::size_t k) { return b[k] - (image_[k] + factor * x[k]); });
    add_norms(source, first, last, [&](std::size_t k) { return b[k]; });
  });
  std::array<exact_sum, 2>& sums = partial.front();
  for (std::size_t thread = 1; thread < partial.size(); ++thread) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].merge(partial[thread][k]);
  }
  std::array<double, 2> norms{};
  totals(ctx_, sums, norms);
  return norms[1] == 0 ? std::sqrt(norms[0]) : std::sqrt(norms[0] / norms[1]);
}

}  // namespace onehop
