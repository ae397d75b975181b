#include "solver/linear_system.hpp"

#include "base/environment.hpp"
#include "base/seconds.hpp"
#include "base/text.hpp"
#include "solver/restarts.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace onehop {
namespace {

/// Returns |b|^2 of canonical fields, by right-hand side.
rhs_values source_norms_of(field_algebra& algebra, const lane_field& even, const lane_field& odd) {
  auto [norms, others] = algebra.norms(even, odd);
  for (std::size_t k = 0; k < norms.size(); ++k) norms[k] = std::sqrt(norms[k] + others[k]);
  return std::move(norms);
}

/// Returns whether the residual that the solver's recurrence carries drifts from the true one, and
/// must be replaced.
bool drifts(solver_kind solver) {
  return solver == solver_kind::pipelined_cg || solver == solver_kind::block_cg;
}

}  // namespace

bool has_coarse(precision wanted) {
  return wanted == precision::half || wanted == precision::mixed;
}

bool iterates_coarsely(const solve_options& options) {
  const bool gains =
      options.solver != solver_kind::block_cg || !is_staggered(kind_of(options.dirac));
  return has_coarse(options.precision) && gains;
}

field_precision coarse_storage(precision wanted) {
  return wanted == precision::half ? field_precision::half : field_precision::single;
}

field_precision fine_storage(precision wanted) {
  const bool twofold = wanted == precision::double_ || wanted == precision::mixed;
  return twofold ? field_precision::double_ : field_precision::single;
}

linear_system::linear_system(const hop_links& links, const solve_options& options)
    : options_(options),
      set_(choose_instruction_set(environment::read().simd)),
      team_(options.threads),
      fine_(links, options, fine_storage(options.precision),
            has_coarse(options.precision) ? 18 : options.recon, set_, team_) {
  if (iterates_coarsely(options)) {
    coarse_.emplace(links, options, coarse_storage(options.precision), options.recon, set_, team_);
  }
}

time_split linear_system::time_spent() const {
  time_split time;
  const auto add = [&time](const solver_level& level) {
    time.operator_s += seconds(level.op.time().compute);
    time.halo_wait_s += seconds(level.op.time().halo_wait);
    time.vector_s += seconds(level.algebra.vector_time());
    time.reduction_s += seconds(level.algebra.reduction_time());
  };
  add(fine_);
  if (coarse_) add(*coarse_);
  return time;
}

linear_system::workspace::workspace(linear_system& system)
    : b_even(system.fine_.op.make_field(1 - even_odd_operator::solved, system.options_.rhs)),
      b_odd(system.fine_.op.make_field(even_odd_operator::solved, system.options_.rhs)),
      x_even(system.fine_.op.make_field(1 - even_odd_operator::solved, system.options_.rhs)),
      x_odd(system.fine_.op.make_field(even_odd_operator::solved, system.options_.rhs)),
      b(system.fine_.op.make_field(even_odd_operator::solved, system.options_.rhs)) {
  if (system.coarse_ || drifts(system.options_.solver)) {
    refined.emplace(system.fine_, system.iterating(), system.options_.rhs);
  }
}

void linear_system::workspace::reshape(int columns) {
  for (lane_field* field : {&b_even, &b_odd, &x_even, &x_odd, &b}) field->reshape(columns);
}

krylov_results linear_system::run(std::span<const int> columns, lane_field& x, lane_field& r,
                                  const lane_field& b, const rhs_values& source_norms,
                                  std::span<const solve_report> reports, int first,
                                  rhs_values& norms2) {
  krylov_limits limits;
  // These solvers stop at the first residual below the target that is computed again in single
  // precision, whose last digits are rounding.
  const bool blurred = drifts(options_.solver) && options_.precision == precision::single;
  const double goal = (blurred ? 0.97 : 1.0) * options_.tolerance;
  for (const int column : columns) {
    limits.columns.push_back(
        {goal * source_norms[column], options_.max_iterations - reports[column].iterations});
  }
  if (options_.progress) {
    limits.progress = [&](int place, int iteration, double residual) {
      const int column = columns[place];
      options_.progress({reports[column].iterations + iteration, residual / source_norms[column],
                         first + column});
    };
  }
  if (work_->refined) {
    return work_->refined->solve(options_.solver, x, r, b, std::move(limits), norms2);
  }
  krylov_results results = fine_.run(options_.solver, x, r, limits);
  r.reshape(b.rhs());
  norms2 = fine_.residual(r, b, x);
  return results;
}

