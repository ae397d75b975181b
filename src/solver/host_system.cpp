#include "solver/host_system.hpp"

#include "base/environment.hpp"
#include "base/seconds.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace onehop {
namespace {

constexpr int odd = even_odd_operator::solved;

}  // namespace

host_system::host_system(const hop_links& links, const solve_options& options)
    : linear_system(options),
      set_(choose_instruction_set(environment::read().simd)),
      team_(options.threads),
      fine_(links, options, fine_storage(options.precision), fine_reals(options), set_, team_) {
  if (iterates_coarsely(options)) {
    coarse_.emplace(links, options, coarse_storage(options.precision), options.recon, set_, team_);
  }
}

time_split host_system::time_spent() const {
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

host_system::refinement::refinement(const solver_level& fine, const solver_level& iterating,
                                    int rhs)
    : conversion(fine.layout, iterating.layout),
      every(rhs),
      x_part(fine.op.make_scratch(odd, rhs)),
      b_part(fine.op.make_scratch(odd, rhs)),
      found(iterating.op.make_field(odd, rhs)),
      iterated_r(iterating.op.make_field(odd, rhs)) {
  std::iota(every.begin(), every.end(), 0);
}

host_system::workspace::workspace(const even_odd_operator& op, int rhs)
    : b_even(op.make_field(1 - odd, rhs)),
      b_odd(op.make_field(odd, rhs)),
      x_even(op.make_field(1 - odd, rhs)),
      x_odd(op.make_field(odd, rhs)),
      b(op.make_field(odd, rhs)) {}

void host_system::workspace::reshape(int rhs) {
  for (lane_field* each : {&b_even, &b_odd, &x_even, &x_odd, &b}) each->reshape(rhs);
  r_numbers.resize(rhs);
  std::iota(r_numbers.begin(), r_numbers.end(), 0);
}

void host_system::prepare_workspace() {
  if (work_) return;
  const int rhs = options().rhs;
  work_.emplace(fine_.op, rhs);
  if (update_rule_of(options()).fall != 0) {
    work_->refined.emplace(fine_, iterating(), rhs);
  }
  // Fields are returned to the pool, from which the solver will take its own.
  std::vector<lane_field> fields;
  for (int k = 0; k < fields_of(options().solver, fine_.op.hermitian()); ++k) {
    fields.push_back(iterating().op.make_field(odd, rhs));
  }
}

void host_system::convert(const lane_conversion::job& what) {
  const lane_conversion& conversion = work_->refined->conversion;
  team_.run([&](int thread) {
    const auto share = team_.share(conversion.narrow_vectors(what.from->parity()), thread);
    conversion.convert(what, share.begin, share.end);
  });
}

rhs_values host_system::load(field sources) {
  workspace& work = *work_;
  work.reshape(static_cast<int>(sources.size() / field_size()));
  spread_all(sources, work.b_even);
  spread_all(sources, work.b_odd);
  auto [norms2, others2] = fine_.algebra.norms(work.b_even, work.b_odd);
  for (std::size_t k = 0; k < norms2.size(); ++k) norms2[k] += others2[k];
  fine_.op.prepare(work.b, work.b_even, work.b_odd);
  work.x_odd.set_zero(team_);
  work.r().copy_from(work.b, team_);
  return roots(std::move(norms2));
}

void host_system::store(solution solutions) {
  workspace& work = *work_;
  fine_.op.reconstruct(work.x_even, work.x_odd, work.b_even);
  collect_all(work.x_even, solutions);
  collect_all(work.x_odd, solutions);
}

rhs_values host_system::compute_residual(std::span<const int> numbers) {
  workspace& work = *work_;
  work.r_numbers.assign(numbers.begin(), numbers.end());
  work.r().reshape(static_cast<int>(numbers.size()));
  if (work.r().rhs() == work.b.rhs()) return fine_.residual(work.r(), work.b, work.x_odd);
  if (!work.refined) {
    return fine_.residual(work.r(), work.b.pick(fine_.layout, numbers),
                          work.x_odd.pick(fine_.layout, numbers));
  }
  work.refined->x_part.take(work.x_odd, numbers);
  work.refined->b_part.take(work.b, numbers);
  return fine_.residual(work.r(), work.refined->b_part, work.refined->x_part);
}

krylov_results host_system::iterate(std::span<const int> numbers, const krylov_limits& limits) {
  workspace& work = *work_;
  std::vector<int> places;
  for (const int number : numbers) {
    const auto found = std::ranges::find(work.r_numbers, number);
    places.push_back(static_cast<int>(found - work.r_numbers.begin()));
  }
  if (places.size() < work.r_numbers.size()) work.r().keep(places);
  krylov_limits mine;
  mine.rhs = picked(limits.rhs, numbers);
  mine.rule = limits.rule;
  if (limits.progress) {
    mine.progress = [&](int place, int iteration, double residual) {
      limits.progress(numbers[place], iteration, residual);
    };
  }
  if (!work.refined) return iterate_in_place(numbers, mine);
  refinement& by = *work.refined;
  mine.update = [&](const krylov_limits::update_call& call) {
    std::vector<int> updated;
    for (const int place : call.rhs) updated.push_back(numbers[place]);
    convert({&call.x, call.x_places, &work.x_odd, updated, true});
    call.x.set_zero(call.x_places, team_);
    rhs_values norms2 = compute_residual(updated);
    convert({&work.r(), std::span(by.every).first(updated.size()), &call.r, call.r_places});
    return norms2;
  };
  by.found.reshape(work.r().rhs());
  by.found.set_zero(team_);
  by.iterated_r.reshape(work.r().rhs());
  const std::span<const int> every = std::span(by.every).first(numbers.size());
  convert({&work.r(), every, &by.iterated_r, every});
  return iterating().run(options().solver, by.found, by.iterated_r, mine);
}

krylov_results host_system::iterate_in_place(std::span<const int> numbers,
                                             const krylov_limits& limits) {
  workspace& work = *work_;
  if (work.r().rhs() == work.x_odd.rhs()) {
    return fine_.run(options().solver, work.x_odd, work.r(), limits);
  }
  lane_field x = work.x_odd.pick(fine_.layout, numbers);
  krylov_results results = fine_.run(options().solver, x, work.r(), limits);
  work.x_odd.put(numbers, x);
  return results;
}

rhs_values host_system::finish(std::span<const int> numbers) {
  if (refinement* by = work_->refined ? &*work_->refined : nullptr) {
    const std::span<const int> every = std::span(by->every).first(numbers.size());
    convert({&by->found, every, &work_->x_odd, numbers, true});
  }
  return roots(compute_residual(numbers));
}

void host_system::spread_all(field sources, lane_field& half) {
  const std::size_t size = field_size();
  team_.run([&](int thread) {
    const auto share = team_.share(half.vectors(), thread);
    for (int k = 0; k < half.rhs(); ++k) {
      spread(fine_.layout, sources.subspan(k * size, size), half, k, share.begin, share.end);
    }
  });
}

void host_system::collect_all(const lane_field& half, solution solutions) {
  const std::size_t size = field_size();
  team_.run([&](int thread) {
    const auto share = team_.share(half.vectors(), thread);
    for (int k = 0; k < half.rhs(); ++k) {
      collect(fine_.layout, half, solutions.subspan(k * size, size), k, share.begin, share.end);
    }
  });
}

void host_system::apply(field in, solution out, bool dagger) {
  std::array<lane_field, 2> source = {fine_.op.make_field(0), fine_.op.make_field(1)};
  for (lane_field& half : source) spread_all(in, half);
  for (int parity = 0; parity < 2; ++parity) {
    lane_field image = fine_.op.make_field(parity);
    fine_.op.full(image, source[parity], source[1 - parity], dagger);
    collect_all(image, out);
  }
}

std::string host_system::kernels() const {
  std::string names = text(set_.name, " x", fine_.layout.lanes());
  if (coarse_) names += text(", x", coarse_->layout.lanes());
  if (!coarse_ && has_coarse(options().precision)) {
    names += "; block-cg of staggered quarks iterates in double, with links as they are";
  }
  return names;
}

}  // namespace onehop
