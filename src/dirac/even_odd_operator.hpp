#pragma once
/// An even_odd_operator is M = D + c H, even/odd preconditioned.

#include "dirac/hopping.hpp"
#include "dirac/site_diagonal.hpp"

#include <memory>

namespace onehop {

/// Wilson and clover have c = -1/2; all staggered operators have c = 1/2 and an antihermitian H. D
/// acts at a site (site_diagonal). With parities e and o,
///
///     M x = b   <=>   S x_o = b_o - c H_oe D_ee^-1 b_e,   x_e = D_ee^-1 (b_e - c H_eo x_o),
///     S = D_oo - c^2 H_oe D_ee^-1 H_eo.
///
/// Since x_e solves its half exactly, the residual of S is the residual of the full system.
class even_odd_operator {
 public:
  /// The preconditioned system lives on this parity.
  static constexpr int solved = 1 - site_diagonal::inverted;

  /// The constructor is collective and throws what site_diagonal throws. Links have `recon` reals
  /// each; fields have the precision of the kernels and at most `rhs` right-hand sides. `team` must
  /// outlive this object.
  even_odd_operator(const hop_links& links, const solve_options& options, int recon, int rhs,
                    const kernel_table& kernels, const lane_layout& layout, thread_team& team);

  /// Performs hops by this choice from now on.
  void choose(const hop_choice& choice) { hop_.choose(choice); }

  /// Returns whether S is hermitian positive (staggered), so that CG applies directly.
  bool hermitian() const noexcept { return is_staggered(hop_.kind()); }
  int components() const noexcept { return onehop::components(hop_.kind()); }

  /// Sets out = S in or S^+ in on odd sites, and leaves |out|^2 and Re <in, out> of each site in
  /// `sums` if given. Collective, like all functions that follow.
  void schur(lane_field& out, const lane_field& in, bool dagger = false, site_sums sums = {});
  /// Computes the right-hand side of the preconditioned system.
  void prepare(lane_field& rhs, const lane_field& source_even, const lane_field& source_odd);
  /// Computes the even half of the solution.
  void reconstruct(lane_field& x_even, const lane_field& x_odd, const lane_field& source_even);
  /// Sets out_p = (M in)_p or (M^+ in)_p, where `in` is the field of out's parity and `other` that
  /// of the opposite one.
  void full(lane_field& out, const lane_field& in, const lane_field& other, bool dagger = false);

  /// Sets out = M^+ M in on one parity; M^+ M of staggered fermions does not mix parities.
  /// `between` has the opposite parity.
  void normal_half(lane_field& out, const lane_field& in, lane_field& between);

  /// Makes a field of zeros. Its memory is reused for the next field when it is destroyed.
  lane_field make_field(int parity, int rhs = 1) const {
    lane_field field = make_scratch(parity, rhs);
    field.set_zero(team());
    return field;
  }
  /// Makes a field of undefined numbers. Its memory is reused for the next field when it is
  /// destroyed.
  lane_field make_scratch(int parity, int rhs = 1) const {
    return {layout(), parity, components(), kernels().kind, rhs, pool_};
  }
  const lane_layout& layout() const noexcept { return hop_.layout(); }
  const kernel_table& kernels() const noexcept { return hop_.kernels(); }
  thread_team& team() const noexcept { return hop_.team(); }
  /// Returns hopping::bytes.
  std::size_t hop_bytes(bool with_addend, int rhs) const noexcept {
    return hop_.bytes(with_addend, rhs);
  }
  /// Returns the bytes that S moves on this rank if each of its two kernels moves everything once,
  /// for this many right-hand sides, and how many of them belong to blocks of D.
  std::size_t schur_bytes(int rhs) const noexcept {
    return hop_bytes(false, rhs) + hop_bytes(true, rhs) + diagonal_bytes();
  }
  std::size_t diagonal_bytes() const noexcept {
    return diagonal_.inverse_bytes() + diagonal_.bytes();
  }
  hop_time time() const noexcept {
    hop_time time = hop_.time();
    time.compute += multiply_time_;
    return time;
  }

  /// Returns the stated count of flops since construction, over all ranks.
  double flops() const noexcept { return flops_; }

 private:
  void hop(lane_field& out, const lane_field& in, const hopping::terms& what, bool dagger = false);
  /// Sets out = factor in.
  void multiply(lane_field& out, const lane_field& in, const site_factor& factor);
  double half_volume() const noexcept {
    return static_cast<double>(layout().geometry().volume()) / 2;
  }

  double coefficient_;
  std::shared_ptr<memory_pool> pool_ = std::make_shared<memory_pool>();
  hopping hop_;
  site_diagonal diagonal_;
  lane_field even_;
  std::chrono::nanoseconds multiply_time_{0};
  double flops_ = 0;
};

}  // namespace onehop
