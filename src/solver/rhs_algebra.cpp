#include "solver/field_algebra.hpp"

#include <algorithm>

namespace onehop {
namespace {

/// The vectors of all fields of a pass take at most this much memory, so that they stay in a core's
/// cache while one kernel after another works on them.
constexpr std::size_t near_bytes = std::size_t{512} << 10U;

std::size_t vectors_at_once(const lane_field& x) {
  constexpr std::size_t fields = 4;
  const std::size_t bytes = fields * static_cast<std::size_t>(x.rhs()) * x.block_size();
  return std::clamp<std::size_t>(near_bytes / bytes, 8, 128);
}

mix_job job_for(lane_field& out, const lane_field* addend, const lane_field& in,
                const rhs_matrix& a) {
  return {.in = in.data(),
          .addend = addend == nullptr ? nullptr : addend->data(),
          .out = out.data(),
          .matrix = a.data(),
          .in_rhs = a.rows(),
          .out_rhs = a.columns(),
          .components = in.components(),
          .vectors = in.vectors()};
}

/// Returns the part of the job for these vectors of fields that are shaped like `shape` except for
/// their right-hand sides.
mix_job part_of(mix_job job, const lane_field& shape, std::size_t begin, std::size_t end) {
  const std::size_t block = shape.block_size();
  job.in += begin * job.in_rhs * block;
  job.out += begin * job.out_rhs * block;
  if (job.addend != nullptr) job.addend += begin * job.out_rhs * block;
  job.vectors = end - begin;
  return job;
}

double mixing_flops(const rhs_matrix& a) { return 4.0 * a.rows(); }

}  // namespace

/// product_sums accumulate the sums of products, one set for each piece of each thread.
class field_algebra::product_sums {
 public:
  product_sums(const field_algebra& algebra, const lane_field& left, const lane_field& right,
               bool hermitian)
      : algebra_(algebra),
        left_(left),
        right_(right),
        hermitian_(hermitian),
        step_(vectors_at_once(right) * algebra.lanes_),
        threads_(algebra.partial_.size()) {
    const auto pieces = static_cast<std::size_t>(2 * left.rhs() * right.rhs());
    for (part& each : threads_) {
      each.sums.resize(pieces);
      each.terms.resize(pieces * step_);
    }
  }

  void add(int thread, std::size_t begin, std::size_t end) {
    part& mine = threads_[thread];
    const std::size_t block = left_.block_size();
    algebra_.kernels_->rhs_dots({.left = left_.data() + begin * left_.rhs() * block,
                                 .right = right_.data() + begin * right_.rhs() * block,
                                 .left_rhs = left_.rhs(),
                                 .right_rhs = right_.rhs(),
                                 .hermitian = hermitian_,
                                 .components = left_.components(),
                                 .vectors = end - begin,
                                 .terms = mine.terms.data(),
                                 .step = step_});
    const std::size_t count = (end - begin) * algebra_.lanes_;
    for_each_piece([&](std::size_t piece) {
      mine.sums[piece].add(std::span(mine.terms.data() + piece * step_, count));
    });
  }

  /// Returns the total over all threads and ranks. Collective.
  rhs_matrix total(const context& ctx) {
    std::vector<exact_sum> sums;
    for_each_piece([&](std::size_t piece) {
      sums.push_back(threads_[0].sums[piece]);
      for (std::size_t t = 1; t < threads_.size(); ++t) {
        sums.back().merge(threads_[t].sums[piece]);
      }
    });
    rhs_values values(sums.size());
    totals(ctx, sums, values);
    rhs_matrix result(left_.rhs(), right_.rhs());
    auto next = values.begin();
    for_each_piece([&](std::size_t piece) {
      const int i = static_cast<int>(piece / 2) / right_.rhs();
      const int j = static_cast<int>(piece / 2) % right_.rhs();
      const double value = *next++;
      result(i, j) += piece % 2 == 0 ? std::complex(value) : std::complex(0.0, value);
      if (hermitian_) result(j, i) = std::conj(result(i, j));
    });
    return result;
  }

