#pragma once
/// The row kernels work on rows of sites of one colour; they are built for several instruction
/// sets.
///
/// A row is all sites of one colour at one y and z, x upwards. Its neighbours in y and z are the
/// rows of the other colour there, place by place. In x each place has two neighbours in the other
/// colour's row at the same y and z: the one at the same place, and the one before it (in rows
/// whose first site has even x) or after it (odd). At the row's end, that neighbour lies on the
/// other side of the lattice or on another rank.

#include <onehop/random.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace spin_glass {

/// spin_rows are three components of spins in successive rows, or couplings in three directions;
/// the distance from one component to the next is `pitch` numbers.
template <class Real>
struct spin_rows {
  Real* data = nullptr;
  std::ptrdiff_t pitch = 0;
};

/// A row_job describes successive rows, which every array here holds one after the other.
template <class Real>
struct row_job {
  spin_rows<Real> spins;
  spin_rows<const Real> same;  ///< row of the other colour at the same y and z
  /// These are the rows of the other colour at y - 1, y + 1, z - 1, z + 1.
  std::array<spin_rows<const Real>, 4> around;
  /// These are the couplings from each site to the sites at x + 1, y + 1, z + 1.
  spin_rows<const Real> couplings;
  /// These are the couplings from the sites of `same` in x, from those at y - 1 in y, and from
  /// those at z - 1 in z.
  std::array<const Real*, 3> couplings_below;
  /// These are the spins past the ends in x, and the couplings from them. Those of row r are at r *
  /// end_step. If end_step is 0, every second row has one, at (first_row + r) / 2. The first of
  /// `ends` is for rows with even x.
  std::array<spin_rows<const Real>, 2> ends;
  const Real* end_couplings;
  std::ptrdiff_t end_step;
  int first_row;

  /// This is true if the arrays are larger than caches; lines are then prefetched from memory.
  bool from_memory;
  bool odd;         ///< parity of x of the first row's first site; it changes from row to row
  int rows, sites;  ///< number of rows, and of sites in a row
  int first, last;  ///< the places updated in each row are first to last - 1; in odd rows, sites -
                    ///< last to sites - first - 1
};

/// row_numbers has, for the places of a job, row by row, a random number uniform in (0,1), and
/// cosine and sine of a random angle.
template <class Number>
struct row_numbers {
  Number* uniform;
  Number* cosine;
  Number* sine;
};

struct random_stream {
  std::uint64_t seed;
  onehop::random_use use;
  std::uint64_t stream;
};

template <class Real>
struct row_kernels {
  std::string_view isa;
  int lanes;
  /// Sets s' = 2 (h.s) / (h.h) h - s; spins without a field do not change.
  void (*overrelax)(const row_job<Real>&);
  /// Draws s from exp(beta h.s).
  void (*heatbath)(const row_job<Real>&, double beta, const row_numbers<const double>&);
  /// Computes -h.s of each place, in double precision.
  void (*energies)(const row_job<Real>&, double* terms);
  /// Draws the numbers of `count` sites `site`, site + 2, ...
  void (*draw)(const random_stream& of, std::uint64_t site, int count,
               const row_numbers<double>& numbers);
};

/// Returns the kernels that this program was built with and this processor has, the widest first.
template <class Real>
const std::vector<row_kernels<Real>>& usable_kernels();

}  // namespace spin_glass
