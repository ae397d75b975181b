#pragma once
/// A face_exchange is the halo of fields of one parity: each face is packed straight into the
/// neighbour's ghost memory.

#include "lattice/lane_layout.hpp"
#include "rma/halo/face_chain.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace onehop {

/// One chain of faces. Directions are 0..3 forward, 4..7 backward; only distributed ones take part.
class face_exchange {
 public:
  /// Collective. Exchanges fields of `parity` with `site_bytes` bytes per site on a face.
  face_exchange(const lane_layout& layout, int parity, std::size_t site_bytes)
      : face_exchange(layout.geometry().context(), face_map(layout, parity, site_bytes)) {}

  /// Anything to exchange at all?
  bool empty() const noexcept { return ghosts_ == 0; }
  /// Bit d is set when direction d has a ghost face on this rank.
  unsigned ghost_mask() const noexcept { return ghosts_; }

  /// The face in this direction had better be written past the caches.
  bool streaming(int direction) const { return chain_.streaming(route_to(direction)); }

  /// Packs with pack(direction, where to write), each face for the neighbour in that direction,
  /// then starts the chain. Earlier arrivals are overwritten.
  template <class Pack>
  void start(const Pack& pack) {
    for (int d = 0; d < 8; ++d) {
      if (chain_.sends(route_to(d))) pack(d, chain_.target(route_to(d)).data());
    }
    chain_.start();
  }

  /// Returns which ghost faces of `mask` have arrived.
  unsigned arrived(unsigned mask);
  /// Waits for the first face of `mask` and returns its bit.
  unsigned wait_for_one(unsigned mask);
  /// Returns once all faces have arrived and what was sent may be overwritten.
  void wait() { chain_.wait(); }

  /// The ghost face in this direction, which must be in; null where there is none.
  const std::byte* ghost(int direction) const {
    if ((ghosts_ & (1U << direction)) == 0) return nullptr;
    return chain_.arrived(route_from(direction)).data();
  }

 private:
  struct face_map {
    std::array<face_route, 8> routes;  ///< route of the face sent in each direction
    std::size_t bytes = 0;             ///< bytes of the window
    face_map(const lane_layout& layout, int parity, std::size_t site_bytes);
  };

  face_exchange(const context& ctx, const face_map& map);

  static std::size_t route_to(int direction) noexcept {
    return static_cast<std::size_t>(direction);
  }
  /// What comes from a neighbour was sent in the opposite direction.
  static std::size_t route_from(int direction) noexcept { return route_to((direction + 4) % 8); }

  face_chain chain_;
  unsigned ghosts_ = 0;
};

}  // namespace onehop
