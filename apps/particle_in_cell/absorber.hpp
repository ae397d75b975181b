#pragma once
/// An absorber is the layer around a lattice in which light that leaves it ends.

#include <onehop/halo_field.hpp>

#include <array>
#include <vector>

namespace particle_in_cell {

/// Along each dimension a convolutional perfectly matched layer (Roden and Gedney, Microw. Opt.
/// Technol. Lett. 27 (2000) 334) lies at the ends, before a perfect conductor. In it each
/// difference d of a field along the dimension becomes d + p, where p goes to b p + c d with each
/// new d. B makes two halves of a step with one d, and so with one p.
///
/// The conductivity rises with the cube of the depth to 0.8 (3 + 1) in c per cell, which Gedney
/// (IEEE Trans. Antennas Propag. 44 (1996) 1630) found best. Light that goes straight into it comes
/// back with exp(-2 * 3.2 * thickness / 4) = 1e-7 of its amplitude but for the steps of the grid.
class absorber {
 public:
  static constexpr int thickness = 10;
  using field = onehop::halo_field<double>;
  /// Electric differences lie at the cells' points, magnetic ones half a cell behind.
  enum class stagger : std::uint8_t { points, halves };

  /// Which ends have a layer: all, or all but that in front along x. A window that moves with light
  /// leaves it there, and would run over the charge that the fields of a layer have.
  enum class ends : std::uint8_t { all, not_in_front };

  /// Differences are added up for B one cell around the block too.
  absorber(const onehop::halo_layout& layout, double dt, ends which);

  /// Adds `factor` times p to component `to`, whose curl has the difference of component `of` along
  /// `dimension`: up to the next cell for B, from the cell before for E. The difference is new
  /// where it has changed since the last call.
  void add(stagger where, std::size_t component, std::size_t dimension, double factor, field& to,
           const field& of, bool is_new);
  /// Returns the fields p, which belong to the cells that they lie in.
  std::vector<onehop::halo_memory*> memory();

 private:
  struct weights {
    double b = 1, c = 0;
  };
  struct layer {
    std::size_t dimension;
    int begin, end;  ///< cells of the block, counted from its first, or of the ghosts around
    std::vector<weights> of_cells;
  };

  static weights at_depth(double depth, double dt) noexcept;
  void find_layers(stagger where, std::size_t dimension, double dt, bool above);
  field& sums(stagger where, std::size_t component, std::size_t dimension);

  onehop::halo_layout layout_;
  std::array<std::vector<layer>, 2> layers_;
  std::vector<field> sums_;
};

}  // namespace particle_in_cell