void linear_system::iterate(lane_field& x, lane_field& residual, const lane_field& b,
                            const rhs_values& source_norms, std::span<solve_report> reports,
                            int first) {
  std::vector<int> open;
  for (int k = 0; k < b.rhs(); ++k) {
    reports[k].converged = source_norms[k] == 0;
    if (!reports[k].converged) open.push_back(k);
  }
  std::vector<restarts> again(source_norms.size());
  while (!open.empty()) {
    rhs_values norms2;
    krylov_results results;
    if (static_cast<int>(open.size()) == b.rhs()) {
      results = run(open, x, residual, b, source_norms, reports, first, norms2);
    } else {
      lane_field x_part = x.pick(fine_.layout, open);
      lane_field r_part = residual.pick(fine_.layout, open);
      results = run(open, x_part, r_part, b.pick(fine_.layout, open), source_norms, reports, first,
                    norms2);
      x.put(open, x_part);
      residual.put(open, r_part);
    }
    std::vector<int> still_open;
    for (std::size_t place = 0; place < open.size(); ++place) {
      const int column = open[place];
      solve_report& report = reports[column];
      report.iterations += results[place].iterations;
      report.reliable_updates += results[place].updates;
      report.residual_iterated = results[place].residual / source_norms[column];
      if (again[column].wanted(std::sqrt(norms2[place]), source_norms[column], options_, report)) {
        still_open.push_back(column);
      }
    }
    open = std::move(still_open);
  }
}

void linear_system::spread_all(field sources, lane_field& half) {
  const std::size_t size = field_size();
  team_.run([&](int thread) {
    const auto share = team_.share(half.vectors(), thread);
    for (int k = 0; k < half.rhs(); ++k) {
      spread(fine_.layout, sources.subspan(k * size, size), half, k, share.begin, share.end);
    }
  });
}

void linear_system::collect_all(const lane_field& half, solution solutions) {
  const std::size_t size = field_size();
  team_.run([&](int thread) {
    const auto share = team_.share(half.vectors(), thread);
    for (int k = 0; k < half.rhs(); ++k) {
      collect(fine_.layout, half, solutions.subspan(k * size, size), k, share.begin, share.end);
    }
  });
}

void linear_system::prepare_workspace() {
  if (work_) return;
  work_.emplace(*this);
  // Fields are given back to the pool, from which the solver will take its own.
  std::vector<lane_field> fields;
  for (int k = 0; k < fields_of(options_.solver, fine_.op.hermitian()); ++k) {
    fields.push_back(iterating().op.make_field(even_odd_operator::solved, options_.rhs));
  }
}

std::vector<solve_report> linear_system::solve(field sources, solution solutions, int first) {
  const int columns = static_cast<int>(sources.size() / field_size());
  prepare_workspace();
  workspace& work = *work_;
  work.reshape(columns);
  spread_all(sources, work.b_even);
  spread_all(sources, work.b_odd);
  const rhs_values norms = source_norms_of(fine_.algebra, work.b_even, work.b_odd);
  for (const double norm : norms) require_finite(norm, "norm of the source", 0);

  std::vector<solve_report> reports(columns);
  fine_.op.prepare(work.b, work.b_even, work.b_odd);
  work.x_odd.set_zero(team_);
  lane_field& residual = work.b_odd;
  residual.copy_from(work.b, team_);
  iterate(work.x_odd, residual, work.b, norms, reports, first);
  fine_.op.reconstruct(work.x_even, work.x_odd, work.b_even);
  collect_all(work.x_even, solutions);
  collect_all(work.x_odd, solutions);
  return reports;
}

void linear_system::apply(field in, solution out, bool dagger) {
  std::array<lane_field, 2> source = {fine_.op.make_field(0), fine_.op.make_field(1)};
  for (lane_field& half : source) spread_all(in, half);
  for (int parity = 0; parity < 2; ++parity) {
    lane_field image = fine_.op.make_field(parity);
    fine_.op.full(image, source[parity], source[1 - parity], dagger);
    collect_all(image, out);
  }
}

std::string linear_system::kernels() const {
  std::string names = text(set_.name, " x", fine_.layout.lanes());
  if (coarse_) names += text(", x", coarse_->layout.lanes());
  if (!coarse_ && has_coarse(options_.precision)) {
    names += "; block-cg of staggered quarks iterates in double, with links as they are";
  }
  return names;
}

}  // namespace onehop
