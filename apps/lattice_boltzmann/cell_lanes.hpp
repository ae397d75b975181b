#pragma once
/// These are the populations of as many cells as a vector has lanes, in pairs of opposite
/// directions.

#include "row_kernels.hpp"

#include <common/lanes.hpp>

#include <array>
#include <cstddef>

// Everything is inlined, because a function that is not inlined computes its addresses again for
// every vector.
#define LATTICE_BOLTZMANN_INLINE inline __attribute__((always_inline))
// The collision of two fluids needs all registers, so that it is not inlined into the loops over
// rows, which would occupy some.
#define LATTICE_BOLTZMANN_APART __attribute__((noinline))

namespace lattice_boltzmann::ONEHOP_APP_ISA {
namespace {

using app_common::ONEHOP_APP_ISA::lanes, app_common::ONEHOP_APP_ISA::load,
    app_common::ONEHOP_APP_ISA::store, app_common::ONEHOP_APP_ISA::widest;

/// Returns the component of a vector along the first velocity of a pair.
template <std::size_t Pair, class Number>
LATTICE_BOLTZMANN_INLINE Number along(const std::array<Number, 3>& v) {
  constexpr auto e = first_of_pair[Pair];
  if constexpr (along_axis(Pair)) {
    return v[Pair];
  } else {
    constexpr std::size_t a = e[0] != 0 ? 0 : 1, b = e[2] != 0 ? 2 : 1;
    return e[b] > 0 ? v[a] + v[b] : v[a] - v[b];
  }
}

/// Returns, along each axis, what the first directions of all pairs across two axes contribute.
template <class Vector>
LATTICE_BOLTZMANN_INLINE std::array<Vector, 3> along_diagonals(const std::array<Vector, pairs>& d) {
  return {(d[3] + d[4]) + (d[5] + d[6]), (d[3] - d[4]) + (d[7] + d[8]),
          (d[5] - d[6]) + (d[7] - d[8])};
}

/// Returns the sum of what the pairs of opposite directions contribute.
template <class Vector>
LATTICE_BOLTZMANN_INLINE Vector along_all(const std::array<Vector, pairs>& s) {
  return (s[0] + s[1] + s[2]) + ((s[3] + s[4]) + (s[5] + s[6])) + (s[7] + s[8]);
}

/// Prefetches the data that lies this number of bytes further on in a row's arrays. The hardware
/// prefetcher follows fewer streams, and each stream starts again at every page.
template <std::ptrdiff_t Bytes, class Real, std::size_t Arrays>
LATTICE_BOLTZMANN_INLINE void prefetch(const std::array<Real*, Arrays>& at, int x) {
  constexpr std::ptrdiff_t ahead = Bytes / static_cast<std::ptrdiff_t>(sizeof(Real));
  for (Real* const each : at) __builtin_prefetch(each + x + ahead, 1);
}

/// cell_sums are the populations of cells, their density less 1 and their momentum.
template <class Real, int W>
struct cell_sums {
  using vector = lanes<Real, W>;
  vector rest, excess;
  std::array<vector, 3> momentum;
  std::array<vector, pairs> sum, difference;  ///< for each pair of populations

  LATTICE_BOLTZMANN_INLINE cell_sums(const row_pointers<Real>& at, int x)
      : rest(load<Real, W>(at[0] + x)) {
    for (std::size_t k = 0; k < pairs; ++k) {
      const vector ahead = load<Real, W>(at[2 * k + 1] + x),
                   behind = load<Real, W>(at[2 * k + 2] + x);
      sum[k] = ahead + behind, difference[k] = ahead - behind;
    }
    excess = rest + along_all(sum);
    const auto diagonal = along_diagonals(difference);
    for (std::size_t mu = 0; mu < 3; ++mu) momentum[mu] = difference[mu] + diagonal[mu];
  }
};

/// Copies the populations that have left a collided row in x to the row's other end.
template <class Real, std::size_t Directions>
LATTICE_BOLTZMANN_INLINE void carry_around(const row_pointers<Real, Directions>& at, int cells) {
  for (std::size_t i = 1; i < Directions; ++i) {
    Real* const left = at[opposite(i)];
    if (velocity(i)[0] > 0) left[-1] = left[cells - 1];
    if (velocity(i)[0] < 0) left[cells] = left[0];
  }
}

/// Calls `work` with the pointers to each row.
template <class Real, class Work>
LATTICE_BOLTZMANN_INLINE void for_rows(const row_job<Real>& job, const Work& work) {
  row_pointers<Real> at = job.at;
  for (int row = 0; row < job.rows; ++row) {
    work(at);
    if (job.around) carry_around(at, job.cells);
    for (Real*& each : at) each += job.stride;
  }
}

}  // namespace
}  // namespace lattice_boltzmann::ONEHOP_APP_ISA
