#include "benchmarks/operator_rate.hpp"

#include <onehop/collectives.hpp>
#include <onehop/gauge_field.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <optional>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "benchmarks/device_rate.hpp"
#include "benchmarks/hop_work.hpp"
#include "benchmarks/machine_rate.hpp"
#include "benchmarks/pinned_team.hpp"
#include "benchmarks/reference_result.hpp"
#include "benchmarks/solve_work.hpp"
#include "benchmarks/timed_work.hpp"
#include "dirac/hopping.hpp"
#include "dirac/site_diagonal.hpp"
#include "reference/dirac_operator.hpp"
#include "solver/level.hpp"

namespace onehop::bench {
namespace {

using measure::microseconds;

constexpr microseconds block_time(2000);

/// hopping_work is the hopping term alone or, for operators with site terms, M on the sites of one
/// parity. It goes to odd sites, from there to even ones and so on, as in solvers.
class hopping_work : public timed_work {
 public:
  hopping_work(const hop_links& links, const operator_cell& cell, field_precision kind,
               const instruction_set& set, thread_team& team)
      : links_(&links),
        cell_(cell),
        layout_(widest_layout(links.geometry(), set, kind, links.reach())),
        hop_(layout_, links,
             {.kind = hop_of(kind_of(cell.dirac)), .recon = cell.recon, .rhs = cell.rhs},
             *set.kernels(kind, layout_.lanes()), team),
        in_{field(0), field(1)},
        out_{field(0), field(1)} {
    hop_.choose(tuning::read().way_of(name(), cell.rhs));
    if (has_site_terms(cell)) {
      diagonal_.emplace(links.thin(), bench_options(cell).dirac, layout_, kind, team);
    }
  }

  void run(int count) override {
    for (int k = 0; k < count; ++k) {
      const int parity = 1 - k % 2;
      hop_.apply(out_[parity], parity == 1 ? in_[0] : out_[1], terms(parity));
    }
  }
  const kernel_table& kernels() const override { return hop_.kernels(); }
  const lane_layout& layout() const override { return layout_; }
  double flops() const override { return hop_work_flops(layout_.geometry(), cell_, diagonal_); }
  double bytes() const override { return hop_work_bytes(hop_, cell_, diagonal_); }
  double bytes_written() const override { return static_cast<double>(out_[1].bytes()); }
  /// The working set is the data that one hop moves and the output of the previous hop.
  double working_set() const override { return bytes() + bytes_written(); }

  double error() override {
    const onehop::geometry& geometry = layout_.geometry();
    for (int r = 0; r < cell_.rhs; ++r) {
      const fermion psi = noise(geometry, kind_of(cell_.dirac), r);
      for (lane_field& half : in_) spread(layout_, psi, half, r);
    }
    for (int parity = 0; parity < 2; ++parity) {
      hop_.apply(out_[parity], in_[1 - parity], terms(parity));
    }
    fermion all_got, all_expected;
    // All right-hand sides are computed in the same way, so that an error would show in the first
    // or the last.
    for (const int r : {0, cell_.rhs - 1}) {
      const fermion expected =
          reference_result(*links_, cell_, noise(geometry, kind_of(cell_.dirac), r));
      fermion got(expected.size());
      for (const lane_field& half : out_) collect(layout_, half, got, r);
      all_got.insert(all_got.end(), got.begin(), got.end());
      all_expected.insert(all_expected.end(), expected.begin(), expected.end());
    }
    return distance(geometry.context(), all_got, all_expected);
  }

 private:
  std::string name() const {
    return hop_name(hop_.kind(), hop_.kernels().kind, cell_.recon, layout_.geometry(),
                    hop_.team().threads());
  }
  lane_field field(int parity) const {
    return {layout_, parity, components(kind_of(cell_.dirac)), hop_.kernels().kind, cell_.rhs};
  }
  hopping::terms terms(int parity) const {
    return hop_work_terms<hopping::terms>(diagonal_, in_[parity], parity);
  }

