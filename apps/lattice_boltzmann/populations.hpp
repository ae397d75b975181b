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

/// There is one array for each direction. A collision writes what leaves in a direction to where
/// the opposite one was, so that streaming is a matter of where the next step looks (the AA
/// pattern; Bailey, Myre, Walsh, Lilja and Saar, ICPP 2009): in even steps f_i of cell x lies in
/// array i at x, in odd ones in array -i at x - e_i. One step reads and writes each number once, in
/// any order of cells.
///
///     even step: reads  i at x         writes -i at x           a face's cells hold what leaves
///     odd step:  reads -i at x - e_i   writes  i at x + e_i     its ghosts hold what leaves
///
/// What leaves the block after an even step is sent from the cells of a face to the neighbour's
/// ghosts, and after an odd one from the ghosts to the neighbour's cells: five populations of a
/// face, one of an edge, for up to 18 neighbours in one put chain. At an end of the lattice that is
/// not periodic they come back half-way to the next cell, where the
/// wall is.
///
/// `Directions` says how many of the D3Q19 velocities there are: all, or the seven of D3Q7.
template <class Real, std::size_t Directions = directions>
class populations {
 public:
  /// The constructor is collective. All populations are 0.
  explicit populations(const block& where);

  const block& where() const noexcept { return where_; }
  /// Returns where the populations of a row are from this cell on.
  row_pointers<Real, Directions> row(int x, int y, int z) const noexcept {
    return row(x, y, z, parity_);
  }
  /// Returns the work on the rows of a part; rows go around where this rank has the whole extent in
  /// x.
  row_job<Real, Directions> job(const part& of) const noexcept { return job(of, parity_); }
  /// Returns the same rows for the next step. Before `finish` they have what streams into them
  /// where that is at this rank and does not go around the lattice in z, and where planes are
  /// wrapped in x and y.
  row_job<Real, Directions> next_job(const part& of) const noexcept { return job(of, 1 - parity_); }

  /// Makes cells solid by global coordinate: what streams into one comes back half-way, as from a
  /// wall, and what leaves one reaches no fluid. Takes the place of what was solid before.
  void set_solid(const std::function<bool(const onehop::coordinate& cell)>& solid);

  /// Carries what has left a plane of collided cells around in y, where this rank has the whole
  /// extents in x and y. Does nothing elsewhere.
  void wrap_plane(int z) noexcept;
  /// Says whether planes are wrapped in x and y when a part has collided and `wrap_plane` was
  /// called.
  bool wraps_planes() const noexcept { return where_.alone_in(0) && where_.alone_in(1); }

  /// Sends what leaves the block: called when all cells at faces that other ranks have beyond them
  /// have collided and been wrapped.
  void start();
  /// Receives what comes, and ends the step: called when all cells have.
  void finish();
  /// Returns the number of Reals that this rank sends in a step.
  std::size_t sent() const noexcept;

 private:
  /// A strip is a box of cells in one array: its first number, and how many cells it has.
  struct strip {
    std::ptrdiff_t first;
    std::array<int, 3> count;
  };
  struct move {
    strip from;
    std::ptrdiff_t to;
  };
  /// A message is what crosses the block's boundary by certain steps, of which `kind` is the number
  /// among the velocities, and what arrives at the opposite boundary by the same steps.
  struct message {
    int origin, target;  ///< -1 where the lattice ends
    std::vector<strip> from, to;
    std::size_t kind;
    std::optional<onehop::put_slot> sent;
    std::optional<onehop::notification> arrives;
  };
  /// Says where a population of a fluid cell lies that comes from a solid one: in that cell after
  /// an odd step, and beyond the surface after an even one.
  struct solid_link {
    std::ptrdiff_t own, beyond;
  };
  struct step_plan {
    std::vector<move> moves;  ///< what stays at this rank: around the lattice, or back from a wall
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
