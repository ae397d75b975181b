#pragma once
/// These are the links in device memory.

#include "device/backend.hpp"
#include "dirac/device/jobs.hpp"
#include "dirac/device/kernel_table.hpp"
#include "dirac/hop_links.hpp"
#include "dirac/hop_settings.hpp"

#include <array>

namespace onehop::device {

/// The boundary phase in time and eta are multiplied into the links. If fewer than 18 reals are
/// kept, site_map::link_sign supplies them instead.
class links {
 public:
  /// The constructor is collective. It takes the links that span `distance` sites, 1 or of.reach();
  /// `of` is not kept. Throws usage_error for links of another operator, and for improved links
  /// with fewer than 18 reals.
  links(backend& where, stream& on, const site_map& map, const hop_links& of, int distance,
        const hop_settings& how, field_precision kind);

  const link_view& view() const noexcept { return view_; }
  int recon() const noexcept { return recon_; }
  /// Returns the bytes of `count` links.
  std::size_t bytes(std::size_t count) const noexcept;

 private:
  field_precision kind_;
  int recon_;
  link_view view_;
  memory rows_;
  std::array<std::array<memory, 2>, 4> ghosts_;
};

}  // namespace onehop::device
