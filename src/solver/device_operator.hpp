#pragma once
/// This is the even/odd preconditioned operator of dirac/even_odd_operator.hpp on a device.

#include <algorithm>
#include <chrono>
#include <onehop/solver_options.hpp>
#include <vector>

#include "device/backend.hpp"
#include "dirac/device/diagonal.hpp"
#include "dirac/device/hopping.hpp"
#include "dirac/device/jobs.hpp"
#include "solver/rhs_values.hpp"

namespace onehop {

/// A rhs_mask says, to the host and to the device, which right-hand sides of a batch on a device
/// are worked on.
class rhs_mask {
 public:
  /// The mask is for at most `most` right-hand sides; none is chosen yet. `where` must outlive it.
  rhs_mask(device::backend& where, int most)
      : switches_(where, most * sizeof(std::int32_t)),
        host_switches_(where, most * sizeof(std::int32_t), device::memory::kind::host) {}

  /// Chooses by one value per right-hand side of the batch. Waits for the present contents of `on`.
  void choose(device::stream& on, const std::vector<bool>& rhs) {
    chosen_ = rhs;
    std::ranges::copy(rhs, host_switches_.as<std::int32_t>());
    on.copy_in(switches_.data(), host_switches_.data(), rhs.size() * sizeof(std::int32_t));
    on.synchronise();
  }

  bool has(std::size_t n) const { return chosen_[n]; }
  const std::vector<bool>& rhs() const noexcept { return chosen_; }
  int count() const { return static_cast<int>(std::ranges::count(chosen_, true)); }
  bool empty() const { return count() == 0; }
  device::rhs_switches switches() const noexcept {
    return {switches_.as<std::int32_t>(), sizeof(std::int32_t)};
  }

 private:
  device::memory switches_, host_switches_;
  std::vector<bool> chosen_;
};

/// chosen_rhs is what an operation works on: the active ones among `count` right-hand sides.
struct chosen_rhs {
  device::rhs_switches active;
  int count;

  explicit(false) chosen_rhs(const rhs_mask& mask) : active(mask.switches()), count(mask.count()) {}
  chosen_rhs(const device::rhs_switches& switches, int number) : active(switches), count(number) {}
};

/// A device_operator is the preconditioned operator in one precision on a device: S = D - c^2 H_oe
/// D^-1 H_eo. It works on the chosen right-hand sides of a batch; it writes nothing for the others,
/// and their sums are 0.
class device_operator {
 public:
  static constexpr int solved = 1;  ///< parity of the solution, as in even_odd_operator

  /// The constructor is collective. `where` must outlive the operator. Batches have at most
  /// options.rhs right-hand sides. Throws what even_odd_operator throws, and usage_error for blocks
  /// that cannot be laid out on a device.
  device_operator(device::backend& where, const hop_links& links, const solve_options& options,
                  field_precision precision, int recon);

  bool hermitian() const noexcept { return is_staggered(hop_.how().kind); }
  /// Sets the number of right-hand sides of the following batches; all fields passed here must have
  /// it.
  void reshape(int rhs) noexcept { even_.reshape(rhs); }
  int rhs() const noexcept { return even_.rhs(); }
  device::field make_field() const {
    device::field made = hop_.make_field();
    made.reshape(rhs());
    return made;
  }

  /// Sets out = S in or S^+ in on odd sites, with this rank's sums (null for none) over out and
  /// `in`. Collective.
  void schur(device::stream& on, device::field& out, const device::field& in,
             const chosen_rhs& which, bool dagger = false,
             const device::per_rhs<device::two_sums>& sums = {});
  /// These compute the right-hand side of the preconditioned system, and the even half of its
  /// solution.
  void prepare(device::stream& on, device::field& rhs, const device::field& source_even,
               const device::field& source_odd, const chosen_rhs& which);
  void reconstruct(device::stream& on, device::field& x_even, const device::field& x_odd,
                   const device::field& source_even, const chosen_rhs& which);

  /// These set y += a x, and y = x + a y.
  void axpy(device::stream& on, device::field& y, double a, const device::field& x,
            const chosen_rhs& which);
  void xpay(device::stream& on, device::field& y, double a, const device::field& x,
            const chosen_rhs& which);
  /// Copies to = from, whatever the precision of `from`.
  void convert(device::stream& on, device::field& to, const device::field& from,
               const chosen_rhs& which) const;
  /// These return |x|^2 and <x, w> over all ranks. Collective; they wait for the device.
  rhs_values norm2(device::stream& on, const device::field& x, const chosen_rhs& which);
  std::vector<device::two_sums> dot(device::stream& on, const device::field& x,
                                    const device::field& w, const chosen_rhs& which);
  /// Leaves <x, w> of this rank on the device.
  void dot(device::stream& on, const device::field& x, const device::field& w,
           const chosen_rhs& which, const device::per_rhs<device::two_sums>& result);

  device::hopping& hop() noexcept { return hop_; }
  const device::hopping& hop() const noexcept { return hop_; }
  /// Returns the bytes that S of a batch moves on this rank if each of its two kernels moves
  /// everything once.
  std::size_t schur_bytes() const noexcept {
    return hop_.bytes(false, rhs()) + hop_.bytes(true, rhs()) + diagonal_.bytes() +
           diagonal_.inverse_bytes();
  }
  /// Returns the stated count of flops since construction, over all ranks, counted like
  /// even_odd_operator and field_algebra.
  double flops() const noexcept { return flops_; }
  void set_flops(double flops) noexcept { flops_ = flops; }
  /// These count, for one right-hand side, one application of S that also sums, and one operation
  /// per real.
  double schur_flops() const noexcept;
  double flops_per_real() const noexcept;
  /// Adds over all ranks `count` sums of each right-hand side, which are consecutive on the device;
  /// does nothing on one rank. Collective.
  void reduce(device::stream& on, const device::per_rhs<device::two_sums>& sums, int count = 1);
  std::chrono::nanoseconds reduction_time() const noexcept { return reduction_time_; }

 private:
  void apply(device::stream& on, device::field& out, const device::field& in, int parity,
             device::hopping::terms what, const chosen_rhs& which, bool dagger = false);
  device::per_rhs<device::two_sums> own_sums() const noexcept {
    return {sums_.as<device::two_sums>(), sizeof(device::two_sums)};
  }
  std::vector<device::two_sums> bring_out(device::stream& on);
  void combine(device::stream& on, device::field& y, double b, double a, const device::field& x,
               const chosen_rhs& which);

  device::hopping::terms to_even(bool dagger) const;
  device::hopping::terms to_odd(const device::field& in, bool dagger,
                                const device::per_rhs<device::two_sums>& sums) const;

  double coefficient_;
  device::hopping hop_;
  device::diagonal diagonal_;
  device::field even_;
  device::memory sums_, host_sums_;  ///< sums of each right-hand side; on the host also the data
                                     ///< between them
  std::size_t host_bytes_ = 0;
  std::chrono::nanoseconds reduction_time_{0};
  double flops_ = 0;
};

}  // namespace onehop
