#pragma once
/// An absorber is the layer around a lattice that absorbs outgoing light.

#include <onehop/halo_field.hpp>

#include <array>
#include <vector>

namespace particle_in_cell {

/// Along each dimension, a convolutional perfectly matched layer (Roden and Gedney, Microw. Opt.
/// Technol. Lett. 27 (2000) 334) lies at the ends, in front of a perfect conductor. In the layer,
/// each difference d of a field along the dimension becomes d + p, where each new d changes p to b
/// p + c d. B advances in two half steps with the same d, and therefore with the same p.
///
/// The conductivity rises with the cube of the depth to 0.8 (3 + 1) in c per cell, which Gedney
/// (IEEE Trans. Antennas Propag. 44 (1996) 1630) found to be optimal. Light at normal incidence is
/// reflected with exp(-2 * 3.2 * thickness / 4) = 1e-7 of its amplitude, apart from errors of the
/// grid.
class absorber {
 public:
  static constexpr int thickness = 10;
  using field = onehop::halo_field<double>;
  /// Electric differences lie at the cells' points, magnetic ones half a cell further.
  enum class stagger : std::uint8_t { points, halves };

  /// This selects which ends have a layer: all, or all except the front along x. No light reaches
  /// the front of a window that moves with light, and the window would run over the charge that the
  /// fields of a layer have.
  enum class ends : std::uint8_t { all, not_in_front };

  /// For B, differences are also accumulated one cell around the block.
  absorber(const onehop::halo_layout& layout, double dt, ends which);

  /// Adds `factor` times p to component `to`, whose curl contains the difference of component `of`
  /// along `dimension`: to the next cell for B, from the previous cell for E. `is_new` says that
  /// the difference has changed since the last call.
  void add(stagger where, std::size_t component, std::size_t dimension, double factor, field& to,
           const field& of, bool is_new);
  /// Returns the fields p, which belong to the cells in which they lie.
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
