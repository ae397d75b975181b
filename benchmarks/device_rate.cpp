#include "benchmarks/device_rate.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/gauge_field.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <optional>

#include "benchmarks/judge.hpp"
#include "benchmarks/solve_work.hpp"
#include "dirac/device/diagonal.hpp"
#include "measure/stopwatch.hpp"
#include "solver/device_cg.hpp"
#include "solver/device_choice.hpp"

namespace onehop::bench {
namespace {

using device::field;
using device::memory;
using device::stream;

/// Copies are of what does not stay in any cache.
constexpr std::size_t least_copied_bytes = std::size_t{256} << 20U;
constexpr double block_time_s = 2e-3;

solve_options bench_solve_options(const operator_cell& cell) {
  solve_options options;
  static_cast<operator_options&>(options) = bench_options(cell);
  options.precision = cell.precision;
  options.recon = cell.recon;
  options.tolerance = error_limit(cell.precision);
  options.device = cell.device;
  options.share_device = cell.share_device;
  return options;
}

/// What is timed; enqueues.
class device_work {
 public:
  virtual ~device_work() = default;
  virtual void run(stream& on, int count) = 0;
  /// Of one, all ranks; and bytes of this rank.
  virtual double flops() const = 0;
  virtual double bytes() const = 0;
  virtual double error() = 0;
};

/// The hopping term alone, or M on the sites of one parity where it has blocks there.
class device_hopping_work : public device_work {
 public:
  device_hopping_work(device::backend& where, const hop_links& links, const operator_cell& cell)
      : links_(&links),
        cell_(cell),
        on_(where.make_stream()),
        hop_(where, links, {.kind = hop_of(cell.dslash), .reals = cell.recon},
             storage_of(cell.precision)),
        in_{hop_.make_field(), hop_.make_field()},
        out_{hop_.make_field(), hop_.make_field()} {
    if (cell.dslash == dslash::clover) {
      diagonal_.emplace(where, *on_, hop_.layout(), links.thin(), bench_options(cell),
                        hop_.numbers());
    }
  }

  void run(stream& on, int count) override {
    for (int k = 0; k < count; ++k) hop_.apply(on, out_[1], in_[0], 1, terms(1));
  }
  double flops() const override {
    double per_site = hop_flops(hop_.how().kind);
    // The blocks, and scaling and adding 24 reals.
    if (diagonal_) per_site += flops_per_site(diagonal_->factor(1, false)) + 48;
    return per_site * static_cast<double>(hop_.shape().volume()) / 2;
  }
  double bytes() const override {
    const std::size_t blocks = diagonal_ ? diagonal_->bytes() : 0;
    return static_cast<double>(hop_.bytes(diagonal_.has_value()) + blocks);
  }

  double error() override {
    const fermion psi = noise(hop_.shape(), cell_.dslash, 0);
    fermion got(psi.size());
    const std::size_t bytes = psi.size() * sizeof(psi[0]);
    memory room(hop_.where(), bytes);
    const auto job = [&](const field& of, int parity) {
      return device::canonical_job{hop_.map(),        parity,     of.view(),
                                   room.as<double>(), of.count(), of.components()};
    };
    on_->copy_in(room.data(), psi.data(), bytes);
    for (int parity = 0; parity < 2; ++parity)
      hop_.kernels().spread(*on_, job(in_[parity], parity));
    for (int parity = 0; parity < 2; ++parity) {
      hop_.apply(*on_, out_[parity], in_[1 - parity], parity, terms(parity));
      hop_.kernels().collect(*on_, job(out_[parity], parity));
    }
    on_->copy_out(got.data(), room.data(), bytes);
    on_->synchronise();
    return distance(hop_.shape().context(), got, judged(*links_, cell_, psi));
  }

 private:
  device::hopping::terms terms(int parity) const {
    if (!diagonal_) return {};
    return {.hop_scale = -0.5,
            .addend = &in_[parity],
            .addend_factor = diagonal_->factor(parity, false)};
  }

  const hop_links* links_;
  operator_cell cell_;
  std::unique_ptr<stream> on_;
  device::hopping hop_;
  std::optional<device::diagonal> diagonal_;
  std::array<field, 2> in_, out_;
};

/// Iterations of CG, its residual never being small enough.
class device_cg_work : public device_work {
 public:
  device_cg_work(device::backend& where, const hop_links& links, const operator_cell& cell)
      : links_(&links),
        cell_(cell),
        op_(where, links, bench_solve_options(cell), storage_of(cell.precision), cell.recon),
        cg_(op_),
        on_(where.make_stream()),
        source_(op_.hop().make_field()) {
    const fermion b = noise(op_.hop().shape(), cell.dslash, 1);
    memory room(where, b.size() * sizeof(b[0]));
    on_->copy_in(room.data(), b.data(), b.size() * sizeof(b[0]));
    op_.hop().kernels().spread(*on_, {op_.hop().map(), device_operator::solved, source_.view(),
                                      room.as<double>(), source_.count(), source_.components()});
    on_->synchronise();
    const double before = op_.flops();
    run(*on_, 1);
    const double one = op_.flops() - before;
    run(*on_, 2);
    flops_ = op_.flops() - before - 2 * one;
  }

