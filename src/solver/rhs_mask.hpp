#pragma once
/// A rhs_mask says which right-hand sides of a batch on a device are worked on, as the host and the
/// device know it.

#include "device/backend.hpp"
#include "dirac/device/jobs.hpp"

#include <algorithm>
#include <vector>

namespace onehop {

class rhs_mask {
 public:
  /// The mask is for at most `most` right-hand sides, none of them chosen. `where` must outlive it.
  rhs_mask(device::backend& where, int most)
      : switches_(where, most * sizeof(std::int32_t)),
        host_switches_(where, most * sizeof(std::int32_t), device::memory::kind::host) {}

  /// Chooses by one value for each right-hand side of the batch. Waits for what `on` holds.
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

/// chosen_rhs is what an operation works on: the active ones of `count` right-hand sides.
struct chosen_rhs {
  device::rhs_switches active;
  int count;

  explicit(false) chosen_rhs(const rhs_mask& mask) : active(mask.switches()), count(mask.count()) {}
  chosen_rhs(const device::rhs_switches& switches, int number) : active(switches), count(number) {}
};

}  // namespace onehop
