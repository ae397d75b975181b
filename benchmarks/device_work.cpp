#include "benchmarks/device_work.hpp"

#include <onehop/collectives.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <optional>

#include "benchmarks/hop_work.hpp"
#include "benchmarks/reference_result.hpp"
#include "benchmarks/solve_work.hpp"
#include "dirac/device/diagonal.hpp"
#include "measure/stopwatch.hpp"
#include "solver/device_choice.hpp"
#include "solver/device_krylov.hpp"
#include "solver/solver_on_backend.hpp"

namespace onehop::bench {
namespace {

using device::field;
using device::memory;

constexpr double block_time_s = 2e-3;

/// device_hopping_work is the hopping term alone or, for operators with site terms, M on the sites
/// of one parity. It goes to odd sites, from there to even ones and so on, as in solvers.
class device_hopping_work : public device_work {
 public:
  device_hopping_work(device::backend& where, const hop_links& links, const operator_cell& cell)
      : links_(&links),
        cell_(cell),
        on_(where.make_stream()),
        hop_(where, links,
             {.kind = hop_of(kind_of(cell.dirac)), .recon = cell.recon, .rhs = cell.rhs},
             field_precision_of(cell.precision)),
        in_{hop_.make_field(), hop_.make_field()},
        out_{hop_.make_field(), hop_.make_field()} {
    if (has_site_terms(cell)) {
      diagonal_.emplace(where, *on_, hop_.layout(), links.thin(), bench_options(cell).dirac,
                        cell.threads, hop_.precision());
    }
  }

  void run(device::stream& on, int count) override {
    for (int k = 0; k < count; ++k) {
      const int parity = 1 - k % 2;
      hop_.apply(on, out_[parity], parity == 1 ? in_[0] : out_[1], parity, terms(parity));
    }
    hop_.synchronise(on);
  }
  double flops() const override { return hop_work_flops(hop_.shape(), cell_, diagonal_); }
  double bytes() const override { return hop_work_bytes(hop_, cell_, diagonal_); }

  double error() override {
    for (int k = 0; k < cell_.rhs; ++k) load(k);
    for (int parity = 0; parity < 2; ++parity) {
      hop_.apply(*on_, out_[parity], in_[1 - parity], parity, terms(parity));
    }
    double largest = 0;
    // All right-hand sides are computed in the same way, so that an error would show in the first
    // or the last.
    for (const int k : {0, cell_.rhs - 1}) {
      const fermion psi = noise(hop_.shape(), kind_of(cell_.dirac), k);
      largest = std::max(largest, distance(hop_.shape().context(), found(k, psi.size()),
                                           reference_result(*links_, cell_, psi)));
    }
    return largest;
  }

 private:
  device::hopping::terms terms(int parity) const {
    return hop_work_terms<device::hopping::terms>(diagonal_, in_[parity], parity);
  }
  device::canonical_job place_of(const field& of, int n, int parity, const memory& workspace) {
    return {hop_.map(), parity, of.view(n), workspace.as<double>(), of.count(), of.components()};
  }
  void load(int n) {
    const fermion psi = noise(hop_.shape(), kind_of(cell_.dirac), n);
    memory workspace(hop_.where(), psi.size() * sizeof(psi[0]));
    on_->copy_in(workspace.data(), psi.data(), psi.size() * sizeof(psi[0]));
    for (int parity = 0; parity < 2; ++parity) {
      hop_.kernels().spread(*on_, place_of(in_[parity], n, parity, workspace));
    }
    on_->synchronise();
  }
  fermion found(int n, std::size_t size) {
    fermion got(size);
    memory workspace(hop_.where(), size * sizeof(got[0]));
    for (int parity = 0; parity < 2; ++parity) {
      hop_.kernels().collect(*on_, place_of(out_[parity], n, parity, workspace));
    }
    on_->copy_out(got.data(), workspace.data(), size * sizeof(got[0]));
    on_->synchronise();
    return got;
  }

