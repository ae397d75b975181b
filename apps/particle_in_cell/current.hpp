#pragma once
/// These are the currents of particles. Particles that stay in their cell are added together, lane
/// by lane, and the others one by one.
///
/// ONEHOP_APP_ISA names the instruction set that this is built for.

#include "cell_kernels.hpp"
#include "shape.hpp"

#include <common/lanes.hpp>

#include <bit>
#include <cstring>
#include <utility>

// A function that is not inlined would receive its vectors through memory.
#define PARTICLE_IN_CELL_INLINE inline __attribute__((always_inline))

namespace particle_in_cell::ONEHOP_APP_ISA {
namespace {

constexpr int lanes_of = app_common::ONEHOP_APP_ISA::widest<double>;
using real = app_common::ONEHOP_APP_ISA::lanes<double, lanes_of>;
/// These are sums of integers, which wrap around while they include the bits of rounders.
using whole = app_common::ONEHOP_APP_ISA::lanes<std::uint64_t, lanes_of>;

/// A double of at most 2^51 that is added to this is rounded to an integer, which is then in its
/// lower bits.
constexpr double rounder = 0x1.8p52;
constexpr auto rounder_bits = std::bit_cast<std::uint64_t>(rounder);

inline whole rounded_bits(const real& value) {
  const real sum = value + rounder;
  whole bits;
  std::memcpy(&bits, &sum, sizeof bits);
  return bits;
}

/// Returns the vector that has from(lane) in each lane.
template <class From, std::size_t... Lane>
constexpr whole of_lanes(const From& from, std::index_sequence<Lane...> /*lanes*/) {
  return whole{static_cast<std::uint64_t>(from(static_cast<int>(Lane)))...};
}
template <class From>
constexpr whole of_lanes(const From& from) {
  return of_lanes(from, std::make_index_sequence<lanes_of>());
}

/// From the weights of particles before (0) and after (1) a step at the points of a dimension, this
/// computes
///   (S0 + S1) / 2, S1 - S0, and the sums of S1 - S0 up to each half point.
template <class Real, int Nodes, int Halves>
struct path_weights {
  Real mean[Nodes], change[Nodes], passed[Halves];

  path_weights(const Real* before, const Real* after) {
    for (int i = 0; i < Nodes; ++i) {
      mean[i] = 0.5 * (before[i] + after[i]);
      change[i] = after[i] - before[i];
    }
    passed[0] = change[0];
    for (int i = 1; i < Halves; ++i) passed[i] = passed[i - 1] + change[i];
  }
};

/// Returns Esirkepov's S0 S0' + (S1 - S0) S0' / 2 + S0 (S1' - S0') / 2 + (S1 - S0) (S1' - S0') / 3.
template <class Path, class OtherPath>
auto between(const Path& a, int i, const OtherPath& b, int j) {
  return a.mean[i] * b.mean[j] + (1.0 / 12) * (a.change[i] * b.change[j]);
}

/// A cell_current adds up the currents of particles that stay in one cell, for each lane. It is
/// zero outside the points that the cell's particles touch.
template <class X, class Y, class Z>
class cell_current {
 public:
  /// Adds the currents of particles with these weights; `rate` is -q / dt.
  template <class PathX, class PathY, class PathZ>
  void add(const PathX& x, const PathY& y, const PathZ& z, const real& rate) {
    ++added_;
    for (int k = 0; k < Z::nodes; ++k)
      for (int j = 0; j < Y::nodes; ++j) {
        const real across = rate * between(y, j, z, k);
        for (int i = 0; i < X::halves; ++i) x_[k][j][i] += rounded_bits(x.passed[i] * across);
      }
    for (int k = 0; k < Z::nodes; ++k)
      for (int i = 0; i < X::nodes; ++i) {
        const real across = rate * between(x, i, z, k);
        for (int j = 0; j < Y::halves; ++j) y_[k][j][i] += rounded_bits(y.passed[j] * across);
      }
    for (int j = 0; j < Y::nodes; ++j)
      for (int i = 0; i < X::nodes; ++i) {
        const real across = rate * between(x, i, y, j);
        for (int k = 0; k < Z::halves; ++k) z_[k][j][i] += rounded_bits(z.passed[k] * across);
      }
  }

