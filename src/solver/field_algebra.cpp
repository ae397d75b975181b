#include "solver/field_algebra.hpp"

#include <onehop/context.hpp>

#include <algorithm>
#include <array>

namespace onehop {

field_algebra::field_algebra(const context& ctx, const kernel_table& kernels,
                             const lane_layout& layout, int components, int rhs, thread_team& team)
    : ctx_(ctx),
      kernels_(&kernels),
      team_(&team),
      global_reals_(static_cast<double>(layout.geometry().volume()) * components),
      lanes_(layout.lanes()),
      partial_(team.threads()) {
  const std::size_t bytes =
      static_cast<std::size_t>(std::max({layout.vectors(0), layout.vectors(1), std::int32_t{1}})) *
      lanes_ * rhs * sizeof(double);
  for (int sum = 0; sum < most_sums; ++sum) site_terms_.emplace_back(bytes);
}

void field_algebra::apply(kernel function, const pass& what) {
  const auto begin = ctx_.now();
  const lane_field& shape = what.shape();
  team_->run([&](int thread) {
    const auto share = team_->share(shape.vectors(), thread);
    const std::size_t block = share.begin * shape.rhs();
    const auto from_share = [&](auto* field) { return field->data() + block * shape.block_size(); };
    field_job job;
    std::ranges::transform(what.out, job.out.begin(), from_share);
    std::ranges::transform(what.in, job.in.begin(), from_share);
    std::ranges::transform(what.by, job.factors.begin(), &factors::data);
    if (what.by.size() > 0) job.factor_step = what.by.begin()->step();
    for (int sum = 0; sum < what.sums; ++sum)
      job.sums[sum] = terms(what.first_sum + sum) + block * shape.lanes();
    job.vectors = share.end - share.begin;
    job.rhs = shape.rhs();
    job.components = shape.components();
    function(job);
  });
  vector_time_ += ctx_.now() - begin;
}

void field_algebra::run(kernel function, double flops_per_real, const pass& what) {
  apply(function, what);
  const std::size_t read_and_written = what.out.size(), read = what.in.size();
  count(what.shape(), flops_per_real, static_cast<double>(2 * read_and_written + read));
}

void field_algebra::axpy(lane_field& y, factors a, const lane_field& x) {
  run(kernels_->axpy, 2, {.out = {&y}, .in = {&x}, .by = {a}});
}

void field_algebra::xpay(lane_field& y, factors a, const lane_field& x) {
  run(kernels_->xpay, 2, {.out = {&y}, .in = {&x}, .by = {a}});
}

void field_algebra::residual_step(lane_field& r, factors a, const lane_field& q, int where) {
  run(kernels_->residual_step, 4,
      {.out = {&r}, .in = {&q}, .by = {a}, .sums = 1, .first_sum = where});
}

void field_algebra::direction_step(lane_field& x, factors a, lane_field& p, factors b,
                                   const lane_field& r) {
  run(kernels_->direction_step, 4, {.out = {&x, &p}, .in = {&r}, .by = {a, b}});
}

void field_algebra::shifted_step(lane_field& x, factors a, lane_field& p, factors b,
                                 const lane_field& r, factors c) {
  run(kernels_->shifted_step, 5, {.out = {&x, &p}, .in = {&r}, .by = {a, b, c}});
}

void field_algebra::pipelined_step(const pipelined_fields& f, factors a, factors b,
                                   const lane_field& q) {
  run(kernels_->pipelined_step, 16,
      {.out = {&f.x, &f.p, &f.r, &f.s, &f.w, &f.z}, .in = {&q}, .by = {a, b}, .sums = 2});
}

void field_algebra::half_step(lane_field& r, factors a, const lane_field& v, const lane_field& r0,
                              int where) {
  run(kernels_->half_step, 10,
      {.out = {&r}, .in = {&v, &r0}, .by = {a}, .sums = 3, .first_sum = where});
}

void field_algebra::two_dots(const lane_field& t, const lane_field& r, const lane_field& r0,
                             int where) {
  run(kernels_->site_two_dots, 8, {.in = {&t, &r, &r0}, .sums = 4, .first_sum = where});
}

void field_algebra::stabilised_step(lane_field& x, factors a, lane_field& p, factors b,
                                    lane_field& r, const lane_field& t, factors c,
                                    const lane_field& v) {
  run(kernels_->stabilised_step, 20, {.out = {&x, &r, &p}, .in = {&t, &v}, .by = {a, b, c}});
}

/// Terms of one right-hand side come in runs of `lanes_`; they are made contiguous for
/// exact_sum::add.
void field_algebra::add_terms(exact_sum& sum, const double* terms, thread_team::piece vectors,
                              int rhs) const {
  std::array<double, 1024> near;
  const std::size_t runs = near.size() / static_cast<std::size_t>(lanes_);
  const std::size_t step = static_cast<std::size_t>(rhs) * lanes_;
  for (std::size_t vector = vectors.begin; vector < vectors.end; vector += runs) {
    const std::size_t count = std::min(runs, vectors.end - vector);
    for (std::size_t k = 0; k < count; ++k) {
      std::copy_n(terms + (vector + k) * step, lanes_, near.data() + k * lanes_);
    }
    sum.add(std::span(near.data(), count * lanes_));
  }
}

std::vector<exact_sum> field_algebra::add_up(int count, const lane_field& shape) {
  const auto begin = ctx_.now();
  const int rhs = shape.rhs();
  team_->run([&](int thread) {
    const auto share = team_->share(shape.vectors(), thread);
    std::vector<exact_sum>& mine = partial_[thread];
    mine.assign(static_cast<std::size_t>(count) * rhs, {});
    for (int sum = 0; sum < count; ++sum) {
      if (rhs == 1) {
        mine[sum].add(
            std::span(terms(sum) + share.begin * lanes_, terms(sum) + share.end * lanes_));
        continue;
      }
      for (int n = 0; n < rhs; ++n) {
        add_terms(mine[sum * rhs + n], terms(sum) + n * lanes_, share, rhs);
      }
    }
  });
  std::vector<exact_sum> sums = partial_[0];
  for (std::size_t thread = 1; thread < partial_.size(); ++thread) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].merge(partial_[thread][k]);
  }
  vector_time_ += ctx_.now() - begin;
  return sums;
}

