#pragma once
/// A moving_window follows an object that moves along x with the speed of light.

#include <onehop/halo_exchange.hpp>
#include <onehop/halo_field.hpp>

#include <vector>

namespace particle_in_cell {

/// The lattice is the part of space in the window. When the window moves by a cell, the contents of
/// each cell go to the preceding cell along x. Then the last cells are empty, and so are the first
/// ones, because in a periodic lattice they are neighbours of the last ones.
class moving_window {
 public:
  /// The constructor is collective. The fields must have the same layout and stay at their
  /// addresses.
  explicit moving_window(std::vector<onehop::halo_memory*> fields);

  /// Moves by a cell and fills all ghosts. Collective; throws as halo_exchange::exchange does.
  void step();

 private:
  void shift(onehop::halo_memory& field) const;

  std::vector<onehop::halo_memory*> fields_;
  onehop::halo_exchange halo_;
};

}  // namespace particle_in_cell
