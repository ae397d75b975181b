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

/// Light that leaves the lattice at one end enters at the other end, or is absorbed. A window that
/// moves along x absorbs it at all ends except the front.
enum class boundary : std::uint8_t { periodic, absorbing, window };

/// An antenna is a plane across x between the points of cells `x` and x + 1 that sends light in
/// both directions. It is magnetised along z: `magnetisation` is taken where B along z of a cell
/// (x, y, z) of the lattice lies. Its currents are a curl, so that the plane stays free of charge.
struct antenna {
  int x;
  std::function<double(const onehop::coordinate& cell)> magnetisation;
};

/// Cells have length 1, and c = 1 (Yee, IEEE Trans. Antennas Propag. 14 (1966) 302). Component mu
/// of E is half a cell from the cell's point in dimension mu, component mu of B in the two other
/// dimensions. In a lattice of two dimensions nothing depends on z.
///
/// Each cell has two ghosts on every side. The ghosts of B are computed here from those of E, so
/// that only E is sent, once in a step.
class yee_grid {
 public:
  static constexpr int ghosts = 2;

  /// The constructor is collective. A quantum is the unit of the integer currents.
  yee_grid(const onehop::cartesian& ranks, double dt, double quantum,
           boundary ends = boundary::periodic);

  const onehop::cartesian& ranks() const noexcept { return electric_[0].ranks(); }
  const onehop::halo_layout& layout() const noexcept { return electric_[0].layout(); }
  /// Sets components at the staggered points of cells, by global coordinate. Collective.
  void set(const vector_at& electric, const vector_at& magnetic);

  /// Fills in fields, currents and strides of the row that begins at (0, y, z).
  void point(row_job& job, int y, int z) noexcept;
  void clear_currents() noexcept;
  /// Adds the currents in ghosts to their cells. Collective.
  void sum_currents() { sum_.sum(); }

  /// Advances B by half a step and E by a step, and sends E. If there is an antenna, its
  /// magnetisation must be that of half a step later. Throws as halo_exchange::start does.
  void start_step(const antenna* from = nullptr);
  /// Waits for E, and advances B by the other half step.
  void finish_step();

  std::array<double, 3> electric(const onehop::coordinate& cell) const noexcept;
  std::array<double, 3> magnetic(const onehop::coordinate& cell) const noexcept;
  /// Return the divergence of E at the cell's point, and of B at its middle.
  double divergence_of_electric(const onehop::coordinate& cell) const noexcept;
  double divergence_of_magnetic(const onehop::coordinate& cell) const noexcept;
  /// Returns all fields that must move with a window.
  std::vector<onehop::halo_memory*> memory();
  /// Returns the number of bytes of currents and E that this rank sends in a step.
  std::size_t sent_bytes() const noexcept;

 private:
  using field = onehop::halo_field<double>;

  /// E is new if it has changed since B was last updated.
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
  std::array<std::ptrdiff_t, 3> stride_;  ///< 0 in a dimension that does not exist
  std::optional<absorber> absorber_;
  onehop::halo_exchange halo_;
  ghost_sum sum_;
};

}  // namespace particle_in_cell