  const hop_links* links_;
  operator_cell cell_;
  std::unique_ptr<device::stream> on_;
  device::hopping hop_;
  std::optional<device::diagonal> diagonal_;
  std::array<field, 2> in_, out_;
};

/// device_solve_work is iterations of a solver, whose residual is never small enough.
class device_solve_work : public device_work {
 public:
  device_solve_work(device::backend& where, const hop_links& links, const operator_cell& cell)
      : links_(&links),
        cell_(cell),
        op_(where, links, bench_options(cell), field_precision_of(cell.precision), cell.recon),
        krylov_(make_device_krylov(cell.solver, op_)),
        on_(where.make_stream()),
        source_(op_.make_field()),
        all_(where, cell.rhs) {
    all_.choose(*on_, std::vector<bool>(static_cast<std::size_t>(cell.rhs), true));
    for (int k = 0; k < cell.rhs; ++k) {
      const fermion b = noise(op_.hop().shape(), kind_of(cell.dirac), 1 + k);
      memory workspace(where, b.size() * sizeof(b[0]));
      on_->copy_in(workspace.data(), b.data(), b.size() * sizeof(b[0]));
      op_.hop().kernels().spread(
          *on_, {op_.hop().map(), device_operator::solved, source_.view(k), workspace.as<double>(),
                 source_.count(), source_.components()});
      on_->synchronise();
    }
    const double before = op_.flops();
    run(*on_, 1);
    const double one = op_.flops() - before;
    run(*on_, 2);
    flops_ = op_.flops() - before - 2 * one;
  }

  void run(device::stream& on, int count) override {
    op_.convert(on, krylov_->residual(), source_, all_);
    krylov_->solution().clear(on);
    krylov_limits limits;
    limits.rhs.assign(static_cast<std::size_t>(cell_.rhs), {0, count});
    krylov_->run(on, all_, limits, {});
  }
  double flops() const override { return flops_; }
  /// The bytes are counted like those of cg_work on the host.
  double bytes() const override {
    const double applications = op_.hermitian() ? 1 : 2;
    const double vectors = cell_.solver == solver_kind::cg ? 9 : 18;
    return applications * static_cast<double>(op_.schur_bytes()) +
           vectors * static_cast<double>(source_.bytes());
  }
  double error() override {
    auto where = cell_.make_backend ? cell_.make_backend() : nullptr;
    auto solver = solver_on_backend::make(std::move(where), links_->thin(), bench_options(cell_));
    fermion b;
    for (int k = 0; k < cell_.rhs; ++k) {
      const fermion one = noise(op_.hop().shape(), kind_of(cell_.dirac), 1 + k);
      b.insert(b.end(), one.begin(), one.end());
    }
    fermion x(b.size());
    double largest = 0;
    for (const solve_report& report : solver.solve_many(b, x)) {
      largest = std::max(largest, report.residual_true);
    }
    return largest;
  }

 private:
  const hop_links* links_;
  operator_cell cell_;
  device_operator op_;
  std::unique_ptr<device_krylov> krylov_;
  std::unique_ptr<device::stream> on_;
  field source_;
  rhs_mask all_;
  double flops_ = 0;
};

}  // namespace

std::unique_ptr<device::backend> open_cell_device(const context& ctx, const operator_cell& cell) {
  return cell.make_backend ? cell.make_backend() : open_device(ctx, cell);
}

std::unique_ptr<device_work> make_device_work(device::backend& where, const hop_links& links,
                                              const operator_cell& cell) {
  if (cell.iterations) return std::make_unique<device_solve_work>(where, links, cell);
  return std::make_unique<device_hopping_work>(where, links, cell);
}

double device_seconds(const context& ctx, device::stream& on, const std::function<void()>& work) {
  on.synchronise();
  return seconds_of(ctx, [&] {
    work();
    on.synchronise();
  });
}

int count_for_a_block(const context& ctx, device::stream& on,
                      const std::function<void(int)>& work) {
  const double one = device_seconds(ctx, on, [&] { work(8); }) / 8;
  return 8 * std::clamp(static_cast<int>(block_time_s / one / 8), 1, 8);
}

}  // namespace onehop::bench
