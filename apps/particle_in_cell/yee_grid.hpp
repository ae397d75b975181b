#pragma once
/// A yee_grid has the electromagnetic field of a rank's block on Yee's staggered grid.

#include "absorber.hpp"
#include "cell_kernels.hpp"
#include "ghost_sum.hpp"

#include <onehop/cartesian.hpp>
#include <onehop/halo_exchange.hpp>
#include <onehop/halo_field.hpp>

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace particle_in_cell {

using vector_at = std::function<std::array<double, 3>(const onehop::coordinate& cell)>;

/// Calls work(cell) for each cell of a block with these extents, x fastest.
template <class Work>
void for_cells(const onehop::coordinate& local, const Work& work) {
  for (int z = 0; z < local[2]; ++z)
    for (int y = 0; y < local[1]; ++y)
      for (int x = 0; x < local[0]; ++x) work(onehop::coordinate{x, y, z, 0});
}

/// Light that comes to an end of the lattice comes in at the other end, or is absorbed; a window
/// that moves along x absorbs it but for the front.
enum class boundary : std::uint8_t { periodic, absorbing, window };

/// An antenna is a plane across x between the points of cells `x` and x + 1 that sends light both
/// ways. It is magnetised along z: `magnetisation` is that where B along z of a cell (x, y, z) of
/// the lattice lies. Its currents are a curl, so that no charge comes to lie in the plane.
struct antenna {
  int x;
  std::function<double(const onehop::coordinate& cell)> magnetisation;
};

/// Cells have the length 1 and c = 1 (Yee, IEEE Trans. Antennas Propag. 14 (1966) 302): component
/// mu of E is half a cell from the cell's point in dimension mu, that of B in the two others. In a
/// lattice of two dimensions nothing depends on z.
///
/// Each cell has two ghosts on every side. Those of B are computed here from those of E, so that E
/// alone travels, once in a step.
class yee_grid {
 public:
  static constexpr int ghosts = 2;

  /// The constructor is collective. A quantum is what the whole numbers of currents count.
  yee_grid(const onehop::cartesian& ranks, double dt, double quantum,
           boundary ends = boundary::periodic);

  const onehop::cartesian& ranks() const noexcept { return electric_[0].ranks(); }
  const onehop::halo_layout& layout() const noexcept { return electric_[0].layout(); }
  /// Sets components at the staggered points of cells, by global coordinate. Collective.
  void set(const vector_at& electric, const vector_at& magnetic);

  /// Fills in fields, currents and strides of the row that begins at (0, y, z).
  void point(row_job& job, int y, int z) noexcept;
  void clear_currents() noexcept;
  /// Adds what is in ghosts of the currents to their cells. Collective.
  void sum_currents() { sum_.sum(); }

  /// Takes B to half a step later and E to a step later, and sends E. Where there is an antenna,
  /// its magnetisation is that of half a step later. Throws as halo_exchange::start does.
  void start_step(const antenna* from = nullptr);
  /// Waits for E, and takes B by the other half.
  void finish_step();

  std::array<double, 3> electric(const onehop::coordinate& cell) const noexcept;
  std::array<double, 3> magnetic(const onehop::coordinate& cell) const noexcept;
  /// Returns the divergences at the cell's point of E, and at its middle of B.
  double divergence_of_electric(const onehop::coordinate& cell) const noexcept;
  double divergence_of_magnetic(const onehop::coordinate& cell) const noexcept;
  /// Returns all that a window must take along where it moves.
  std::vector<onehop::halo_memory*> memory();
  /// Returns the number of bytes of currents and E that this rank sends in a step.
  std::size_t sent_bytes() const noexcept;

 private:
  using field = onehop::halo_field<double>;

  /// E is new where it has changed since B turned.
  void turn_magnetic(bool electric_is_new);
  void turn_electric();
  void absorb(absorber::stagger where, double factor, std::array<field, 3>& to,
              const std::array<field, 3>& of, bool is_new);
  void close_ends() noexcept;
  void radiate(const antenna& from);
  template <class Work>
  void for_rows(int margin, const Work& work) const;

  double dt_, quantum_;
  std::array<field, 3> electric_, magnetic_;
  std::array<ghost_sum::field, 3> currents_;
  std::array<std::ptrdiff_t, 3> stride_;  ///< 0 in a dimension that is not there
  std::optional<absorber> absorber_;
  onehop::halo_exchange halo_;
  ghost_sum sum_;
};

}  // namespace particle_in_cell
