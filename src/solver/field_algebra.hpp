#pragma once
/// field_algebra does linear algebra on fields of one parity, and records the time and flops spent.

#include <onehop/exact_sum.hpp>
#include "dirac/kernels.hpp"
#include "lattice/lane_field.hpp"
#include "machine/thread_team.hpp"
#include "solver/rhs_matrix.hpp"
#include "solver/rhs_values.hpp"

#include <onehop/context.hpp>

#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace onehop {

/// Results for one right-hand side of a field do not depend on the others, except where they are
/// mixed (products to block_update_directions). Every sum is over all ranks and exact (exact_sum),
/// so its bits depend neither on the grid nor on the number of right-hand sides.
class field_algebra {
 public:
  /// The algebra is for fields of at most `rhs` right-hand sides. `team` must outlive it.
  field_algebra(const context& ctx, const kernel_table& kernels, const lane_layout& layout,
                int components, int rhs, thread_team& team);

  /// Sets y += a x.
  void axpy(lane_field& y, factors a, const lane_field& x);
  /// Sets y = x + a y.
  void xpay(lane_field& y, factors a, const lane_field& x);

  struct two_norms {
    rhs_values first, second;
  };
  /// Returns |x|^2. Collective, like all functions that return values.
  rhs_values norms(const lane_field& x);
  /// Returns |x|^2 and |y|^2 from one reduction.
  two_norms norms(const lane_field& x, const lane_field& y);
  /// Returns <x, y> = sum conj(x) y.
  complex_values dots(const lane_field& x, const lane_field& y);

  /// In CG, sets r -= a q and leaves |r|^2 as sum `where`.
  void residual_step(lane_field& r, factors a, const lane_field& q, int where = 0);
  /// In CG, sets x += a p, p = r + b p.
  void direction_step(lane_field& x, factors a, lane_field& p, factors b, const lane_field& r);
  /// In multi-shift CG, sets x += a p, p = b r + c p.
  void shifted_step(lane_field& x, factors a, lane_field& p, factors b, const lane_field& r,
                    factors c);
  struct pipelined_fields {
    lane_field &x, &p, &r, &s, &w, &z;
  };
  /// In pipelined CG, sets z = q + b z, s = w + b s, p = r + b p, x += a p, r -= a s, w -= a z, and
  /// leaves |r|^2 and Re <r, w>.
  void pipelined_step(const pipelined_fields& fields, factors a, factors b, const lane_field& q);
  /// In BiCGStab, sets r -= a v and leaves |r|^2 and <r0, r> (two sums) from sum `where` on.
  void half_step(lane_field& r, factors a, const lane_field& v, const lane_field& r0, int where);
  /// In BiCGStab, leaves <t, r> and <r0, t>, two sums each, from sum `where` on.
  void two_dots(const lane_field& t, const lane_field& r, const lane_field& r0, int where);
  /// In BiCGStab, sets x += a p + b r, r -= b t, p = r + c (p - b v).
  void stabilised_step(lane_field& x, factors a, lane_field& p, factors b, lane_field& r,
                       const lane_field& t, factors c, const lane_field& v);

  /// Returns x_i^+ y_j over all ranks; only half of a `hermitian` result is computed.
  rhs_matrix products(const lane_field& x, const lane_field& y, bool hermitian = false);
  /// Sets out = addend + in A, where a null addend is left out. `out` may be either; it may be `in`
  /// only if A is square.
  void mix(lane_field& out, const lane_field* addend, const lane_field& in, const rhs_matrix& a);
  /// In block CG, sets x += p A, q -= v B; returns q^+ q.
  rhs_matrix block_step(lane_field& x, const rhs_matrix& a, const lane_field& p, lane_field& q,
                        const rhs_matrix& b, const lane_field& v);
  /// In block CG, sets q = q A, p = q + p B, for square A and B.
  void block_update_directions(lane_field& q, const rhs_matrix& a, lane_field& p,
                               const rhs_matrix& b);

  /// Returns where the hopping term leaves the norms that it sums along the way over a field of one
  /// parity: sum 0.
  site_sums workspace_for_norms() noexcept { return {site_terms_[0].doubles().data(), nullptr}; }
  site_sums workspace_for_dots() noexcept { return {nullptr, site_terms_[0].doubles().data()}; }

  /// Returns the first `count` sums that kernels left on fields shaped like `shape`, summed over
  /// all ranks: [sum][right-hand side].
  std::vector<rhs_values> left(int count, const lane_field& shape);
  rhs_values left(const lane_field& shape) { return left(1, shape).front(); }
  /// Starts to reduce the first `count` sums, to be finished later while other work is done.
  started_totals start_left(int count, const lane_field& shape);
  std::vector<rhs_values> finish(started_totals& started, int count, const lane_field& shape);

  std::chrono::nanoseconds reduction_time() const noexcept { return reduction_time_; }
  std::chrono::nanoseconds vector_time() const noexcept { return vector_time_; }
  /// Returns how many reductions over ranks were made, counting one for each exchange.
  int reductions() const noexcept { return reductions_; }
  /// Returns the stated count of flops, over all ranks: 2 per real for a real multiple added or a
  /// norm, 4 for complex ones.
  double flops() const noexcept { return flops_; }

  static constexpr int most_sums = 8;

 private:
  using kernel = void (*)(const field_job&);

  class product_sums;
  template <class Work>
  void in_pieces(const lane_field& shape, const Work& work);
  rhs_matrix total(product_sums& sums);
  /// A pass is what one call of a kernel works on: fields that it reads and writes, fields that it
  /// only reads, factors, and the number of sums it leaves.
  struct pass {
    std::initializer_list<lane_field*> out = {};
    std::initializer_list<const lane_field*> in = {};
    std::initializer_list<factors> by = {};
    int sums = 0, first_sum = 0;
    /// Returns a field of their common shape.
    const lane_field& shape() const { return out.size() > 0 ? **out.begin() : **in.begin(); }
  };
  void apply(kernel function, const pass& what);
  /// Applies the kernel and counts its flops and time.
  void run(kernel function, double flops_per_real, const pass& what);
  std::vector<exact_sum> add_up(int count, const lane_field& shape);
  void add_terms(exact_sum& sum, const double* terms, thread_team::piece vectors, int rhs) const;
  /// Counts flops and traffic when `fields` fields are read or written.
  void count(const lane_field& shape, double flops_per_real, double fields);
  double* terms(int sum) { return site_terms_[sum].doubles().data(); }

  context ctx_;
  const kernel_table* kernels_;
  thread_team* team_;
  double global_reals_;  ///< reals per right-hand side, over all ranks
  int lanes_;
  std::vector<aligned_memory> site_terms_;       ///< terms as [sum], each [block][lane]
  std::vector<std::vector<exact_sum>> partial_;  ///< partial sums by thread
  std::chrono::nanoseconds reduction_time_{0}, vector_time_{0};
  int reductions_ = 0;
  double flops_ = 0;
};

}  // namespace onehop
