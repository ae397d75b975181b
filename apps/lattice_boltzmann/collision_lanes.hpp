#pragma once
/// This is the collision of the populations of cells with any force.

#include "cell_lanes.hpp"

#include <cstddef>
#include <utility>

namespace lattice_boltzmann::ONEHOP_APP_ISA {
namespace {

/// A collision contains what is the same for all cells. With the momentum j = n u at half a step,
/// the even part of a pair becomes
///   (1 - s+) f+ + w (s+ (n - 1 - 3/2 n u.u) - 3 (1 - s+/2) u.F
///                    + e.j (9/2 s+ e.j + 9 (1 - s+/2) e.F) / n)
/// and the odd part
///   (1 - s-) f- + 3 w (s- e.j + (1 - s-/2) e.F).
template <class Real>
struct collision {
  Real even_rate, even_kept, half_kept_even, half_kept_odd;
  Real drag_factor;                      ///< 3 (1 - s+/2)
  std::array<Real, 3> half_force, drag;  ///< F / 2, and 3 (1 - s+/2) F
  struct pair_constants {
    Real weight, along, force_along, odd, odd_force;
    Real even_force, odd_force_factor;  ///< the factor of e.F
  };
  std::array<pair_constants, pairs> of;

  explicit collision(const relaxation& how) {
    const double even = how.even_rate, odd = how.odd_rate;
    even_rate = static_cast<Real>(even);
    even_kept = static_cast<Real>(1 - even);
    half_kept_even = static_cast<Real>((1 - even) / 2);
    half_kept_odd = static_cast<Real>((1 - odd) / 2);
    drag_factor = static_cast<Real>(3 * (1 - even / 2));
    for (std::size_t mu = 0; mu < 3; ++mu) {
      half_force[mu] = static_cast<Real>(how.force[mu] / 2);
      drag[mu] = static_cast<Real>(3 * (1 - even / 2) * how.force[mu]);
    }
    for (std::size_t k = 0; k < pairs; ++k) {
      const double w = weight(2 * k + 1);
      double force = 0;
      for (std::size_t mu = 0; mu < 3; ++mu) force += first_of_pair[k][mu] * how.force[mu];
      of[k] = {static_cast<Real>(w),
               static_cast<Real>(4.5 * even * w),
               static_cast<Real>(9 * (1 - even / 2) * w * force),
               static_cast<Real>(3 * odd * w),
               static_cast<Real>(3 * (1 - odd / 2) * w * force),
               static_cast<Real>(9 * (1 - even / 2) * w),
               static_cast<Real>(3 * (1 - odd / 2) * w)};
    }
  }

  template <std::size_t Pair>
  LATTICE_BOLTZMANN_INLINE const pair_constants& pair() const {
    return of[Pair];
  }
};

/// A collision_of_cells is a collision whose rates differ from cell to cell.
template <class Real, int W>
struct collision_of_cells {
  using vector = lanes<Real, W>;
  vector even_rate, even_kept, half_kept_even, half_kept_odd, drag_factor;
  struct pair_constants {
    Real weight;
    vector along, odd, even_force, odd_force_factor;
  };
  pair_constants axis, diagonal;

  LATTICE_BOLTZMANN_INLINE collision_of_cells(const vector& even, const vector& odd)
      : even_rate(even),
        even_kept(Real{1} - even),
        half_kept_even(Real{0.5} * even_kept),
        half_kept_odd(Real{0.5} * (Real{1} - odd)),
        drag_factor(Real{3} * (Real{1} - Real{0.5} * even)) {
    const vector half_odd_force = Real{1} - Real{0.5} * odd;
    const auto scaled = [&](double w) {
      return pair_constants{static_cast<Real>(w), static_cast<Real>(4.5 * w) * even,
                            static_cast<Real>(3 * w) * odd, static_cast<Real>(3 * w) * drag_factor,
                            static_cast<Real>(3 * w) * half_odd_force};
    };
    axis = scaled(weight(1));
    diagonal = scaled(weight(directions - 1));
  }

  template <std::size_t Pair>
  LATTICE_BOLTZMANN_INLINE const pair_constants& pair() const {
    return along_axis(Pair) ? axis : diagonal;
  }
};

/// These classes add what a force contributes to the slope of the even part of a pair and to its
/// odd part: for no force, for one that is the same in all cells, and for one that differs from
/// cell to cell.
struct no_force {
  template <std::size_t Pair, class Vector>
  LATTICE_BOLTZMANN_INLINE Vector even(const Vector& slope) const {
    return slope;
  }
  template <std::size_t Pair, class Vector>
  LATTICE_BOLTZMANN_INLINE Vector odd(const Vector& part) const {
    return part;
  }
};

template <class Real>
struct same_force {
  const collision<Real>& how;

  template <std::size_t Pair, class Vector>
  LATTICE_BOLTZMANN_INLINE Vector even(const Vector& slope) const {
    return slope + how.of[Pair].force_along;
  }
  template <std::size_t Pair, class Vector>
  LATTICE_BOLTZMANN_INLINE Vector odd(const Vector& part) const {
    return part + how.of[Pair].odd_force;
  }
};

template <class Vector, class How>
struct force_of_cells {
  const How& how;
  const std::array<Vector, 3>& force;

  template <std::size_t Pair>
  LATTICE_BOLTZMANN_INLINE Vector even(const Vector& slope) const {
    return slope + how.template pair<Pair>().even_force * along<Pair>(force);
  }
  template <std::size_t Pair>
  LATTICE_BOLTZMANN_INLINE Vector odd(const Vector& part) const {
    return part + how.template pair<Pair>().odd_force_factor * along<Pair>(force);
  }
};

template <std::size_t Pair, int W, class Real, class How, class Force>
LATTICE_BOLTZMANN_INLINE void relax(const row_pointers<Real>& at, int x, const How& how,
                                    const cell_sums<Real, W>& f,
                                    const std::array<lanes<Real, W>, 3>& j,
                                    const lanes<Real, W>& base, const lanes<Real, W>& inverse,
                                    const Force& force) {
  using vector = lanes<Real, W>;
  const auto& constants = how.template pair<Pair>();
  const vector ej = along<Pair>(j);
  const vector slope = force.template even<Pair>(vector(constants.along * ej));
  const vector even =
      how.half_kept_even * f.sum[Pair] + (constants.weight * base + ej * inverse * slope);
  const vector odd =
      force.template odd<Pair>(vector(how.half_kept_odd * f.difference[Pair] + constants.odd * ej));
  store<Real, W>(at[2 * Pair + 2] + x, even + odd);
  store<Real, W>(at[2 * Pair + 1] + x, even - odd);
}

template <int W, class Real, class How, class Force, std::size_t... Pair>
LATTICE_BOLTZMANN_INLINE void relax_all(const row_pointers<Real>& at, int x, const How& how,
                                        const cell_sums<Real, W>& f,
                                        const std::array<lanes<Real, W>, 3>& j,
                                        const lanes<Real, W>& base, const lanes<Real, W>& inverse,
                                        const Force& force,
                                        std::index_sequence<Pair...> /*pairs*/) {
  (relax<Pair, W>(at, x, how, f, j, base, inverse, force), ...);
}

}  // namespace
}  // namespace lattice_boltzmann::ONEHOP_APP_ISA