std::vector<rhs_values> field_algebra::left(int count, const lane_field& shape) {
  started_totals started = start_left(count, shape);
  return finish(started, count, shape);
}

started_totals field_algebra::start_left(int count, const lane_field& shape) {
  std::vector<exact_sum> sums = add_up(count, shape);
  const auto begin = ctx_.now();
  started_totals started(ctx_, std::move(sums));
  ++reductions_;
  reduction_time_ += ctx_.now() - begin;
  return started;
}

std::vector<rhs_values> field_algebra::finish(started_totals& started, int count,
                                              const lane_field& shape) {
  const auto begin = ctx_.now();
  rhs_values all(static_cast<std::size_t>(count) * shape.rhs());
  started.finish(all);
  std::vector<rhs_values> results;
  for (auto at = all.begin(); at != all.end(); at += shape.rhs()) {
    results.emplace_back(at, at + shape.rhs());
  }
  reduction_time_ += ctx_.now() - begin;
  return results;
}

rhs_values field_algebra::norms(const lane_field& x) {
  run(kernels_->site_norms, 2, {.in = {&x}, .sums = 1});
  return left(x);
}

field_algebra::two_norms field_algebra::norms(const lane_field& x, const lane_field& y) {
  // The halves of a block with an odd number of sites differ in length.
  if (x.vectors() != y.vectors()) return {norms(x), norms(y)};
  apply(kernels_->site_norms, {.in = {&x}, .sums = 1});
  apply(kernels_->site_norms, {.in = {&y}, .sums = 1, .first_sum = 1});
  count(x, 4, 2);
  auto both = left(2, x);
  return {std::move(both[0]), std::move(both[1])};
}

complex_values field_algebra::dots(const lane_field& x, const lane_field& y) {
  run(kernels_->site_dots, 4, {.in = {&x, &y}, .sums = 2});
  const auto parts = left(2, x);
  complex_values result;
  for (int k = 0; k < x.rhs(); ++k) result.emplace_back(parts[0][k], parts[1][k]);
  return result;
}

// A field of one parity has its complex components on half of the sites.
void field_algebra::count(const lane_field& shape, double flops_per_real, double fields) {
  const auto begin = ctx_.now();
  const double reals = global_reals_ * shape.rhs();
  flops_ += flops_per_real * reals;
  const double mine = reals / ctx_.size();
  const double bytes = kernels_->kind == field_precision::half
                           ? 2
                           : static_cast<double>(arithmetic_bytes(kernels_->kind));
  ctx_.work({flops_per_real * mine, fields * bytes * mine, 1});
  vector_time_ += ctx_.now() - begin;
}

}  // namespace onehop