  const hop_links* links_;
  operator_cell cell_;
  lane_layout layout_;
  hopping hop_;
  std::optional<site_diagonal> diagonal_;
  std::array<lane_field, 2> in_, out_;
};

/// Returns the seconds of `count` units on the slowest rank.
double work_seconds(const context& ctx, timed_work& work, int count) {
  std::array<double, 1> spent = {work.seconds(count)};
  allreduce_max(ctx, spent);
  return spent[0];
}

/// Returns the mean over ranks.
work_split mean_split(const context& ctx, const work_split& mine) {
  std::array<double, 5> parts = {mine.whole, mine.operators, mine.faces, mine.reductions,
                                 mine.vectors};
  allreduce_sum(ctx, parts);
  for (double& part : parts) part /= ctx.size();
  return {parts[0], parts[1], parts[2], parts[3], parts[4]};
}

void take_samples(const context& ctx, timed_work& work, thread_team& team, operator_rate& rate,
                  const measure::stopping_limits& stop) {
  machine_rate machine(
      work.kernels(), team,
      static_cast<std::size_t>(rate.working_set_bytes) / static_cast<std::size_t>(ctx.size()),
      work.bytes_written() / work.bytes());
  work.run(2);
  const double one = work_seconds(ctx, work, 2) / 2;
  const int count = std::max(2, static_cast<int>(block_time.count() * 1e-6 / one));
  const int streams = std::max(1, static_cast<int>(count * work.bytes() / machine.bytes()));
  machine.stream();
  double spent = 0;
  while (measure::check_progress(stop, rate.gflops, microseconds(spent * 1e6)) ==
         measure::progress::more) {
    const double compute_s = seconds_of(ctx, [&] { machine.compute(); });
    const double stream_s = seconds_of(ctx, [&] {
      for (int k = 0; k < streams; ++k) machine.stream();
    });
    const double work_s = work_seconds(ctx, work, count);
    rate.splits.push_back(mean_split(ctx, work.split()));
    rate.fma_gflops.push_back(machine.flops() * ctx.size() / compute_s * 1e-9);
    rate.memory_gbs.push_back(machine.bytes() * ctx.size() * streams / stream_s * 1e-9);
    rate.gflops.push_back(work.flops() * count / work_s * 1e-9);
    spent += compute_s + stream_s + work_s;
  }
}

}  // namespace

std::vector<std::complex<double>> noise(const onehop::geometry& geometry, dslash kind, int seed) {
  const int n = components(kind);
  fermion field(geometry.local_volume() * n);
  random_source(geometry, static_cast<std::uint64_t>(seed), n, field);
  return field;
}

bool has_site_terms(const operator_cell& cell) noexcept {
  return kind_of(cell.dirac) == dslash::clover || mu_of(cell.dirac) != 0;
}

operator_rate measure_operator(const onehop::geometry& geometry, const operator_cell& what,
                               const measure::stopping_limits& stop) {
  if (what.device != device_choice::host || what.make_backend)
    return measure_device_operator(geometry, what, stop);
  pinned_team threads(what.threads, what.first_core);
  const pinned_team::stay stay(threads);
  thread_team& team = threads.team();
  const instruction_set& set = choose_instruction_set(environment::read().simd);
  const bench_links bench(geometry);
  const hop_links links(bench.links, what.dirac);
  const field_precision kind = field_precision_of(what.precision);
  std::unique_ptr<timed_work> work;
  if (what.iterations) {
    work = std::make_unique<solve_work>(links, what, kind, set, team);
  } else {
    work = std::make_unique<hopping_work>(links, what, kind, set, team);
  }
  operator_rate rate;
  rate.kernels = text(set.name, " x", work->layout().lanes());
  const double sites = static_cast<double>(geometry.volume()) / 2 * what.rhs;
  rate.flops_per_site = work->flops() / sites;
  rate.bytes_per_site = work->bytes() * geometry.context().size() / sites;
  rate.working_set_bytes = work->working_set() * geometry.context().size();
  rate.error = work->error();
  rate.error_limit = error_limit(what.precision);
  take_samples(geometry.context(), *work, team, rate, stop);
  return rate;
}

}  // namespace onehop::bench
