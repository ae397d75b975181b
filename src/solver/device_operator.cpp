#include "solver/device_operator.hpp"

#include "dirac/hop_cost.hpp"

#include <onehop/exact_sum.hpp>

#include <span>

namespace onehop {
namespace {

using device::field;
using device::per_rhs;
using device::stream;
using device::two_sums;

constexpr auto on_host = device::memory::kind::host;

/// A kernel that sums is counted with 2 per real, whichever of its sums are used.
double flops_of_hop(const device::hopping::terms& what, dslash kind) {
  return flops_of(what, kind, what.sums.first != nullptr ? 1 : 0);
}

device::diagonal make_diagonal(device::hopping& hop, const hop_links& links,
                               const solve_options& options) {
  const auto on = hop.where().make_stream();
  return {hop.where(),    *on, hop.layout(), links.thin(), options.dirac, options.threads,
          hop.precision()};
}

}  // namespace

device_operator::device_operator(device::backend& where, const hop_links& links,
                                 const solve_options& options, field_precision precision, int recon)
    : coefficient_(is_staggered(kind_of(options.dirac)) ? 0.5 : -0.5),
      hop_(where, links,
           {hop_of(kind_of(options.dirac)), options.boundary == boundary::antiperiodic,
            options.overlap, recon, options.rhs},
           precision),
      diagonal_(make_diagonal(hop_, links, options)),
      even_(hop_.make_field()),
      sums_(where, options.rhs * sizeof(two_sums)) {}

void device_operator::apply(stream& on, field& out, const field& in, int parity,
                            device::hopping::terms what, const chosen_rhs& which, bool dagger) {
  what.active = which.active;
  hop_.apply(on, out, in, parity, what, dagger);
  const double half = static_cast<double>(hop_.shape().volume()) / 2;
  flops_ += half * flops_of_hop(what, hop_.how().kind) * which.count;
}

double device_operator::flops_per_real() const noexcept {
  return static_cast<double>(hop_.shape().volume()) * components(hop_.how().kind);
}

double device_operator::schur_flops() const noexcept {
  two_sums summed{};
  const double half = static_cast<double>(hop_.shape().volume()) / 2;
  return half * (flops_of_hop(to_even(false), hop_.how().kind) +
                 flops_of_hop(to_odd(even_, false, {&summed, 0}), hop_.how().kind));
}

device::hopping::terms device_operator::to_even(bool dagger) const {
  return {.result_factor = diagonal_.inverse(dagger)};
}

device::hopping::terms device_operator::to_odd(const field& in, bool dagger,
                                               const per_rhs<two_sums>& sums) const {
  return {.hop_scale = -coefficient_ * coefficient_,
          .addend = &in,
          .addend_factor = diagonal_.factor(solved, dagger),
          .sums = sums};
}

void device_operator::schur(stream& on, field& out, const field& in, const chosen_rhs& which,
                            bool dagger, const per_rhs<two_sums>& sums) {
  apply(on, even_, in, 1 - solved, to_even(dagger), which, dagger);
  apply(on, out, even_, solved, to_odd(in, dagger, sums), which, dagger);
}

void device_operator::prepare(stream& on, field& rhs, const field& source_even,
                              const field& source_odd, const chosen_rhs& which) {
  const device::site_factor inverse = diagonal_.inverse(false);
  if (inverse.is_number()) {
    apply(on, rhs, source_even, solved,
          {.hop_scale = -coefficient_ * inverse.scale, .addend = &source_odd}, which);
    return;
  }
  hop_.multiply(on, even_, source_even, inverse);
  flops_ += flops_per_site(inverse) * static_cast<double>(hop_.shape().volume()) / 2 * even_.rhs();
  apply(on, rhs, even_, solved, {.hop_scale = -coefficient_, .addend = &source_odd}, which);
}

void device_operator::reconstruct(stream& on, field& x_even, const field& x_odd,
                                  const field& source_even, const chosen_rhs& which) {
  apply(on, x_even, x_odd, 1 - solved,
        {.hop_scale = -coefficient_,
         .addend = &source_even,
         .result_factor = diagonal_.inverse(false)},
        which);
}

/// Sets y = a x + b y; one of the factors is 1, which takes no time.
void device_operator::combine(stream& on, field& y, double b, double a, const field& x,
                              const chosen_rhs& which) {
  device::field_job job{};
  job.y = y.view();
  job.x = x.view();
  job.a.value = a;
  job.b.value = b;
  job.count = y.count();
  job.rhs = y.rhs();
  job.components = y.components();
  job.active = which.active;
  hop_.kernels().combine(on, job);
  flops_ += 2 * flops_per_real() * which.count;
}

void device_operator::axpy(stream& on, field& y, double a, const field& x,
                           const chosen_rhs& which) {
  combine(on, y, 1.0, a, x, which);
}

void device_operator::xpay(stream& on, field& y, double a, const field& x,
                           const chosen_rhs& which) {
  combine(on, y, a, 1.0, x, which);
}

void device_operator::convert(stream& on, field& to, const field& from,
                              const chosen_rhs& which) const {
  hop_.where().kernels(to.kind()).convert(on, {to.view(), from.view(), from.kind(), to.count(),
                                               to.rhs(), to.components(), which.active});
}

std::vector<two_sums> device_operator::bring_out(stream& on) {
  reduce(on, own_sums());
  std::vector<two_sums> sums(static_cast<std::size_t>(rhs()));
  on.copy_out(sums.data(), sums_.data(), sums.size() * sizeof(two_sums));
  hop_.synchronise(on);
  return sums;
}

rhs_values device_operator::norm2(stream& on, const field& x, const chosen_rhs& which) {
  hop_.norm_and_dot(on, x, nullptr, own_sums(), which.active);
  flops_ += 2 * flops_per_real() * which.count;
  rhs_values norms;
  for (const two_sums& sums : bring_out(on)) norms.push_back(sums.first);
  return norms;
}

void device_operator::dot(stream& on, const field& x, const field& w, const chosen_rhs& which,
                          const per_rhs<two_sums>& result) {
  hop_.complex_dot(on, x, w, result, which.active);
  flops_ += 4 * flops_per_real() * which.count;
}

std::vector<two_sums> device_operator::dot(stream& on, const field& x, const field& w,
                                           const chosen_rhs& which) {
  dot(on, x, w, which, own_sums());
  return bring_out(on);
}

// Data between the sums of one right-hand side and the next are sent too, but not changed.
void device_operator::reduce(stream& on, const per_rhs<two_sums>& sums, int count) {
  const context& ctx = hop_.shape().context();
  if (ctx.size() == 1) return;
  const std::size_t bytes = static_cast<std::size_t>(rhs() - 1) * sums.distance +
                            static_cast<std::size_t>(count) * sizeof(two_sums);
  if (bytes > host_bytes_) {
    hop_.synchronise(on);  // The old memory may still be read.
    host_sums_ = device::memory(hop_.where(), bytes, on_host);
    host_bytes_ = bytes;
  }
  on.copy_out(host_sums_.data(), sums.first, bytes);
  hop_.synchronise(on);
  const auto begin = ctx.now();
  const per_rhs<two_sums> mine{host_sums_.as<two_sums>(), sums.distance};
  std::vector<exact_sum> exact(static_cast<std::size_t>(2 * count * rhs()));
  rhs_values all(exact.size());
  std::size_t place = 0;
  for (int n = 0; n < rhs(); ++n) {
    for (const two_sums& one : std::span(&mine.of(n), static_cast<std::size_t>(count))) {
      exact[place++].add(one.first);
      exact[place++].add(one.second);
    }
  }
  totals(ctx, exact, all);
  place = 0;
  for (int n = 0; n < rhs(); ++n) {
    for (two_sums& one : std::span(&mine.of(n), static_cast<std::size_t>(count))) {
      one = {all[place], all[place + 1]};
      place += 2;
    }
  }
  reduction_time_ += ctx.now() - begin;
  on.copy_in(sums.first, host_sums_.data(), bytes);
}

}  // namespace onehop
