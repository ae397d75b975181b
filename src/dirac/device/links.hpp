#pragma once
/// The links in the memory of a device.

#include "device/backend.hpp"
#include "dirac/device/jobs.hpp"
#include "dirac/device/kernel_table.hpp"

#include <onehop/dirac_operator.hpp>
#include <onehop/gauge_field.hpp>

#include <array>

namespace onehop::device {

/// The boundary phase in time and eta are multiplied in, or left to site_map::link_sign where fewer
/// than 18 reals are kept.
class links {
 public:
  /// `of` must have valid ghosts and is not kept; `reals` is 18, 12 or 8.
  links(backend& where, stream& on, const site_map& map, const gauge_field& of, storage kind,
        int reals);

  const link_view& view() const noexcept { return view_; }
  int reals() const noexcept { return reals_; }
  /// Of `count` links.
  std::size_t bytes(std::size_t count) const noexcept;

 private:
  storage kind_;
  int reals_;
  link_view view_;
  memory rows_;
  std::array<std::array<memory, 2>, 4> ghosts_;
};

}  // namespace onehop::device
