#pragma once
/// A face_exchange is the halo exchange of fields of one parity: each face is packed straight into
/// the neighbour's ghost memory.

#include "lattice/lane_layout.hpp"
#include "rma/halo/face_chain.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace onehop {

/// It is one chain of faces. Directions are 0..3 forward, 4..7 backward; only distributed ones take
/// part.
class face_exchange {
 public:
  /// The constructor is collective. Exchanges fields of `parity` with `site_bytes` bytes per site
  /// of a face.
  face_exchange(const lane_layout& layout, int parity, std::size_t site_bytes)
      : face_exchange(layout.geometry().context(), face_map(layout, parity, site_bytes)) {}

  /// Returns whether there is nothing to exchange.
  bool empty() const noexcept { return ghosts_ == 0; }
  /// Returns a mask in which bit d is set if direction d has a ghost face on this rank.
  unsigned ghost_mask() const noexcept { return ghosts_; }

  /// Returns whether the face in this direction is better written past the caches.
  bool streaming(int direction) const { return chain_.streaming(route_to(direction)); }

  /// Packs each face for the neighbour in its direction with pack(direction, where to write), then
  /// starts the chain. Earlier arrivals are overwritten.
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
  /// Returns once all faces have arrived and the data sent may be overwritten.
  void wait() { chain_.wait(); }

  /// Returns the ghost face in this direction, which must have arrived; null if there is none.
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
  /// Data from a neighbour were sent in the opposite direction.
  static std::size_t route_from(int direction) noexcept { return route_to((direction + 4) % 8); }

  face_chain chain_;
  unsigned ghosts_ = 0;
};

}  // namespace onehop
