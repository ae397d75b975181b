#include "solver/krylov_batch.hpp"

namespace onehop {
namespace {

rhs_values quotients(const rhs_values& above, const rhs_values& below) {
  rhs_values result(above.size());
  for (std::size_t k = 0; k < above.size(); ++k) result[k] = above[k] / below[k];
  return result;
}

krylov_results cg_hermitian(even_odd_operator& op, field_algebra& algebra, lane_field& x,
                            lane_field& r, const krylov_limits& limits) {
  lane_field p = op.make_scratch(r.parity(), r.rhs());
  lane_field q = op.make_scratch(r.parity(), r.rhs());
  p.copy_from(r, op.team());
  rhs_values rho = algebra.norms(r);
  krylov_batch batch(op.layout(), x, limits, rho);
  while (true) {
    if (const auto staying = batch.retire({&r, &p, &q})) rho = picked(rho, *staying);
    if (batch.empty()) return batch.results();
    op.schur(q, p, false, algebra.workspace_for_dots());
    rhs_values alpha = quotients(rho, algebra.left(q));
    algebra.residual_step(r, alpha, q);
    rhs_values rho_next = algebra.left(r);
    const std::vector<int> due = batch.due(rho_next);
    if (!due.empty()) {
      batch.step(algebra, due, alpha, p);
      batch.update(due, r, rho_next);
    }
    algebra.direction_step(batch.x(), alpha, p, quotients(rho_next, rho), r);
    rho = std::move(rho_next);
    batch.note(rho, "residual of CG");
  }
}

/// Computes s and |s|^2 of right-hand sides whose r was recomputed; q is workspace.
void renew(even_odd_operator& op, field_algebra& algebra, std::span<const int> places,
           const lane_field& r, lane_field& s, lane_field& q, rhs_values& gamma) {
  if (static_cast<int>(places.size()) == r.rhs()) {
    op.schur(s, r, true, algebra.workspace_for_norms());
    gamma = algebra.left(s);
    return;
  }
  const lane_field part = r.pick(op.layout(), places);
  q.reshape(part.rhs());
  op.schur(q, part, true, algebra.workspace_for_norms());
  const rhs_values norms = algebra.left(q);
  s.put(places, q);
  q.reshape(r.rhs());
  for (std::size_t k = 0; k < places.size(); ++k) gamma[places[k]] = norms[k];
}

krylov_results cg_normal(even_odd_operator& op, field_algebra& algebra, lane_field& x,
                         lane_field& r, const krylov_limits& limits) {
  lane_field p = op.make_scratch(r.parity(), r.rhs());
  lane_field q = op.make_scratch(r.parity(), r.rhs());
  lane_field s = op.make_scratch(r.parity(), r.rhs());
  op.schur(s, r, true);
  p.copy_from(s, op.team());
  auto [residual2, gamma] = algebra.norms(r, s);
  krylov_batch batch(op.layout(), x, limits, residual2);
  while (true) {
    if (const auto staying = batch.retire({&r, &p, &q, &s})) gamma = picked(gamma, *staying);
    if (batch.empty()) return batch.results();
    op.schur(q, p, false, algebra.workspace_for_norms());
    rhs_values alpha = quotients(gamma, algebra.left(q));
    algebra.residual_step(r, alpha, q, 1);
    op.schur(s, r, true, algebra.workspace_for_norms());
    auto norms = algebra.left(2, r);
    rhs_values& gamma_next = norms[0];
    const std::vector<int> due = batch.due(norms[1]);
    if (!due.empty()) {
      batch.step(algebra, due, alpha, p);
      batch.update(due, r, norms[1]);
      renew(op, algebra, due, r, s, q, gamma_next);
    }
    algebra.direction_step(batch.x(), alpha, p, quotients(gamma_next, gamma), s);
    gamma = std::move(gamma_next);
    batch.note(norms[1], "residual of CG");
  }
}

}  // namespace

krylov_results conjugate_gradient(even_odd_operator& op, field_algebra& algebra, lane_field& x,
                                  lane_field& r, const krylov_limits& limits) {
  return op.hermitian() ? cg_hermitian(op, algebra, x, r, limits)
                        : cg_normal(op, algebra, x, r, limits);
}

}  // namespace onehop
