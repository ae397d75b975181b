#include "lattice/face_exchange.hpp"

#include <bit>

namespace onehop {
namespace {

constexpr int opposite(int direction) { return (direction + 4) % 8; }

/// Where each ghost face lies in the window; the same on every rank, since neighbouring blocks of
/// odd extents have faces that differ by a site.
struct ghost_map {
  std::array<std::size_t, 8> offset{};
  std::size_t bytes = 0;

  ghost_map(const lane_layout& layout, std::size_t site_bytes) {
    for (int d = 0; d < 8; ++d) {
      const int mu = d % 4;
      offset[d] = bytes;
      if (!layout.geometry().distributed(mu)) continue;
      const std::size_t sites = layout.geometry().local_volume() / layout.geometry().local()[mu];
      const std::size_t entries = layout.reach() * ((sites / layout.face_lanes(mu) + 1) / 2);
      // Kernels load whole vectors from entries that may be shorter: a vector of padding, and the
      // next face on lines of its own.
      const std::size_t vector = layout.lanes() * sizeof(double);
      bytes += entries * layout.face_lanes(mu) * site_bytes + vector;
      bytes = (bytes + 63) / 64 * 64;
    }
  }
};

}  // namespace

face_exchange::face_exchange(const lane_layout& layout, int parity, std::size_t site_bytes,
                             bool asked_by_caller)
    : memory_(window::allocate(layout.geometry().context(), ghost_map(layout, site_bytes).bytes)),
      chain_(layout.geometry().context(), memory_) {
  const geometry& geometry = layout.geometry();
  const ghost_map map(layout, site_bytes);
  // The k-th put from A to B pairs with the k-th origin A that B adds, so both sides go through the
  // directions in the sender's order.
  for (int d = 0; d < 8; ++d) {
    const int mu = d % 4;
    if (!geometry.distributed(mu)) continue;
    const int lanes = layout.face_lanes(mu);
    const std::size_t sent = layout.face_vectors(parity, d).size() * lanes * site_bytes;
    if (sent > 0) {
      put face = put::packed(sent, geometry.neighbour(mu, d < 4 ? 1 : -1), map.offset[opposite(d)]);
      face.asked_by_chain = !asked_by_caller;
      outgoing_[d] = chain_.push(face);
    }
    if (layout.ghost_entries(parity, opposite(d)) > 0) {
      incoming_[opposite(d)] = chain_.add_origin(geometry.neighbour(mu, d < 4 ? -1 : 1));
      used_ |= 1U << opposite(d);
    }
    empty_chain_ = empty_chain_ && !outgoing_[d] && !incoming_[opposite(d)];
  }
  chain_.commit();
}

std::byte* face_exchange::target(int direction) const {
  return chain_.target_view(*outgoing_[direction]).data();
}

std::span<const std::byte> face_exchange::written_next(int direction) const {
  if (!outgoing_[direction]) return {};
  return chain_.coming_view(*outgoing_[direction]);
}

unsigned face_exchange::arrived(unsigned mask) {
  unsigned result = 0;
  for (int d = 0; d < 8; ++d) {
    if ((mask & (1U << d)) != 0 && chain_.test(*incoming_[d])) result |= 1U << d;
  }
  return result;
}

unsigned face_exchange::wait_for_one(unsigned mask) {
  const int first = std::countr_zero(mask);
  chain_.wait(*incoming_[first]);
  return 1U << first;
}

const std::byte* face_exchange::ghost(int direction) const {
  if (!incoming_[direction]) return nullptr;
  return chain_.arrived(*incoming_[direction]).data();
}

}  // namespace onehop