  /// Adds the sums to the grid and sets them to zero. The pointers are to the cell's own point.
  void flush(const std::array<quanta*, 3>& to, std::ptrdiff_t stride_y, std::ptrdiff_t stride_z) {
    const auto store = [&](quanta* grid, auto& sums, int nx, int ny, int nz) {
      for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
          for (int i = 0; i < nx; ++i)
            grid[X::first + i + (Y::first + j) * stride_y + (Z::first + k) * stride_z] +=
                taken(sums[k][j][i]);
    };
    store(to[0], x_, X::halves, Y::nodes, Z::nodes);
    store(to[1], y_, X::nodes, Y::halves, Z::nodes);
    store(to[2], z_, X::nodes, Y::nodes, Z::halves);
    added_ = 0;
  }

 private:
  /// Subtracts what the rounders of all lanes have added. The sum is zero afterwards.
  quanta taken(whole& sum) const {
    auto all = -static_cast<std::uint64_t>(added_ * lanes_of) * rounder_bits;
    for (int lane = 0; lane < lanes_of; ++lane) all += sum[lane];
    sum = whole{};
    return static_cast<quanta>(all);
  }

  whole x_[Z::nodes][Y::nodes][X::halves]{}, y_[Z::nodes][Y::halves][X::nodes]{},
      z_[Z::halves][Y::nodes][X::nodes]{};
  int added_ = 0;
};

/// These are the weights of one particle that may go to the next cell, on the points of both cells
/// and around them.
template <class Shape>
struct wide_path {
  static constexpr bool there = Shape::halves * Shape::nodes > 1;
  static constexpr int points = there ? Shape::nodes + 2 : 1;
  double before[points]{}, after[points]{};
  int begin, end;  ///< points that are touched

  wide_path(double old_offset, double new_offset, int step)
      : begin(there && step >= 0 ? 1 : 0), end(there ? Shape::nodes + 1 + (step > 0 ? 1 : 0) : 1) {
    Shape::at_nodes(old_offset, before + (there ? 1 : 0));
    Shape::at_nodes(new_offset, after + (there ? 1 + step : 0));
  }
  path_weights<double, points, points> weights() const { return {before, after}; }
};

/// Adds the current of one particle that goes to another cell, four points along x at a time; it
/// touches no more points. If there is no dimension z, the displacement along z makes all of the
/// current along z.
template <class X, class Y, class Z>
void add_mover(const std::array<quanta*, 3>& to, std::ptrdiff_t stride_y, std::ptrdiff_t stride_z,
               const wide_path<X>& in_x, const wide_path<Y>& in_y, const wide_path<Z>& in_z,
               double rate, double way_in_z) {
  constexpr int together = 4;
  using points = app_common::ONEHOP_APP_ISA::lanes<double, together>;
  using whole_points = app_common::ONEHOP_APP_ISA::lanes<quanta, together>;
  using app_common::ONEHOP_APP_ISA::load;
  using app_common::ONEHOP_APP_ISA::store;
  static_assert(wide_path<X>::points >= together && wide_path<X>::points <= together + 1);
  const auto x = in_x.weights();
  const auto y = in_y.weights();
  auto z = in_z.weights();
  if constexpr (!wide_path<Z>::there) z.passed[0] = -way_in_z;
  const int first = wide_path<X>::points > together ? in_x.begin : 0;
  const auto mean = load<double, together>(x.mean + first),
             change = load<double, together>(x.change + first),
             passed = load<double, together>(x.passed + first);
  const auto with = [&](const auto& path, int i) -> points {
    return rate * (mean * path.mean[i] + (1.0 / 12) * (change * path.change[i]));
  };
  const auto add = [](quanta* grid, const points& value) {
    const points sum = value + rounder;
    whole_points bits;
    std::memcpy(&bits, &sum, sizeof bits);
    store<quanta, together>(
        grid, load<quanta, together>(grid) + (bits - static_cast<quanta>(rounder_bits)));
  };
  constexpr int before_x = X::first - 1, before_y = Y::first - 1,
                before_z = Z::first - (wide_path<Z>::there ? 1 : 0);
  points x_and_y[wide_path<Y>::points];
  for (int j = in_y.begin; j < in_y.end; ++j) x_and_y[j] = with(y, j);
  for (int k = in_z.begin; k < in_z.end; ++k) {
    const points x_and_z = with(z, k);
    for (int j = in_y.begin; j < in_y.end; ++j) {
      const std::ptrdiff_t row =
          before_x + first + (before_y + j) * stride_y + (before_z + k) * stride_z;
      add(to[0] + row, passed * (rate * between(y, j, z, k)));
      add(to[1] + row, y.passed[j] * x_and_z);
      add(to[2] + row, z.passed[k] * x_and_y[j]);
    }
  }
}

}  // namespace
}  // namespace particle_in_cell::ONEHOP_APP_ISA
