#pragma once
/// The cell kernels move the particles of rows of cells and add their currents to the grid; they
/// are built for several instruction sets.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace particle_in_cell {

/// This selects how the magnetic field turns u (Boris, Proc. 4th Conf. Num. Sim. Plasmas (1970) 3;
/// Higuera and Cary, Phys. Plasmas 24 (2017) 052104).
enum class pusher : std::uint8_t { boris, higuera_cary };

/// These are offsets in the cell, by dimension, and u = gamma v.
struct particle_pointers {
  std::array<double*, 3> offset, u;
};

/// Currents and charges are integer numbers of quanta, so that sums do not depend on the order.
using quanta = std::int64_t;

/// A row_job describes the cells of a row along x. Its pointers are for the row's first cell:
/// particles `first[c]` to `first[c + 1]` are in cell c.
struct row_job {
  particle_pointers particles;
  const std::size_t* first;
  int cells;
  std::array<const double*, 6> fields;  ///< E and B
  std::array<quanta*, 3> currents;
  std::ptrdiff_t stride_y, stride_z;  ///< strides of fields and currents
  double dt;
  double half_kick;  ///< q dt / 2m
  double charge;     ///< charge of a particle, in quanta
  std::uint8_t* to;  ///< the cell to which each particle goes, see code_of_step
};

/// Returns the code of a step to the cell that lies -1, 0 or 1 cells away in each dimension.
constexpr std::uint8_t code_of_step(int x, int y, int z) {
  return static_cast<std::uint8_t>(x + 1 + 3 * (y + 1) + 9 * (z + 1));
}
constexpr std::uint8_t code_of_staying = code_of_step(0, 0, 0);
constexpr std::array<int, 3> step_of_code(int code) {
  return {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
}

struct cell_kernels {
  std::string_view isa;
  int lanes;
  /// Moves the particles by a step with the fields at its beginning and u from half a step earlier.
  /// Adds their currents to all cells within two of the particle's, by Esirkepov's sums (Comput.
  /// Phys. Commun. 135 (2001) 144).
  void (*push)(const row_job& job, int dimensions, int order, pusher how);
  /// Writes gamma - 1 of each particle at the time of the fields to `energies`, which begins with
  /// the row's first particle like the other arrays.
  void (*measure)(const row_job& job, int dimensions, int order, double* energies);
};

/// Returns the kernels that this program was built with and this processor has, the widest first.
const std::vector<cell_kernels>& usable_kernels();

}  // namespace particle_in_cell