 private:
  struct part {
    std::vector<exact_sum> sums;
    std::vector<double> terms;
  };

  /// Calls work for [left][right][re, im] of each product that does not follow from another.
  template <class Work>
  void for_each_piece(const Work& work) const {
    for (int i = 0; i < left_.rhs(); ++i) {
      for (int j = hermitian_ ? i : 0; j < right_.rhs(); ++j) {
        const auto pair = static_cast<std::size_t>(i) * right_.rhs() + j;
        work(2 * pair);
        if (!hermitian_ || i != j) work(2 * pair + 1);
      }
    }
  }

  const field_algebra& algebra_;
  const lane_field &left_, &right_;
  bool hermitian_;
  std::size_t step_;
  std::vector<part> threads_;
};

/// Calls work(thread, first, last) for one range of vectors after another.
template <class Work>
void field_algebra::in_pieces(const lane_field& shape, const Work& work) {
  const auto begin = ctx_.now();
  const std::size_t most = vectors_at_once(shape);
  team_->run([&](int thread) {
    const auto share = team_->share(shape.vectors(), thread);
    for (std::size_t at = share.begin; at < share.end; at += most) {
      work(thread, at, std::min(at + most, share.end));
    }
  });
  vector_time_ += ctx_.now() - begin;
}

rhs_matrix field_algebra::total(product_sums& sums) {
  const auto begin = ctx_.now();
  ++reductions_;
  rhs_matrix result = sums.total(ctx_);
  reduction_time_ += ctx_.now() - begin;
  return result;
}

rhs_matrix field_algebra::products(const lane_field& x, const lane_field& y, bool hermitian) {
  const auto begin = ctx_.now();
  product_sums sums(*this, x, y, hermitian);
  vector_time_ += ctx_.now() - begin;
  in_pieces(
      y, [&](int thread, std::size_t first, std::size_t last) { sums.add(thread, first, last); });
  count(y, (hermitian ? 2.0 : 4.0) * x.rhs(), 2);
  return total(sums);
}

void field_algebra::mix(lane_field& out, const lane_field* addend, const lane_field& in,
                        const rhs_matrix& a) {
  const mix_job job = job_for(out, addend, in, a);
  in_pieces(out, [&](int, std::size_t first, std::size_t last) {
    kernels_->mix_rhs(part_of(job, in, first, last));
  });
  count(out, mixing_flops(a), 3);
}

rhs_matrix field_algebra::block_step(lane_field& x, const rhs_matrix& a, const lane_field& p,
                                     lane_field& q, const rhs_matrix& b, const lane_field& v) {
  const auto begin = ctx_.now();
  const rhs_matrix minus_b = -b;
  const mix_job solution = job_for(x, &x, p, a);
  const mix_job residual = job_for(q, &q, v, minus_b);
  product_sums sums(*this, q, q, true);
  vector_time_ += ctx_.now() - begin;
  in_pieces(q, [&](int thread, std::size_t first, std::size_t last) {
    kernels_->mix_rhs(part_of(solution, p, first, last));
    kernels_->mix_rhs(part_of(residual, v, first, last));
    sums.add(thread, first, last);
  });
  count(x, mixing_flops(a), 3);
  count(q, mixing_flops(b) + 2.0 * q.rhs(), 3);
  return total(sums);
}

void field_algebra::block_update_directions(lane_field& q, const rhs_matrix& a, lane_field& p,
                                            const rhs_matrix& b) {
  const mix_job scaling = job_for(q, nullptr, q, a);
  const mix_job turning = job_for(p, &q, p, b);
  in_pieces(q, [&](int, std::size_t first, std::size_t last) {
    kernels_->mix_rhs(part_of(scaling, q, first, last));
    kernels_->mix_rhs(part_of(turning, p, first, last));
  });
  count(q, mixing_flops(a), 2);
  count(p, mixing_flops(b), 3);
}

}  // namespace onehop
