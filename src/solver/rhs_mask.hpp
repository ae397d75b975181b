#pragma once
/// Which columns of a batch on a device are worked on, as the host and the device know it.

#include "device/backend.hpp"
#include "dirac/device/jobs.hpp"

#include <algorithm>
#include <vector>

namespace onehop {

class rhs_mask {
 public:
  /// Of at most so many columns, none of them chosen. `where` must outlive this.
  rhs_mask(device::backend& where, int most)
      : switches_(where, most * sizeof(std::int32_t)),
        host_switches_(where, most * sizeof(std::int32_t), device::memory::place::host) {}

  /// One for each column of the batch. Waits for what `on` holds.
  void choose(device::stream& on, const std::vector<bool>& columns) {
    chosen_ = columns;
    std::ranges::copy(columns, host_switches_.as<std::int32_t>());
    on.copy_in(switches_.data(), host_switches_.data(), columns.size() * sizeof(std::int32_t));
    on.synchronise();
  }

  bool has(std::size_t column) const { return chosen_[column]; }
  const std::vector<bool>& columns() const noexcept { return chosen_; }
  int count() const { return static_cast<int>(std::ranges::count(chosen_, true)); }
  bool empty() const { return count() == 0; }
  device::rhs_switches switches() const noexcept {
    return {switches_.as<std::int32_t>(), sizeof(std::int32_t)};
  }

 private:
  device::memory switches_, host_switches_;
  std::vector<bool> chosen_;
};

/// What an operation works on: of these columns so many.
struct chosen_rhs {
  device::rhs_switches active;
  int count;

  explicit(false) chosen_rhs(const rhs_mask& mask) : active(mask.switches()), count(mask.count()) {}
  chosen_rhs(const device::rhs_switches& switches, int number) : active(switches), count(number) {}
};

}  // namespace onehop
