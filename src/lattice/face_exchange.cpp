#include "lattice/face_exchange.hpp"

#include <bit>

namespace onehop {

// The positions are the same on every rank, although faces of neighbouring blocks with odd extents
// differ by a site.
face_exchange::face_map::face_map(const lane_layout& layout, int parity, std::size_t site_bytes) {
  const geometry& geometry = layout.geometry();
  for (int ghost = 0; ghost < 8; ++ghost) {
    const int mu = ghost % 4, sent = (ghost + 4) % 8, step = sent < 4 ? 1 : -1;
    if (!geometry.distributed(mu)) continue;
    const std::size_t entry = layout.face_lanes(mu) * site_bytes;
    routes[sent] = {geometry.neighbour(mu, step),
                    geometry.neighbour(mu, -step),
                    {nullptr, layout.face_vectors(parity, sent).size() * entry},
                    layout.ghost_entries(parity, ghost) * entry,
                    bytes};
    const std::size_t sites = geometry.local_volume() / geometry.local()[mu];
    const std::size_t most = layout.reach() * ((sites / layout.face_lanes(mu) + 1) / 2);
    // Kernels load whole vectors from entries that may be shorter, so a vector of padding follows,
    // and the next face starts on a new cache line.
    const std::size_t vector = layout.lanes() * sizeof(double);
    bytes = (bytes + most * entry + vector + 63) / 64 * 64;
  }
}

face_exchange::face_exchange(const context& ctx, const face_map& map)
    : chain_(ctx, window::allocate(ctx, map.bytes), map.routes) {
  for (int d = 0; d < 8; ++d) {
    if (chain_.receives(route_from(d))) ghosts_ |= 1U << d;
  }
}

unsigned face_exchange::arrived(unsigned mask) {
  unsigned result = 0;
  for (int d = 0; d < 8; ++d) {
    if ((mask & (1U << d)) != 0 && chain_.test(route_from(d))) result |= 1U << d;
  }
  return result;
}

unsigned face_exchange::wait_for_one(unsigned mask) {
  const int first = std::countr_zero(mask);
  chain_.wait(route_from(first));
  return 1U << first;
}

}  // namespace onehop
