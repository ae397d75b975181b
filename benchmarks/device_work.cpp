#include "benchmarks/device_work.hpp"

#include <onehop/collectives.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <optional>

#include "benchmarks/judge.hpp"
#include "benchmarks/solve_work.hpp"
#include "dirac/device/diagonal.hpp"
#include "measure/stopwatch.hpp"
#include "solver/device_krylov.hpp"

namespace onehop::bench {
namespace {

using device::field;
using device::memory;
using device::stream;

constexpr double block_time_s = 2e-3;

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

/// Iterations of a solver, its residual never being small enough.
class device_solve_work : public device_work {
 public:
  device_solve_work(device::backend& where, const hop_links& links, const operator_cell& cell)
      : links_(&links),
        cell_(cell),
        op_(where, links, device_solve_options(cell), storage_of(cell.precision), cell.recon),
        krylov_(make_device_krylov(cell.solver, op_)),
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
    op_.convert(on, krylov_->residual(), source_);
    krylov_->solution().clear(on);
    krylov_->begin(on);
    krylov_->run(on, 0, count, {});
  }
  double flops() const override { return flops_; }
  /// As cg_work of the host counts.
  double bytes() const override {
    const double applications = op_.hermitian() ? 1 : 2;
    const double vectors = cell_.solver == solver_kind::cg ? 9 : 18;
    return applications * static_cast<double>(op_.schur_bytes()) +
           vectors * static_cast<double>(source_.bytes());
  }
  double error() override {
    propagator_solver solver(links_->thin(), device_solve_options(cell_));
    const fermion b = noise(op_.hop().shape(), cell_.dslash, 1);
    fermion x(b.size());
    return solver.solve(b, x).residual_true;
  }

 private:
  const hop_links* links_;
  operator_cell cell_;
  device_operator op_;
  std::unique_ptr<device_krylov> krylov_;
  std::unique_ptr<stream> on_;
  field source_;
  double flops_ = 0;
};

}  // namespace

solve_options device_solve_options(const operator_cell& cell) {
  solve_options options;
  static_cast<operator_options&>(options) = bench_options(cell);
  options.solver = cell.solver;
  options.precision = cell.precision;
  options.recon = cell.recon;
  options.tolerance = error_limit(cell.precision);
  options.device = cell.device;
  options.share_device = cell.share_device;
  options.blocks = cell.blocks;
  return options;
}

std::unique_ptr<device_work> make_device_work(device::backend& where, const hop_links& links,
                                              const operator_cell& cell) {
  if (cell.iterations) return std::make_unique<device_solve_work>(where, links, cell);
  return std::make_unique<device_hopping_work>(where, links, cell);
}

double device_seconds(const context& ctx, stream& on, const std::function<void()>& work) {
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

int count_for_a_block(const context& ctx, stream& on, const std::function<void(int)>& work) {
  const double one = device_seconds(ctx, on, [&] { work(8); }) / 8;
  return 8 * std::clamp(static_cast<int>(block_time_s / one / 8), 1, 8);
}

}  // namespace onehop::bench
