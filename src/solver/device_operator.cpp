#include "solver/device_operator.hpp"

#include "lattice/site_sum.hpp"

#include <array>
#include <span>

namespace onehop {
namespace {

using device::field;
using device::stream;
using device::two_sums;

constexpr auto on_host = device::memory::place::host;

/// Stated count per site, as even_odd_operator::hop has it.
double flops_of(const device::hopping::terms& what, dslash kind) {
  double per_real = 1;
  double of_factors = flops_per_site(what.result_factor);
  if (what.addend != nullptr) {
    per_real += what.addend_factor.is_number() ? 2 : 1;
    of_factors += flops_per_site(what.addend_factor);
  }
  if (what.sums != nullptr) per_real += 2;
  return hop_flops(kind) + of_factors + per_real * 2 * components(kind);
}

device::diagonal make_diagonal(device::hopping& hop, const hop_links& links,
                               const operator_options& options) {
  const auto on = hop.where().make_stream();
  return {hop.where(), *on, hop.layout(), links.thin(), options, hop.numbers()};
}

}  // namespace

device_operator::device_operator(device::backend& where, const hop_links& links,
                                 const operator_options& options, storage numbers, int reals)
    : coefficient_(is_staggered(options.dslash) ? 0.5 : -0.5),
      hop_(where, links, {hop_of(options.dslash), options.antiperiodic, options.overlap, reals},
           numbers),
      diagonal_(make_diagonal(hop_, links, options)),
      even_(hop_.make_field()),
      sums_(where, sizeof(two_sums)),
      host_sums_(where, most_sums * sizeof(two_sums), on_host) {}

void device_operator::apply(stream& on, field& out, const field& in, int parity,
                            const device::hopping::terms& what, bool dagger) {
  hop_.apply(on, out, in, parity, what, dagger);
  const double half = static_cast<double>(hop_.shape().volume()) / 2;
  flops_ += half * flops_of(what, hop_.how().kind);
}

double device_operator::flops_per_real() const noexcept {
  return static_cast<double>(hop_.shape().volume()) * components(hop_.how().kind);
}

double device_operator::schur_flops() const noexcept {
  device::two_sums summed{};
  const double half = static_cast<double>(hop_.shape().volume()) / 2;
  return half * (flops_of(to_even(false), hop_.how().kind) +
                 flops_of(to_odd(even_, false, &summed), hop_.how().kind));
}

device::hopping::terms device_operator::to_even(bool dagger) const {
  return {.result_factor = diagonal_.inverse(dagger)};
}

device::hopping::terms device_operator::to_odd(const field& in, bool dagger, two_sums* sums) const {
  return {.hop_scale = -coefficient_ * coefficient_,
          .addend = &in,
          .addend_factor = diagonal_.factor(solved, dagger),
          .sums = sums};
}

void device_operator::schur(stream& on, field& out, const field& in, bool dagger, two_sums* sums) {
  apply(on, even_, in, 1 - solved, to_even(dagger), dagger);
  apply(on, out, even_, solved, to_odd(in, dagger, sums), dagger);
}

void device_operator::prepare(stream& on, field& rhs, const field& source_even,
                              const field& source_odd) {
  const device::site_factor inverse = diagonal_.inverse(false);
  if (inverse.is_number()) {
    apply(on, rhs, source_even, solved,
          {.hop_scale = -coefficient_ * inverse.scale, .addend = &source_odd});
    return;
  }
  hop_.multiply(on, even_, source_even, inverse);
  flops_ += flops_per_site(inverse) * static_cast<double>(hop_.shape().volume()) / 2;
  apply(on, rhs, even_, solved, {.hop_scale = -coefficient_, .addend = &source_odd});
}

void device_operator::reconstruct(stream& on, field& x_even, const field& x_odd,
                                  const field& source_even) {
  apply(on, x_even, x_odd, 1 - solved,
        {.hop_scale = -coefficient_,
         .addend = &source_even,
         .result_factor = diagonal_.inverse(false)});
}

/// y = a x + b y; the multiplication with 1 that one of them is takes no time.
void device_operator::combine(stream& on, field& y, double b, double a, const field& x) {
  device::field_job job{};
  job.y = y.view();
  job.x = x.view();
  job.a.value = a;
  job.b.value = b;
  job.count = y.count();
  job.components = y.components();
  hop_.kernels().combine(on, job);
  flops_ += 2 * flops_per_real();
}

void device_operator::axpy(stream& on, field& y, double a, const field& x) {
  combine(on, y, 1.0, a, x);
}

void device_operator::xpay(stream& on, field& y, double a, const field& x) {
  combine(on, y, a, 1.0, x);
}

void device_operator::convert(stream& on, field& to, const field& from) const {
  hop_.where().kernels(to.kind()).convert(
      on, {to.view(), from.view(), from.kind(), to.count(), to.components()});
}

two_sums device_operator::bring_out(stream& on, two_sums* sums) {
  reduce(on, sums);
  on.copy_out(host_sums_.data(), sums, sizeof(two_sums));
  on.synchronise();
  return *host_sums_.as<two_sums>();
}

double device_operator::norm2(stream& on, const field& x) {
  auto* sums = sums_.as<two_sums>();
  hop_.norm_and_dot(on, x, nullptr, sums);
  flops_ += 2 * flops_per_real();
  return bring_out(on, sums).first;
}

void device_operator::dot(stream& on, const field& x, const field& w, two_sums* result) {
  hop_.complex_dot(on, x, w, result);
  flops_ += 4 * flops_per_real();
}

two_sums device_operator::dot(stream& on, const field& x, const field& w) {
  auto* sums = sums_.as<two_sums>();
  dot(on, x, w, sums);
  return bring_out(on, sums);
}

void device_operator::reduce(stream& on, two_sums* sums, int count) {
  const context& ctx = hop_.shape().context();
  if (ctx.size() == 1) return;
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(two_sums);
  const std::span mine(host_sums_.as<two_sums>(), static_cast<std::size_t>(count));
  on.copy_out(mine.data(), sums, bytes);
  on.synchronise();
  const auto begin = ctx.now();
  std::array<site_sum, 2 * most_sums> exact;
  std::array<double, 2 * most_sums> all{};
  for (std::size_t k = 0; k < mine.size(); ++k) {
    exact[2 * k].add(mine[k].first);
    exact[2 * k + 1].add(mine[k].second);
  }
  totals(ctx, std::span(exact).first(2 * mine.size()), std::span(all).first(2 * mine.size()));
  for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = {all[2 * k], all[2 * k + 1]};
  reduction_time_ += ctx.now() - begin;
  on.copy_in(sums, mine.data(), bytes);
}

}  // namespace onehop
