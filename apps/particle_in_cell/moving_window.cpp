#include "moving_window.hpp"

#include <cstring>

namespace particle_in_cell {

moving_window::moving_window(std::vector<onehop::halo_memory*> fields)
    : fields_(std::move(fields)), halo_(fields_, {.corners = true}) {}

void moving_window::shift(onehop::halo_memory& field) const {
  const onehop::cartesian& ranks = field.ranks();
  const onehop::coordinate& local = ranks.local();
  const std::size_t site = field.site_bytes();
  const bool in_front = ranks.position()[0] == ranks.grid()[0] - 1,
             at_back = ranks.position()[0] == 0;
  for (int z = 0; z < local[2]; ++z)
    for (int y = 0; y < local[1]; ++y) {
      std::byte* row = field.memory().data() + site * field.layout().index({0, y, z, 0});
      const std::size_t cells = static_cast<std::size_t>(local[0]);
      std::memmove(row, row + site, site * cells);
      if (in_front) std::memset(row + site * (cells - 1), 0, site);
      if (at_back) std::memset(row, 0, site);
    }
}

/// The block's last cells take their values from the ghosts, which have not yet been sent for some
/// fields.
void moving_window::step() {
  halo_.exchange();
  std::size_t bytes = 0;
  for (onehop::halo_memory* each : fields_) {
    shift(*each);
    bytes += 2 * each->site_bytes() * each->ranks().local_volume();
  }
  fields_.front()->ranks().context().work(
      {.flops = 0, .bytes = static_cast<double>(bytes), .launches = 1});
  halo_.exchange();
}

}  // namespace particle_in_cell
