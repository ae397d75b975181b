#include "dirac/device/block.hpp"

#include "base/text.hpp"
#include "dirac/link_field.hpp"

#include <onehop/error.hpp>

namespace onehop::device {

site_map make_site_map(const geometry& geometry, dslash kind, bool antiperiodic) {
  const coordinate& local = geometry.local();
  if (local[0] % 2 != 0 || (geometry.distributed(0) && local[1] % 2 != 0)) {
    throw usage_error(text("blocks of ", to_string(local), " sites on grid ",
                           to_string(geometry.grid()),
                           " cannot be laid out for a device, which needs an even x extent, and an "
                           "even y extent where x is divided; choose another --grid or number of "
                           "ranks"));
  }
  site_map map{};
  for (int mu = 0; mu < 4; ++mu) {
    map.extent[mu] = local[mu];
    map.three_on[mu] = 3 % local[mu];
    map.face_entries[mu] = static_cast<std::int32_t>(geometry.local_volume() / local[mu] / 2);
    if (geometry.distributed(mu)) map.distributed |= 1U << mu;
  }
  map.half_x = divisor::of(local[0] / 2);
  map.extent_y = divisor::of(local[1]);
  map.extent_z = divisor::of(local[2]);
  for (int mu = 1, sites = local[0] / 2; mu < 4; sites *= local[mu++]) map.step[mu] = sites;
  map.reach = reach(kind);
  map.parity_of_first = geometry.parity({0, 0, 0, 0});
  const coordinate& origin = geometry.origin();
  if (is_staggered(kind)) {
    for (int mu = 1; mu < 4; ++mu) {
      map.eta |= 1U << mu;
      if (staggered_phase(mu, origin) < 0) map.eta_of_first |= 1U << mu;
    }
  }
  map.last_time = map.first_time = -1;
  if (antiperiodic) {
    if (origin[3] + local[3] == geometry.lattice()[3]) map.last_time = local[3] - 1;
    if (origin[3] == 0) map.first_time = 0;
  }
  return map;
}

}  // namespace onehop::device
