// This file is built once for each instruction set, which ONEHOP_APP_ISA names.
#include "cell_kernels.hpp"

#include "current.hpp"
#include "shape.hpp"

#include <common/instruction_sets.hpp>
#include <common/lanes.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace particle_in_cell::ONEHOP_APP_ISA {
namespace {

using app_common::ONEHOP_APP_ISA::load, app_common::ONEHOP_APP_ISA::load_first,
    app_common::ONEHOP_APP_ISA::store, app_common::ONEHOP_APP_ISA::store_first;
using vector3 = std::array<real, 3>;

inline real square_root(const real& value) {
  real root{};
  for (int lane = 0; lane < lanes_of; ++lane) root[lane] = std::sqrt(value[lane]);
  return root;
}
inline real dot(const vector3& a, const vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline vector3 cross(const vector3& a, const vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Returns the codes of steps, each of which is -1, 0 or 1, from the bits of their signs and
/// exponents.
inline whole codes_of(const vector3& steps) {
  std::array<whole, 3> way;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const whole bits = std::bit_cast<whole>(steps[mu]);
    way[mu] = (bits >> 61 & 1) - (bits >> 63 << 1);
  }
  return way[0] + (way[1] + (way[1] << 1)) + (way[2] + (way[2] << 3)) + code_of_staying;
}

/// Combines all lanes of a vector, which have no bit in common, by or; each round combines half as
/// many lanes.
template <int Away = lanes_of / 2>
PARTICLE_IN_CELL_INLINE std::uint64_t united(const whole& of) {
  if constexpr (Away == 0)
    return of[0];
  else
    return united<Away / 2>(of |
                            __builtin_shuffle(of, of_lanes([](int lane) { return lane ^ Away; })));
}

/// The lanes are successive particles of a cell. If fewer particles are left, the last lanes are at
/// rest at offset zero.
struct particle_lanes {
  std::size_t at;
  int count;

  real load_from(const double* array) const {
    return count == lanes_of ? load<double, lanes_of>(array + at)
                             : load_first<double, lanes_of>(array + at, count);
  }
  void store_to(double* array, const real& value) const {
    if (count == lanes_of) return store<double, lanes_of>(array + at, value);
    store_first<double, lanes_of>(array + at, value, count);
  }
  vector3 load_from(const std::array<double*, 3>& arrays) const {
    return {load_from(arrays[0]), load_from(arrays[1]), load_from(arrays[2])};
  }
  /// Returns a number in each lane whose particle has the code of staying, and zero in the others.
  real where_staying(const whole& codes, double number) const {
    const auto stays = (codes == code_of_staying) & (of_lanes([](int lane) { return lane; }) <
                                                     static_cast<std::uint64_t>(count));
    return std::bit_cast<real>(std::bit_cast<whole>(stays) & std::bit_cast<std::uint64_t>(number));
  }
  /// Writes the codes, and returns a byte for each lane, which is zero if the particle stays.
  std::uint64_t write_codes(std::uint8_t* to, const whole& codes) const {
    static_assert(std::endian::native == std::endian::little);
    constexpr std::uint64_t all_stay = 0x0101010101010101 * code_of_staying;
    const std::uint64_t bytes = united(codes << of_lanes([](int lane) { return 8 * lane; }));
    if (count == lanes_of) {
      std::memcpy(to + at, &bytes, lanes_of);
      return (bytes ^ all_stay) << (64 - 8 * lanes_of) >> (64 - 8 * lanes_of);
    }
    const int those = count;  // The compiler must assume that a byte may alias anything.
    to += at;
    for (int lane = 0; lane < those; ++lane)
      to[lane] = static_cast<std::uint8_t>(bytes >> 8 * lane);
    return (bytes ^ all_stay) << (64 - 8 * those) >> (64 - 8 * those);
  }
};

template <class Shape>
struct point_weights {
  real nodes[Shape::nodes], halves[Shape::halves];

  explicit point_weights(const real& offset) {
    Shape::at_nodes(offset, nodes);
    Shape::at_halves(offset, halves);
  }
};

template <class X, class Y, class Z>
struct kernel {
  template <int Nx, int Ny, int Nz>
  static real gather(const row_job& job, const double* field, const real* x, const real* y,
                     const real* z) {
    field += X::first + Y::first * job.stride_y + Z::first * job.stride_z;
    real sum{};
    for (int k = 0; k < Nz; ++k)
      for (int j = 0; j < Ny; ++j) {
        const double* row = field + j * job.stride_y + k * job.stride_z;
        real along = x[0] * row[0];
        for (int i = 1; i < Nx; ++i) along += x[i] * row[i];
        sum += (y[j] * z[k]) * along;
      }
    return sum;
  }

  struct force {
    vector3 e, b;

    /// The fields are those that act on particles with these weights in cell `c`.
    force(const row_job& job, int c, const point_weights<X>& x, const point_weights<Y>& y,
          const point_weights<Z>& z) {
      constexpr int nx = X::nodes, ny = Y::nodes, nz = Z::nodes, hx = X::halves, hy = Y::halves,
                    hz = Z::halves;
      const auto& of = job.fields;
      e[0] = gather<hx, ny, nz>(job, of[0] + c, x.halves, y.nodes, z.nodes);
      e[1] = gather<nx, hy, nz>(job, of[1] + c, x.nodes, y.halves, z.nodes);
      e[2] = gather<nx, ny, hz>(job, of[2] + c, x.nodes, y.nodes, z.halves);
      b[0] = gather<nx, hy, hz>(job, of[3] + c, x.nodes, y.halves, z.halves);
      b[1] = gather<hx, ny, hz>(job, of[4] + c, x.halves, y.nodes, z.halves);
      b[2] = gather<hx, hy, nz>(job, of[5] + c, x.halves, y.halves, z.nodes);
    }
  };

  static void kick(vector3& u, const vector3& e, double half_kick) {
    for (std::size_t mu = 0; mu < 3; ++mu) u[mu] += half_kick * e[mu];
  }

  /// Turns u, which already includes half of the electric kick, around the magnetic field. Higuera
  /// and Cary use the gamma of the mean of u before and after the turn.
  template <pusher How>
  static void turn(vector3& u, const vector3& b, double half_kick) {
    vector3 t{half_kick * b[0], half_kick * b[1], half_kick * b[2]};
    real gamma_square = 1 + dot(u, u);
    if constexpr (How == pusher::higuera_cary) {
      const real square = dot(t, t), along = dot(u, t), less = gamma_square - square;
      gamma_square = 0.5 * (less + square_root(less * less + 4 * (square + along * along)));
    }
    const real inverse = 1 / square_root(gamma_square);
    for (real& component : t) component *= inverse;
    const real twice = 2 / (1 + dot(t, t));
    vector3 half = cross(u, t);
    for (std::size_t mu = 0; mu < 3; ++mu) half[mu] = (half[mu] + u[mu]) * twice;
    const vector3 turned = cross(half, t);
    for (std::size_t mu = 0; mu < 3; ++mu) u[mu] += turned[mu];
  }

  /// Brings an offset back into its cell, and returns the number of cells that this takes.
  template <class Shape>
  static real wrap(real& offset) {
    if constexpr (Shape::halves * Shape::nodes > 1) {
      const real one = real{} + 1, none{};
      const real step =
          (offset >= Shape::least + 1 ? one : none) - (offset < Shape::least ? one : none);
      offset -= step;
      return step;
    } else {
      return real{};
    }
  }

  template <pusher How>
  static void push_lanes(const row_job& job, int c, const particle_lanes& lanes,
                         cell_current<X, Y, Z>& current) {
    const vector3 old = lanes.load_from(job.particles.offset);
    const point_weights<X> x(old[0]);
    const point_weights<Y> y(old[1]);
    const point_weights<Z> z(old[2]);
    const force here(job, c, x, y, z);
    vector3 u = lanes.load_from(job.particles.u);
    kick(u, here.e, job.half_kick);
    turn<How>(u, here.b, job.half_kick);
    kick(u, here.e, job.half_kick);
    const real per_u = job.dt / square_root(1 + dot(u, u));
    vector3 now{old[0] + u[0] * per_u, old[1] + u[1] * per_u, old[2] + u[2] * per_u};
    const vector3 steps{wrap<X>(now[0]), wrap<Y>(now[1]), wrap<Z>(now[2])};
    for (std::size_t mu = 0; mu < 3; ++mu) {
      lanes.store_to(job.particles.u[mu], u[mu]);
      lanes.store_to(job.particles.offset[mu], now[mu]);
    }
    add_currents(job, c, lanes, current, {x, y, z}, old, now, steps, u[2] * per_u);
  }

  struct all_weights {
    const point_weights<X>& x;
    const point_weights<Y>& y;
    const point_weights<Z>& z;
  };

  static void add_currents(const row_job& job, int c, const particle_lanes& lanes,
                           cell_current<X, Y, Z>& current, const all_weights& before,
                           const vector3& old, const vector3& now, const vector3& steps,
                           const real& way_in_z) {
    const whole codes = codes_of(steps);
    const real charge = lanes.where_staying(codes, job.charge);
    std::uint64_t movers = lanes.write_codes(job.to, codes);
    const point_weights<X> x(now[0]);
    const point_weights<Y> y(now[1]);
    const point_weights<Z> z(now[2]);
    using path_x = path_weights<real, X::nodes, X::halves>;
    using path_y = path_weights<real, Y::nodes, Y::halves>;
    using path_z = path_weights<real, Z::nodes, Z::halves>;
    path_z in_z(before.z.nodes, z.nodes);
    // If there is no dimension z, the displacement along z makes all of the current along z.
    if constexpr (Z::nodes == 1) in_z.passed[0] = -way_in_z;
    current.add(path_x(before.x.nodes, x.nodes), path_y(before.y.nodes, y.nodes), in_z,
                charge * (-1 / job.dt));
    while (movers != 0) {
      const int lane = std::countr_zero(movers) / 8;
      movers &= ~(std::uint64_t{0xff} << 8 * lane);
      move_one(job, c, lane, old, now, steps, way_in_z);
    }
  }

  static void move_one(const row_job& job, int c, int lane, const vector3& old, const vector3& now,
                       const vector3& steps, const real& way_in_z) {
    const double rate = job.charge * (-1 / job.dt);
    const auto step = [&](std::size_t mu) { return static_cast<int>(steps[mu][lane]); };
    add_mover<X, Y, Z>({job.currents[0] + c, job.currents[1] + c, job.currents[2] + c},
                       job.stride_y, job.stride_z,
                       wide_path<X>(old[0][lane], now[0][lane], step(0)),
                       wide_path<Y>(old[1][lane], now[1][lane], step(1)),
                       wide_path<Z>(old[2][lane], now[2][lane], step(2)), rate, way_in_z[lane]);
  }

  template <class Work>
  static void for_lanes(const row_job& job, int c, const Work& work) {
    const std::size_t end = job.first[c + 1];
    for (std::size_t at = job.first[c]; at < end; at += lanes_of)
      work(particle_lanes{at, static_cast<int>(std::min<std::size_t>(lanes_of, end - at))});
  }

  template <pusher How>
  static void push(const row_job& job) {
    cell_current<X, Y, Z> current;
    for (int c = 0; c < job.cells; ++c) {
      if (job.first[c] == job.first[c + 1]) continue;
      for_lanes(job, c,
                [&](const particle_lanes& lanes) { push_lanes<How>(job, c, lanes, current); });
      current.flush({job.currents[0] + c, job.currents[1] + c, job.currents[2] + c}, job.stride_y,
                    job.stride_z);
    }
  }

  static void measure(const row_job& job, double* energies) {
    for (int c = 0; c < job.cells; ++c)
      for_lanes(job, c, [&](const particle_lanes& lanes) {
        const vector3 at = lanes.load_from(job.particles.offset);
        const force here(job, c, point_weights<X>(at[0]), point_weights<Y>(at[1]),
                         point_weights<Z>(at[2]));
        vector3 u = lanes.load_from(job.particles.u);
        kick(u, here.e, job.half_kick);
        const real square = dot(u, u);
        lanes.store_to(energies, square / (1 + square_root(1 + square)));
      });
  }
};

/// Calls `work` with the kernel for these dimensions and this order.
template <class Work>
void with_kernel(int dimensions, int order, const Work& work) {
  if (dimensions == 2)
    return order == 1 ? work(kernel<shape<1>, shape<1>, shape<0>>())
                      : work(kernel<shape<2>, shape<2>, shape<0>>());
  return order == 1 ? work(kernel<shape<1>, shape<1>, shape<1>>())
                    : work(kernel<shape<2>, shape<2>, shape<2>>());
}

void push(const row_job& job, int dimensions, int order, pusher how) {
  with_kernel(dimensions, order, [&](auto of) {
    if (how == pusher::boris)
      of.template push<pusher::boris>(job);
    else
      of.template push<pusher::higuera_cary>(job);
  });
}

void measure(const row_job& job, int dimensions, int order, double* energies) {
  with_kernel(dimensions, order, [&](auto of) { of.measure(job, energies); });
}

}  // namespace

cell_kernels table() { return {ONEHOP_APP_TEXT(ONEHOP_APP_ISA), lanes_of, push, measure}; }

}  // namespace particle_in_cell::ONEHOP_APP_ISA
