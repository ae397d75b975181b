#pragma once
/// The halo of fields of one parity: each face packed straight into the neighbour's ghost memory.

#include "lattice/lane_layout.hpp"

#include <onehop/put_chain.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

namespace onehop {

/// One put chain, committed once. Directions are 0..3 forward, 4..7 backward; only distributed ones
/// take part.
class face_exchange {
 public:
  /// Collective. Exchanges fields of `parity` with `site_bytes` bytes per site on a face. With
  /// `asked_by_caller` the chain does not ask for lines of the neighbours: see written_next.
  face_exchange(const lane_layout& layout, int parity, std::size_t site_bytes,
                bool asked_by_caller = false);

  /// Anything to exchange at all?
  bool empty() const noexcept { return used_ == 0; }
  /// Bit d is set when direction d has a ghost face on this rank.
  unsigned ghost_mask() const noexcept { return used_; }

  /// The face in this direction had better be written past the caches.
  bool streaming(int direction) const { return chain_.streaming(*outgoing_[direction]); }
  /// What the exchange after the one started last writes for the neighbour in this direction, to
  /// ask for its lines; empty where nothing is sent.
  std::span<const std::byte> written_next(int direction) const;

  /// Packs with pack(direction, where to write), each face for the neighbour in that direction,
  /// then starts the chain. What arrived before is gone.
  template <class Pack>
  void start(const Pack& pack) {
    for (int d = 0; d < 8; ++d) {
      if (outgoing_[d]) pack(d, target(d));
    }
    if (!empty_chain_) chain_.start();
  }

  /// Returns which ghost faces of `mask` have arrived.
  unsigned arrived(unsigned mask);
  /// Waits for the first face of `mask` and returns its bit.
  unsigned wait_for_one(unsigned mask);
  /// Returns once all faces have arrived and what was sent may be overwritten.
  void wait() {
    if (!empty_chain_) chain_.wait();
  }

  /// The ghost face in this direction, which must be in; null where there is none.
  const std::byte* ghost(int direction) const;

 private:
  std::byte* target(int direction) const;

  window memory_;
  put_chain chain_;
  unsigned used_ = 0;
  bool empty_chain_ = true;
  std::array<std::optional<put_slot>, 8> outgoing_;
  std::array<std::optional<notification>, 8> incoming_;
};

}  // namespace onehop
