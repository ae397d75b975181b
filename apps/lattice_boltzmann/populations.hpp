#pragma once
/// populations are numbers of each cell of a rank's block, one for each velocity, which stream in
/// place.

#include "links.hpp"
#include "parts.hpp"
#include "row_kernels.hpp"

#include <common/aligned_array.hpp>
#include <onehop/put_chain.hpp>
#include <onehop/window.hpp>

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace lattice_boltzmann {

/// There is one array for each direction. A collision writes the population that leaves in a
/// direction to where the opposite one was, so that streaming only changes where the next step
/// reads (the AA pattern; Bailey, Myre, Walsh, Lilja and Saar, ICPP 2009): in even steps f_i of
/// cell x lies in array i at x, in odd steps in array -i at x - e_i. A step reads and writes each
/// number once, in any order of cells.
///
///     even step: reads  i at x         writes -i at x           a face's cells hold what leaves
///     odd step:  reads -i at x - e_i   writes  i at x + e_i     its ghosts hold what leaves
///
/// Populations that leave the block are sent after an even step from the cells of a face to the
/// neighbour's ghosts, and after an odd step from the ghosts to the neighbour's cells. They are
/// five populations of a face and one of an edge, for up to 18 neighbours in one put chain. At an
/// end of the lattice that is not periodic they return to their cell, half-way to the next cell,
/// where the wall is.
///
/// `Directions` is the number of the D3Q19 velocities in use: all, or the seven of D3Q7.
template <class Real, std::size_t Directions = directions>
class populations {
 public:
  /// The constructor is collective. All populations are 0.
  explicit populations(const block& where);

  const block& where() const noexcept { return where_; }
  /// Returns pointers to the populations of a row from this cell on.
  row_pointers<Real, Directions> row(int x, int y, int z) const noexcept {
    return row(x, y, z, parity_);
  }
  /// Returns the work on the rows of a part. Rows are periodic if this rank has the whole extent in
  /// x.
  row_job<Real, Directions> job(const part& of) const noexcept { return job(of, parity_); }
  /// Returns the same rows for the next step. Before `finish`, the rows contain only those incoming
  /// populations that come from this rank without crossing the end of the lattice in z, and only if
  /// planes are wrapped in x and y.
  row_job<Real, Directions> next_job(const part& of) const noexcept { return job(of, 1 - parity_); }

  /// Makes cells solid by global coordinate, in place of earlier solid cells. Populations that
  /// stream into a solid cell come back half-way, as from a wall, and populations that leave a
  /// solid cell reach no fluid.
  void set_solid(const std::function<bool(const onehop::coordinate& cell)>& solid);

  /// Wraps a plane of collided cells in y, if this rank has the whole extents in x and y; otherwise
  /// it does nothing.
  void wrap_plane(int z) noexcept;
  /// Says whether planes are wrapped in x and y when a part has collided and `wrap_plane` was
  /// called.
  bool wraps_planes() const noexcept { return where_.alone_in(0) && where_.alone_in(1); }

  /// Sends the populations that leave the block. It may be called when all cells at faces to other
  /// ranks have collided and have been wrapped.
  void start();
  /// Receives populations, and ends the step. It may be called when all cells have collided and
  /// have been wrapped.
  void finish();
  /// Returns the number of Reals that this rank sends in a step.
  std::size_t sent() const noexcept;

 private:
  /// A strip is a box of cells in one array: the position of its first number, and its numbers of
  /// cells.
  struct strip {
    std::ptrdiff_t first;
    std::array<int, 3> count;
  };
  struct move {
    strip from;
    std::ptrdiff_t to;
  };
  /// A message consists of the populations that cross the block's boundary by certain steps, and of
  /// those that arrive at the opposite boundary by the same steps. `kind` is the number of these
  /// steps among the velocities.
  struct message {
    int origin, target;  ///< -1 at an end of the lattice
    std::vector<strip> from, to;
    std::size_t kind;
    std::optional<onehop::put_slot> sent;
    std::optional<onehop::notification> arrives;
  };
  /// Returns where a population of a fluid cell lies that comes from a solid one: in the fluid cell
  /// after an odd step, and beyond the surface after an even one.
  struct solid_link {
    std::ptrdiff_t own, beyond;
  };
  struct step_plan {
    std::vector<move> moves;  ///< what stays at this rank, periodic or back from a wall
    std::vector<message> messages;
  };

  Real* array(std::size_t of) const noexcept {
    return memory_.data() + static_cast<std::ptrdiff_t>(of) * where_.pitch();
  }
  row_pointers<Real, Directions> row(int x, int y, int z, int parity) const noexcept;
  row_job<Real, Directions> job(const part& of, int parity) const noexcept;
  strip strip_of(std::size_t array, const box& cells) const;
  void plan(step_plan& of, int parity) const;
  move bounce(const link& each, int parity) const;
  void connect();
  std::size_t most_numbers(const std::array<int, 3>& steps) const;
  static std::size_t volume(const strip& of) noexcept {
    return static_cast<std::size_t>(of.count[0]) * of.count[1] * of.count[2];
  }
  bool is_beyond_surface(const onehop::coordinate& cell, std::size_t direction,
                         const std::function<bool(const onehop::coordinate& cell)>& solid) const;
  static std::size_t numbers_of(const std::vector<strip>& strips);
  template <class Work>
  void for_rows(const strip& of, const Work& work) const;
  void copy(const move& what) noexcept;
  void return_from_solid() noexcept;

  block where_;
  app_common::aligned_array<Real> memory_;
  int parity_ = 0;  ///< parity of the next step
  std::array<step_plan, 2> plans_;
  std::vector<solid_link> solid_links_;
  std::optional<onehop::window> window_;
  std::optional<onehop::put_chain> chain_;
};

}  // namespace lattice_boltzmann
