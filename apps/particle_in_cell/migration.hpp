#pragma once
/// A migration brings particles that leave a rank's block to the ranks around.

#include "particles.hpp"

#include <onehop/cartesian.hpp>
#include <onehop/put_chain.hpp>

#include <array>
#include <vector>

namespace particle_in_cell {

/// Particles go along x, then y, then z, so that those that leave across an edge or a corner need
/// no message of their own: a put chain for each dimension has two puts of variable size.
class migration {
 public:
  /// The constructor is collective. `most_across` is the room of a put, in particles, by dimension.
  migration(const onehop::cartesian& ranks, const std::array<std::size_t, 3>& most_across);

  /// Replaces travellers that leave the block by those that come to it. Collective. Throws
  /// onehop::resource_error where more cross a face than its put has room for; throws as
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
