#pragma once
/// The D3Q19 velocity set (Qian, d'Humieres and Lallemand, Europhys. Lett. 17 (1992) 479), whose
/// first seven velocities are D3Q7.

#include <array>
#include <cstddef>

namespace lattice_boltzmann {

constexpr std::size_t directions = 19, directions_of_d3q7 = 7;
/// This is the number of pairs of opposite velocities: 2k + 1 and 2k + 2, the first of which are
/// listed below; direction 0 is at rest.
constexpr std::size_t pairs = 9;
constexpr std::array<std::array<int, 3>, pairs> first_of_pair{{{1, 0, 0},
                                                               {0, 1, 0},
                                                               {0, 0, 1},
                                                               {1, 1, 0},
                                                               {1, -1, 0},
                                                               {1, 0, 1},
                                                               {1, 0, -1},
                                                               {0, 1, 1},
                                                               {0, 1, -1}}};

constexpr std::size_t opposite(std::size_t direction) {
  if (direction == 0) return 0;
  return direction % 2 == 1 ? direction + 1 : direction - 1;
}

/// These are the displacements x, y, z in one step.
constexpr std::array<int, 3> velocity(std::size_t direction) {
  if (direction == 0) return {0, 0, 0};
  std::array<int, 3> e = first_of_pair[(direction - 1) / 2];
  if (direction % 2 == 0)
    for (int& component : e) component = -component;
  return e;
}

/// Pairs along the axes come first.
constexpr bool along_axis(std::size_t pair) { return pair < 3; }
constexpr double weight(std::size_t direction) {
  if (direction == 0) return 1.0 / 3;
  return along_axis((direction - 1) / 2) ? 1.0 / 18 : 1.0 / 36;
}

}  // namespace lattice_boltzmann
