#include "solver/device_operator.hpp"

#include "lattice/site_sum.hpp"

#include <array>

namespace onehop {
namespace {

using device::field;
using device::stream;
using device::two_sums;

constexpr auto on_host = device::memory::place::host;

double diagonal_of(const solve_options& options) {
  return options.dslash == dslash::wilson ? 4.0 + options.mass : options.mass;
}

}  // namespace

device_operator::device_operator(device::backend& where, const gauge_field& links,
                                 const solve_options& options, storage numbers, int reals)
    : hop_(where, links, {options.dslash, options.antiperiodic, options.overlap, reals}, numbers),
      diagonal_(diagonal_of(options)),
      coefficient_(options.dslash == dslash::wilson ? -0.5 : 0.5),
      even_(hop_.make_field()),
      sums_(where, sizeof(two_sums)),
      host_sums_(where, sizeof(two_sums), on_host) {}

void device_operator::apply(stream& on, field& out, const field& in, int parity,
                            const device::hopping::terms& what, bool dagger) {
  hop_.apply(on, out, in, parity, what, dagger);
  const double per_site = hop_.how().kind == dslash::wilson ? 1320.0 : 570.0;
  double per_real = what.addend == nullptr ? 1.0 : 3.0;
  if (what.sums != nullptr) per_real += 2;
  flops_ += per_site * static_cast<double>(hop_.shape().volume()) / 2 + per_real * flops_per_real();
}

double device_operator::flops_per_real() const noexcept {
  return static_cast<double>(hop_.shape().volume()) * components(hop_.how().kind);
}

double device_operator::schur_flops() const noexcept {
  const double per_site = hop_.how().kind == dslash::wilson ? 1320.0 : 570.0;
  return per_site * static_cast<double>(hop_.shape().volume()) + (1 + 5) * flops_per_real();
}

void device_operator::schur(stream& on, field& out, const field& in, bool dagger, two_sums* sums) {
  apply(on, even_, in, 1 - solved, {}, dagger);
  apply(on, out, even_, solved, {-coefficient_ * coefficient_ / diagonal_, diagonal_, &in, sums},
        dagger);
  if (sums != nullptr) reduce(on, sums);
}

void device_operator::prepare(stream& on, field& rhs, const field& source_even,
                              const field& source_odd) {
  apply(on, rhs, source_even, solved, {-coefficient_ / diagonal_, 1.0, &source_odd});
}

void device_operator::reconstruct(stream& on, field& x_even, const field& x_odd,
                                  const field& source_even) {
  apply(on, x_even, x_odd, 1 - solved, {-coefficient_ / diagonal_, 1.0 / diagonal_, &source_even});
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

double device_operator::norm2(stream& on, const field& x) {
  auto* sums = sums_.as<two_sums>();
  hop_.norm_and_dot(on, x, nullptr, sums);
  flops_ += 2 * flops_per_real();
  reduce(on, sums);
  on.copy_out(host_sums_.data(), sums, sizeof(two_sums));
  on.synchronise();
  return host_sums_.as<two_sums>()->first;
}

void device_operator::reduce(stream& on, two_sums* sums) {
  const context& ctx = hop_.shape().context();
  if (ctx.size() == 1) return;
  auto& mine = *host_sums_.as<two_sums>();
  on.copy_out(&mine, sums, sizeof(two_sums));
  on.synchronise();
  const auto begin = ctx.now();
  std::array<site_sum, 2> exact;
  exact[0].add(mine.first);
  exact[1].add(mine.second);
  std::array<double, 2> all{};
  totals(ctx, exact, all);
  mine = {all[0], all[1]};
  reduction_time_ += ctx.now() - begin;
  on.copy_in(sums, &mine, sizeof(two_sums));
}

}  // namespace onehop
