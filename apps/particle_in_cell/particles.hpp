#pragma once
/// The particles of a rank's block are sorted by cell.

#include "cell_kernels.hpp"

#include <common/large_pages.hpp>
#include <onehop/cartesian.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace particle_in_cell {

struct particle {
  std::array<double, 3> offset{}, u{};  ///< in the cell, by its shape; gamma v
  std::uint64_t id = 0;
};

/// A traveller is a particle on its way to a cell, which is counted from the block's first and may
/// lie outside the block.
struct traveller {
  particle what;
  std::array<std::int32_t, 3> cell{};
};

/// Offsets are relative to the cell, so that a particle's numbers are the same on any rank.
class particles {
 public:
  explicit particles(const onehop::cartesian& ranks);
  /// From this call on, particles that enter the outermost cells of the lattice, this many at each
  /// end, are removed.
  void remove_in_layers(const onehop::cartesian& ranks, int cells);
  /// Returns how many particles were removed so far.
  std::uint64_t removed() const noexcept { return removed_; }

  std::size_t count() const noexcept { return first_.back(); }
  /// Returns the particles of a row of cells, without fields and currents.
  row_job row(int y, int z) noexcept;
  /// Returns each particle with its cell.
  std::vector<traveller> all() const;

  /// Returns the particles that the kernels sent to cells of other ranks, in dimensions that are
  /// divided; in other dimensions their cells are wrapped around the lattice. With `shift` 1, for a
  /// window that moves, cells count one less along x.
  std::vector<traveller> leavers(int shift = 0) const;
  /// Sorts the particles that stay in the block, and `arrivals`, by cell, with the same shift. The
  /// order within a cell has no meaning.
  void sort(const std::vector<traveller>& arrivals, int shift = 0);

 private:
  struct arrays {
    std::array<app_common::large_vector<double>, 3> offset, u;
    app_common::large_vector<std::uint64_t> id;

    void resize(std::size_t count);
    particle at(std::size_t place) const noexcept;
    void put(std::size_t place, const particle& what) noexcept;
    void copy(std::size_t from, std::size_t count, arrays& other, std::size_t to) const noexcept;
  };

  std::size_t cell_number(const std::array<std::int32_t, 3>& cell) const noexcept;
  /// Returns the cell to which a step from a cell of the block leads.
  std::array<std::int32_t, 3> after(const std::array<std::int32_t, 3>& cell, std::uint8_t code,
                                    int shift) const noexcept;
  bool inside(const std::array<std::int32_t, 3>& cell) const noexcept;
  bool kept(const std::array<std::int32_t, 3>& cell) const noexcept;
  template <class Work>
  void for_cells(const Work& work) const;
  template <class Stays, class Moves>
  void for_steps(int shift, const Stays& stays, const Moves& moves) const;

  std::array<int, 3> extents_;
  std::array<bool, 3> around_;  ///< the rank has the whole extent
  bool all_kept_ = true;
  std::array<int, 3> least_{}, end_{};  ///< cells in which particles are kept, if some are not
  std::uint64_t removed_ = 0;
  arrays now_, next_;
  std::vector<std::uint8_t> to_;
  std::vector<std::size_t>
      first_;  ///< number of the first particle of each cell, and one after the last
  std::vector<std::size_t> next_first_;
};

}  // namespace particle_in_cell
