#pragma once
/// A moving_window follows what goes along x with the speed of light.

#include <onehop/halo_exchange.hpp>
#include <onehop/halo_field.hpp>

#include <vector>

namespace particle_in_cell {

/// The lattice is what the window shows: where it moves by a cell, what was in a cell is in the one
/// before it along x. The last cells are empty then, and so are the first, whose neighbours in a
/// periodic lattice those are.
class moving_window {
 public:
  /// The constructor is collective. The fields have one layout and stay where they are.
  explicit moving_window(std::vector<onehop::halo_memory*> fields);

  /// Moves by a cell and fills all ghosts. Collective; throws as halo_exchange::exchange does.
  void step();

 private:
  void shift(onehop::halo_memory& field) const;

  std::vector<onehop::halo_memory*> fields_;
  onehop::halo_exchange halo_;
};

}  // namespace particle_in_cell