  void run(stream& on, int count) override {
    op_.convert(on, cg_.residual(), source_);
    cg_.solution().clear(on);
    cg_.begin(on);
    cg_.run(on, 0, count, {});
  }
  double flops() const override { return flops_; }
  /// As cg_work of the host counts.
  double bytes() const override {
    const double applications = op_.hermitian() ? 1 : 2;
    return applications * static_cast<double>(op_.schur_bytes()) +
           9 * static_cast<double>(source_.bytes());
  }
  double error() override {
    propagator_solver solver(links_->thin(), bench_solve_options(cell_));
    const fermion b = noise(op_.hop().shape(), cell_.dslash, 1);
    fermion x(b.size());
    return solver.solve(b, x).residual_true;
  }

 private:
  const hop_links* links_;
  operator_cell cell_;
  device_operator op_;
  device_cg cg_;
  std::unique_ptr<stream> on_;
  field source_;
  double flops_ = 0;
};

/// Of the slowest rank, all having started together, until the device is done.
template <class Work>
double seconds_of(const context& ctx, stream& on, const Work& work) {
  on.synchronise();
  barrier(ctx);
  const auto begin = measure::stopwatch::clock::now();
  work();
  on.synchronise();
  std::array<double, 1> spent = {
      std::chrono::duration<double>(measure::stopwatch::clock::now() - begin).count()};
  allreduce_max(ctx, spent);
  return spent[0];
}

/// Iterations of CG are fired eight at a time; more than a few dozen leave nothing to iterate on.
template <class Work>
int count_for_a_block(const context& ctx, stream& on, const Work& work) {
  const double one = seconds_of(ctx, on, [&] { work(8); }) / 8;
  return 8 * std::clamp(static_cast<int>(block_time_s / one / 8), 1, 8);
}

void take_samples(const context& ctx, device::backend& where, device_work& work,
                  operator_rate& rate, const measure::stopping_limits& stop) {
  const auto on = where.make_stream();
  const std::size_t copied =
      std::max(least_copied_bytes, static_cast<std::size_t>(work.bytes()) / 2);
  const memory from(where, copied);
  const memory to(where, copied);
  const auto copy = [&](int count) {
    for (int k = 0; k < count; ++k) on->copy(to.data(), from.data(), copied);
  };
  const auto hop = [&](int count) { work.run(*on, count); };
  hop(2);
  copy(2);
  const int hops = count_for_a_block(ctx, *on, hop);
  const int copies = count_for_a_block(ctx, *on, copy);
  double spent = 0;
  while (measure::judge(stop, rate.gflops, measure::microseconds(spent * 1e6)) ==
         measure::progress::more) {
    const double copy_s = seconds_of(ctx, *on, [&] { copy(copies); });
    const double work_s = seconds_of(ctx, *on, [&] { hop(hops); });
    rate.memory_gbs.push_back(2.0 * static_cast<double>(copied) * ctx.size() * copies / copy_s *
                              1e-9);
    rate.gflops.push_back(work.flops() * hops / work_s * 1e-9);
    spent += copy_s + work_s;
  }
}

}  // namespace

operator_rate measure_device_operator(const onehop::geometry& geometry, const operator_cell& what,
                                      const measure::stopping_limits& stop) {
  if (what.rhs > 1) {
    throw usage_error("--rhs is for the host; devices hop one right-hand side at a time");
  }
  const auto where = open_device(geometry.context(), bench_solve_options(what));
  const bench_links bench(geometry);
  const hop_links links(bench.links, what.dslash);
  std::unique_ptr<device_work> work;
  if (what.iterations) {
    work = std::make_unique<device_cg_work>(*where, links, what);
  } else {
    work = std::make_unique<device_hopping_work>(*where, links, what);
  }
  operator_rate rate;
  rate.kernels = where->name();
  const double sites = static_cast<double>(geometry.volume()) / 2;
  rate.flops_per_site = work->flops() / sites;
  rate.bytes_per_site = work->bytes() * geometry.context().size() / sites;
  rate.working_set_bytes = work->bytes() * geometry.context().size();
  rate.error = work->error();
  rate.error_limit = error_limit(what.precision);
  take_samples(geometry.context(), *where, *work, rate, stop);
  return rate;
}

}  // namespace onehop::bench
