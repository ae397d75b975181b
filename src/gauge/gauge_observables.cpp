#include <onehop/gauge_observables.hpp>

#include <numbers>

#include <onehop/exact_sum.hpp>
#include <onehop/halo_exchange.hpp>
#include "gauge/neighbour_links.hpp"
#include "gauge/su3_functions.hpp"

namespace onehop {
namespace {

/// -(i/8)(Q - Q^+) without its trace is -i times this.
colour_matrix clover(const neighbour_links& u, std::size_t mu, std::size_t nu,
                     std::ptrdiff_t x) noexcept {
  colour_matrix sum{};
  for (const colour_matrix& leaf : u.leaves(mu, nu, x)) sum = su3::add(sum, 0.25, leaf);
  return su3::antihermitian_traceless(sum);
}

}  // namespace

double rectangle(const gauge_field& links) {
  const geometry& block = links.geometry();
  const neighbour_links u(links);
  exact_sum sum;
  // The loops are one link wide in mu and two high in nu: the path above a link and the path below
  // it.
  for_each_site(block, [&](const coordinate& site) {
    const auto x = static_cast<std::ptrdiff_t>(u.layout().index(site));
    double loops = 0;
    for (std::size_t mu = 0; mu < 4; ++mu)
      for (std::size_t nu = 0; nu < 4; ++nu) {
        if (nu == mu) continue;
        const std::ptrdiff_t m = u.step(mu), n = u.step(nu), down = x - n;
        const colour_matrix above =
            su3::multiply_adjoint(su3::multiply(u(nu, x), u(mu, x + n)), u(nu, x + m));
        const colour_matrix below =
            su3::multiply(su3::adjoint_multiply(u(nu, down), u(mu, down)), u(nu, down + m));
        loops += su3::real_trace_adjoint(above, below);
      }
    sum.add(loops);
  });
  return sum.total(block.context()) / (36.0 * static_cast<double>(block.volume()));
}

std::array<std::complex<double>, 4> polyakov_loops(const gauge_field& links) {
  const geometry& block = links.geometry();
  const neighbour_links u(links);
  halo_field<colour_matrix> product(u.layout());
  halo_exchange ghosts(product);
  std::array<exact_sum, 8> sums;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    // After k steps this is the product of the k links that lead to x.
    std::fill(product.data().begin(), product.data().end(), su3::unit());
    std::vector<colour_matrix> longer(block.local_volume());
    for (int k = 0; k < block.lattice()[mu]; ++k) {
      auto next = longer.begin();
      for_each_site(block, [&](const coordinate& site) {
        const auto before = static_cast<std::ptrdiff_t>(u.layout().index(site)) - u.step(mu);
        *next++ = su3::multiply(product.data()[static_cast<std::size_t>(before)], u(mu, before));
      });
      next = longer.begin();
      for_each_site(block, [&](const coordinate& site) { product[site] = *next++; });
      ghosts.exchange();
    }
    for_each_site(block, [&](const coordinate& site) {
      if (block.global_site(site)[mu] != 0) return;
      const colour_matrix& loop = product[site];
      const auto trace = loop[0] + loop[4] + loop[8];
      sums[2 * mu].add(trace.real());
      sums[2 * mu + 1].add(trace.imag());
    });
  }
  std::array<double, 8> total{};
  totals(block.context(), sums, total);
  std::array<std::complex<double>, 4> loops;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const double columns = static_cast<double>(block.volume()) / block.lattice()[mu];
    loops[mu] = std::complex(total[2 * mu], total[2 * mu + 1]) / (3 * columns);
  }
  return loops;
}

field_strength_average clover_field_strength(const gauge_field& links) {
  const geometry& block = links.geometry();
  const neighbour_links u(links);
  std::array<exact_sum, 2> sums;
  for_each_site(block, [&](const coordinate& site) {
    const auto x = static_cast<std::ptrdiff_t>(u.layout().index(site));
    const auto f = [&](std::size_t mu, std::size_t nu) { return clover(u, mu, nu, x); };
    const colour_matrix f01 = f(0, 1), f02 = f(0, 2), f03 = f(0, 3), f12 = f(1, 2), f13 = f(1, 3),
                        f23 = f(2, 3);
    double energy = 0;
    for (const colour_matrix* one : {&f01, &f02, &f03, &f12, &f13, &f23})
      energy += su3::real_trace_adjoint(*one, *one);
    sums[0].add(energy);
    // For antihermitian b, tr a b = tr a (b^+)^+ = -tr a b^+, and F = -i times ours: signs cancel.
    sums[1].add(su3::real_trace_adjoint(f01, f23) - su3::real_trace_adjoint(f02, f13) +
                su3::real_trace_adjoint(f03, f12));
  });
  std::array<double, 2> total{};
  totals(block.context(), sums, total);
  return {total[0] / static_cast<double>(block.volume()),
          total[1] / (4 * std::numbers::pi * std::numbers::pi)};
}

}  // namespace onehop
