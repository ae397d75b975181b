#pragma once
/// A shape defines how a particle is spread over the surrounding grid points.

namespace particle_in_cell {

/// A particle's coordinate in a dimension is the number of its cell and an offset in it. For order
/// 1 a cell lies between two grid points and the offset is from 0 to 1; for order 2 it lies around
/// a grid point and the offset is from -1/2 to 1/2. All particles of a cell therefore touch the
/// same points: `nodes` grid points from number `first` on, counted from the cell's, and `halves`
/// points half a cell further from number `first` on.
///
/// Forces use shapes of one order less at the half points, which conserves energy better than
/// shapes of equal order (Langdon and Lasinski, Methods Comput. Phys. 16 (1976) 327). Order 0 is
/// for a dimension that does not exist.
template <int Order>
struct shape;

template <>
struct shape<0> {
  static constexpr int first = 0, nodes = 1, halves = 1;
  template <class Real>
  static void at_nodes(const Real& /*offset*/, Real* weights) {
    weights[0] = Real{} + 1;
  }
  template <class Real>
  static void at_halves(const Real& /*offset*/, Real* weights) {
    weights[0] = Real{} + 1;
  }
};

template <>
struct shape<1> {
  static constexpr int first = 0, nodes = 2, halves = 1;
  static constexpr double least = 0;  ///< smallest offset
  template <class Real>
  static void at_nodes(const Real& offset, Real* weights) {
    weights[0] = 1 - offset;
    weights[1] = offset;
  }
  template <class Real>
  static void at_halves(const Real& /*offset*/, Real* weights) {
    weights[0] = Real{} + 1;
  }
};

template <>
struct shape<2> {
  static constexpr int first = -1, nodes = 3, halves = 2;
  static constexpr double least = -0.5;  ///< smallest offset
  template <class Real>
  static void at_nodes(const Real& offset, Real* weights) {
    const Real below = 0.5 - offset, above = 0.5 + offset;
    weights[0] = 0.5 * (below * below);
    weights[1] = 0.75 - offset * offset;
    weights[2] = 0.5 * (above * above);
  }
  template <class Real>
  static void at_halves(const Real& offset, Real* weights) {
    weights[0] = 0.5 - offset;
    weights[1] = 0.5 + offset;
  }
};

}  // namespace particle_in_cell
