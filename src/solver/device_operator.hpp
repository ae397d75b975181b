#pragma once
/// The even/odd preconditioned operator of dirac/even_odd_operator.hpp on a device.

#include "dirac/device/diagonal.hpp"
#include "dirac/device/hopping.hpp"

#include <onehop/propagator.hpp>

#include <chrono>

namespace onehop {

/// The preconditioned operator in one kind of numbers on a device: S = D - c^2 H_oe D^-1 H_eo.
class device_operator {
 public:
  static constexpr int solved = 1;  ///< as even_odd_operator

  /// Collective. `where` must outlive this. Throws what even_odd_operator throws, and usage_error
  /// for blocks that no device lays out.
  device_operator(device::backend& where, const hop_links& links, const operator_options& options,
                  storage numbers, int reals);

  bool hermitian() const noexcept { return is_staggered(hop_.how().kind); }
  /// out = S in or S^+ in on odd sites, with this rank's sums (null for none) of out and of `in`.
  /// Collective.
  void schur(device::stream& on, device::field& out, const device::field& in, bool dagger = false,
             device::two_sums* sums = nullptr);
  /// Right-hand side of the preconditioned system, and the even half of its solution.
  void prepare(device::stream& on, device::field& rhs, const device::field& source_even,
               const device::field& source_odd);
  void reconstruct(device::stream& on, device::field& x_even, const device::field& x_odd,
                   const device::field& source_even);

  /// y += a x, and y = x + a y
  void axpy(device::stream& on, device::field& y, double a, const device::field& x);
  void xpay(device::stream& on, device::field& y, double a, const device::field& x);
  /// to = from, whatever numbers that has
  void convert(device::stream& on, device::field& to, const device::field& from) const;
  /// |x|^2 and <x, w> over all ranks. Collective; wait for the device.
  double norm2(device::stream& on, const device::field& x);
  device::two_sums dot(device::stream& on, const device::field& x, const device::field& w);
  /// <x, w> of this rank, left on the device.
  void dot(device::stream& on, const device::field& x, const device::field& w,
           device::two_sums* result);

  device::hopping& hop() noexcept { return hop_; }
  const device::hopping& hop() const noexcept { return hop_; }
  /// Bytes that S moves when each of its two kernels moves everything once; this rank's.
  std::size_t schur_bytes() const noexcept {
    return hop_.bytes(false) + hop_.bytes(true) + diagonal_.bytes() + diagonal_.inverse_bytes();
  }
  /// Stated count since construction, all ranks, as even_odd_operator and field_algebra have it.
  double flops() const noexcept { return flops_; }
  void set_flops(double flops) noexcept { flops_ = flops; }
  /// Of one application of S that sums on the way, and of one operation per real of a field.
  double schur_flops() const noexcept;
  double flops_per_real() const noexcept;
  /// At most this many sums that lie on the device one behind the other, over all ranks: nothing
  /// to do on one. Collective.
  static constexpr int most_sums = 4;
  void reduce(device::stream& on, device::two_sums* sums, int count = 1);
  std::chrono::nanoseconds reduction_time() const noexcept { return reduction_time_; }

 private:
  void apply(device::stream& on, device::field& out, const device::field& in, int parity,
             const device::hopping::terms& what, bool dagger = false);
  device::two_sums bring_out(device::stream& on, device::two_sums* sums);
  void combine(device::stream& on, device::field& y, double b, double a, const device::field& x);

  device::hopping::terms to_even(bool dagger) const;
  device::hopping::terms to_odd(const device::field& in, bool dagger, device::two_sums* sums) const;

  double coefficient_;
  device::hopping hop_;
  device::diagonal diagonal_;
  device::field even_;
  device::memory sums_, host_sums_;
  std::chrono::nanoseconds reduction_time_{0};
  double flops_ = 0;
};

}  // namespace onehop
