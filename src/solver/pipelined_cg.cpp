#include "solver/krylov_batch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace onehop {
namespace {

/// These are the recurrences of pipelined CG for A n = ... If S is hermitian, A is S and n the
/// residual; otherwise A = S^+ S and n = S^+ r. They carry p, s = A p and z = A s; n and w = A n.
class recurrences {
 public:
  recurrences(even_odd_operator& op, field_algebra& algebra, const lane_field& r)
      : n(like(op, r)),
        w(like(op, r)),
        p(like(op, r)),
        s(like(op, r)),
        z(like(op, r)),
        q(like(op, r)),
        op_(op),
        algebra_(algebra),
        half_way_(like(op, r)) {}

  lane_field n, w, p, s, z, q;

  void apply(lane_field& out, const lane_field& in) {
    if (op_.hermitian()) {
      op_.schur(out, in);
    } else {
      half_way_.reshape(in.rhs());
      op_.schur(half_way_, in);
      op_.schur(out, half_way_, true);
    }
  }
  /// Recomputes everything except p, from p and the residual; returns |n|^2 and <n, A n>.
  field_algebra::two_norms renew(const lane_field& r) {
    if (op_.hermitian()) {
      n.copy_from(r, op_.team());
    } else {
      op_.schur(n, r, true);
    }
    apply(w, n);
    apply(s, p);
    apply(z, s);
    field_algebra::two_norms result{algebra_.norms(n), {}};
    for (const auto& dot : algebra_.dots(n, w)) result.second.push_back(dot.real());
    return result;
  }
  /// Returns the recurrences of only these right-hand sides.
  recurrences pick(std::span<const int> rhs) const {
    recurrences part(op_, algebra_, n.pick(op_.layout(), rhs));
    part.p = p.pick(op_.layout(), rhs);
    return part;
  }
  void put(std::span<const int> rhs, const recurrences& part) {
    n.put(rhs, part.n);
    w.put(rhs, part.w);
    s.put(rhs, part.s);
    z.put(rhs, part.z);
  }

 private:
  static lane_field like(even_odd_operator& op, const lane_field& r) {
    return op.make_field(r.parity(), r.rhs());
  }
  even_odd_operator& op_;
  field_algebra& algebra_;
  lane_field half_way_;
};

/// scalars holds one number of each kind per right-hand side that still iterates.
struct scalars {
  rhs_values gamma, delta;  ///< |n|^2, <n, A n>
  rhs_values alpha, beta;   ///< alpha and beta of the last step
  rhs_values residual2;     ///< |b - S x|^2

  void keep(std::span<const int> rhs) {
    for (auto* values : {&gamma, &delta, &alpha, &beta, &residual2, &last_gamma_}) {
      if (!values->empty()) *values = picked(*values, rhs);
    }
  }
  /// Computes alpha and beta of the next step.
  void advance() {
    const bool first = last_gamma_.empty();
    beta.assign(gamma.size(), 0.0);
    alpha.resize(gamma.size());
    for (std::size_t k = 0; k < gamma.size(); ++k) {
      if (!first) beta[k] = gamma[k] / last_gamma_[k];
      const double curved = first ? 0.0 : beta[k] * gamma[k] / alpha[k];
      alpha[k] = gamma[k] / (delta[k] - curved);
    }
    last_gamma_ = gamma;
  }

 private:
  rhs_values last_gamma_;
};

/// Receives the reduction in progress, and |b - S x|^2. This is gamma itself, or, because CG on the
/// normal equations minimises it in the space of its directions, it falls by alpha gamma in every
/// step.
void receive(field_algebra& algebra, started_totals& sums, const lane_field& shape, bool hermitian,
             scalars& now) {
  for (std::size_t k = 0; k < now.residual2.size(); ++k) {
    now.residual2[k] = std::max(0.0, now.residual2[k] - now.alpha[k] * now.gamma[k]);
  }
  auto found = algebra.finish(sums, 2, shape);
  now.gamma = std::move(found[0]);
  now.delta = std::move(found[1]);
  if (hermitian) now.residual2 = now.gamma;
}

/// Replaces the residual of these right-hand sides by a recomputed one, and everything that follows
/// from it.
void replace(krylov_batch& batch, std::span<const int> due, recurrences& all, scalars& now) {
  recurrences part = all.pick(due);
  // Until apply() below, part.q is workspace for the residual.
  std::vector<int> every(due.size());
  std::iota(every.begin(), every.end(), 0);
  batch.update(due, part.q, every, now.residual2);
  const auto [gamma, delta] = part.renew(part.q);
  part.apply(part.q, part.w);
  all.put(due, part);
  all.q.put(due, part.q);
  for (std::size_t k = 0; k < due.size(); ++k) {
    now.gamma[due[k]] = gamma[k];
    now.delta[due[k]] = delta[k];
  }
}

}  // namespace

krylov_results pipelined_cg(even_odd_operator& op, field_algebra& algebra, lane_field& x,
                            lane_field& r, const krylov_limits& limits) {
  recurrences all(op, algebra, r);
  scalars now;
  now.residual2 = algebra.norms(r);
  auto [gamma, delta] = all.renew(r);
  now.gamma = std::move(gamma);
  now.delta = std::move(delta);
  krylov_batch batch(op.layout(), x, limits, now.residual2);
  std::optional<started_totals> sums;
  while (true) {
    all.apply(all.q, all.w);
    if (sums) {
      receive(algebra, *sums, all.q, op.hermitian(), now);
      const std::vector<int> due = batch.due(now.residual2, now.gamma);
      if (!due.empty()) replace(batch, due, all, now);
      batch.note(now.residual2, "residual of pipelined CG");
    }
    if (const auto staying = batch.retire({&all.n, &all.w, &all.p, &all.s, &all.z, &all.q})) {
      now.keep(*staying);
    }
    if (batch.empty()) return batch.results();
    now.advance();
    algebra.pipelined_step({batch.x(), all.p, all.n, all.s, all.w, all.z}, now.alpha, now.beta,
                           all.q);
    sums.emplace(algebra.start_left(2, all.q));
  }
}

}  // namespace onehop
