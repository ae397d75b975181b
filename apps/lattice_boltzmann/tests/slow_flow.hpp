#pragma once
/// A slow_flow is a slow and obvious implementation of the same method: two lattices, populations
/// instead of differences, and collisions by the equations of the papers.

#include <lattice_boltzmann/d3q19.hpp>
#include <lattice_boltzmann/flow.hpp>

#include <array>
#include <functional>
#include <utility>
#include <vector>

class slow_flow {
 public:
  using vector = std::array<double, 3>;

  slow_flow(const std::array<int, 3>& extents, const std::array<bool, 3>& periodic,
            const lattice_boltzmann::flow_options& how)
      : extents_(extents), periodic_(periodic), how_(how) {
    f_.resize(static_cast<std::size_t>(extents[0]) * extents[1] * extents[2]);
  }

  void set(const std::function<lattice_boltzmann::fluid(const onehop::coordinate&)>& fluid_at) {
    for_cells([&](int x, int y, int z) {
      const auto here = fluid_at({x, y, z, 0});
      for (std::size_t i = 0; i < lattice_boltzmann::directions; ++i)
        at(x, y, z)[i] = equilibrium(i, 1 + here.excess, here.velocity) -
                         3 * lattice_boltzmann::weight(i) * along(i, how_.force) / 2;
    });
  }

  /// Makes cells solid: a fluid cell takes back the populations that it sent to a solid one.
  void set_solid(std::function<bool(const onehop::coordinate&)> solid) {
    solid_ = std::move(solid);
  }

  void step() {
    auto collided = f_;
    for (auto& each : collided) collide(each);
    for_cells([&](int x, int y, int z) {
      for (std::size_t i = 0; i < lattice_boltzmann::directions; ++i) {
        std::array<int, 3> to{x, y, z};
        const auto e = lattice_boltzmann::velocity(i);
        bool wall = false;
        for (std::size_t mu = 0; mu < 3; ++mu) {
          to[mu] += e[mu];
          const bool outside = to[mu] < 0 || to[mu] >= extents_[mu];
          wall = wall || (outside && !periodic_[mu]);
          to[mu] = (to[mu] + extents_[mu]) % extents_[mu];
        }
        wall = wall || solid_({to[0], to[1], to[2], 0});
        const double leaves = collided[index(x, y, z)][i];
        if (solid_({x, y, z, 0})) continue;
        if (wall)
          at(x, y, z)[lattice_boltzmann::opposite(i)] = leaves;
        else
          at(to[0], to[1], to[2])[i] = leaves;
      }
    });
  }

  const std::array<double, lattice_boltzmann::directions>& at(int x, int y, int z) const {
    return f_[index(x, y, z)];
  }

  template <class Work>
  void for_cells(const Work& work) const {
    for (int z = 0; z < extents_[2]; ++z)
      for (int y = 0; y < extents_[1]; ++y)
        for (int x = 0; x < extents_[0]; ++x) work(x, y, z);
  }

 private:
  using cell = std::array<double, lattice_boltzmann::directions>;

  std::size_t index(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * extents_[1] + y) * extents_[0] + x;
  }
  cell& at(int x, int y, int z) { return f_[index(x, y, z)]; }
  static double along(std::size_t i, const vector& v) {
    const auto e = lattice_boltzmann::velocity(i);
    return e[0] * v[0] + e[1] * v[1] + e[2] * v[2];
  }
  static double dot(const vector& a, const vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }
  static double equilibrium(std::size_t i, double n, const vector& u) {
    const double eu = along(i, u);
    return lattice_boltzmann::weight(i) * n * (1 + 3 * eu + 4.5 * eu * eu - 1.5 * dot(u, u));
  }
  /// Returns w (3 (e - u) + 9 (e.u) e).F, whose even and odd parts TRT uses.
  double forcing(std::size_t i, const vector& u) const {
    return lattice_boltzmann::weight(i) * (3 * (along(i, how_.force) - dot(u, how_.force)) +
                                           9 * along(i, u) * along(i, how_.force));
  }

  void collide(cell& f) const {
    double n = 0;
    vector u{};
    for (std::size_t i = 0; i < f.size(); ++i) {
      n += f[i];
      for (std::size_t mu = 0; mu < 3; ++mu) u[mu] += lattice_boltzmann::velocity(i)[mu] * f[i];
    }
    for (std::size_t mu = 0; mu < 3; ++mu) u[mu] = (u[mu] + how_.force[mu] / 2) / n;
    const double even = 1 / how_.tau,
                 odd = how_.magic ? 1 / (0.5 + *how_.magic / (how_.tau - 0.5)) : even;
    const cell before = f;
    for (std::size_t i = 0; i < f.size(); ++i) {
      const std::size_t o = lattice_boltzmann::opposite(i);
      const double fi = before[i], fo = before[o], ei = equilibrium(i, n, u),
                   eo = equilibrium(o, n, u), si = forcing(i, u), so = forcing(o, u);
      f[i] = fi - even * ((fi + fo) / 2 - (ei + eo) / 2) - odd * ((fi - fo) / 2 - (ei - eo) / 2) +
             (1 - even / 2) * (si + so) / 2 + (1 - odd / 2) * (si - so) / 2;
    }
  }

  std::array<int, 3> extents_;
  std::array<bool, 3> periodic_;
  lattice_boltzmann::flow_options how_;
  std::vector<cell> f_;
  std::function<bool(const onehop::coordinate&)> solid_ = [](const auto&) { return false; };
};
