#pragma once
/// A ghost_sum adds the values in a rank's ghosts to the cells that the ghosts stand for.

#include "cell_kernels.hpp"

#include <onehop/halo_field.hpp>
#include <onehop/put_chain.hpp>

#include <array>
#include <vector>

namespace particle_in_cell {

/// Ghosts are sent along x, then y, then z: a slab along y includes what arrived along x, so that
/// edges and corners need no messages of their own. Integers are added, so that the order of ranks
/// does not matter.
class ghost_sum {
 public:
  using field = onehop::halo_field<quanta>;

  /// The constructor is collective. The fields must have the same layout and stay at their
  /// addresses.
  explicit ghost_sum(std::vector<field*> fields);
  /// Collective; throws as put_chain::wait does. The ghosts are undefined afterwards.
  void sum();
  /// Returns the number of bytes that this rank sends in a sum.
  std::size_t sent_bytes() const noexcept;

 private:
  struct box {
    onehop::coordinate first, count;
  };
  struct passage {
    int dimension;
    onehop::window window;
    onehop::put_chain chain;
    std::array<onehop::put_slot, 2> slots;         ///< down and up
    std::array<onehop::notification, 2> arrivals;  ///< from above and from below
  };

  const onehop::halo_layout& layout() const noexcept { return fields_.front()->layout(); }
  /// Returns the ghosts below or above, or, with `inside`, the cells of the block that the ghosts
  /// of the neighbour below or above stand for.
  box slab(int dimension, int side, bool inside) const;
  std::size_t slab_bytes(int dimension, int side) const;
  template <class Work>
  void for_rows(const box& of, const Work& work) const;
  void pass(passage& of);
  void wrap(int dimension);

  std::vector<field*> fields_;
  std::vector<passage> passages_;
};

}  // namespace particle_in_cell
