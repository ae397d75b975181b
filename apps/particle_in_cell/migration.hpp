#pragma once
/// A migration sends particles that leave a rank's block to the neighbouring ranks.

#include "particles.hpp"

#include <onehop/cartesian.hpp>
#include <onehop/put_chain.hpp>

#include <array>
#include <vector>

namespace particle_in_cell {

/// Particles are sent along x, then y, then z, so that particles that leave across an edge or a
/// corner need no messages of their own. There is a put chain for each dimension with two puts of
/// variable size.
class migration {
 public:
  /// The constructor is collective. `most_across` is the number of particles for which a put has
  /// room, by dimension.
  migration(const onehop::cartesian& ranks, const std::array<std::size_t, 3>& most_across);

  /// Replaces the travellers that leave the block by those that enter it. Collective. Throws
  /// onehop::resource_error if more particles cross a face than its put has room for; throws as
  /// put_chain::wait does.
  void exchange(std::vector<traveller>& travellers);
  /// Returns how many particles this rank has sent so far.
  std::size_t sent() const noexcept { return sent_; }

 private:
  struct passage {
    std::size_t dimension, most;
    onehop::window window;
    onehop::put_chain chain;
    std::array<onehop::put_slot, 2> slots;         ///< down and up
    std::array<onehop::notification, 2> arrivals;  ///< from above and from below
  };

  void cross(passage& of, std::vector<traveller>& travellers);

  onehop::cartesian ranks_;
  std::vector<passage> passages_;
  std::size_t sent_ = 0;
};

}  // namespace particle_in_cell
