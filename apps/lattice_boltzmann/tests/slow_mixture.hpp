#pragma once
/// A slow_mixture is a slow and obvious implementation of two fluids: two lattices, populations
/// instead of differences, and the equations of Zheng, Shu and Chew, J. Comput. Phys. 218 (2006)
/// 353.

#include <lattice_boltzmann/d3q19.hpp>
#include <lattice_boltzmann/mixture.hpp>

#include <array>
#include <cmath>
#include <vector>

/// The lattice is periodic in x and y, and in z unless it has walls there. There is one relaxation
/// time.
class slow_mixture {
 public:
  slow_mixture(const std::array<int, 3>& extents, bool walls,
               const lattice_boltzmann::mixture_options& how)
      : extents_(extents), walls_(walls), how_(how) {
    A_ = 0.75 * how.surface_tension / how.interface_width;
    kappa_ = 0.375 * how.surface_tension * how.interface_width;
    gamma_ = how.mobility / (q * (tau_h * q - 0.5));
    const auto cells = static_cast<std::size_t>(extents[0]) * extents[1] * extents[2];
    g_.resize(cells);
    h_.resize(cells);
  }

  template <class Order>
  void set(const Order& order_at) {
    for_cells([&](int x, int y, int z) {
      h_[index(x, y, z)] = {};
      h_[index(x, y, z)][0] = order_at({x, y, z, 0});
    });
    auto g = g_;
    auto h = h_;
    for_cells([&](int x, int y, int z) {
      const auto c = index(x, y, z);
      const local here = local_at(x, y, z);
      for (std::size_t i = 0; i < 19; ++i)
        g[c][i] = momentum_equilibrium(i, 1, {}, here) - 1.5 * weight(i) * along(i, here.force);
      for (std::size_t i = 0; i < 7; ++i) h[c][i] = order_equilibrium(i, {}, here);
    });
    g_ = g, h_ = h;
  }

  void step() {
    auto g = g_;
    auto h = h_;
    for_cells([&](int x, int y, int z) {
      const auto c = index(x, y, z);
      const local here = local_at(x, y, z);
      double n = 0;
      const vector u = velocity_at(x, y, z, n);
      for (std::size_t i = 0; i < 19; ++i) {
        const double eu = along(i, u), eF = along(i, here.force);
        const double uF = u[0] * here.force[0] + u[1] * here.force[1] + u[2] * here.force[2];
        const double left = g_[c][i] - (g_[c][i] - momentum_equilibrium(i, n, u, here)) / how_.tau +
                            (1 - 0.5 / how_.tau) * weight(i) * (3 * (eF - uF) + 9 * eu * eF);
        const auto [to, wall] = next(x, y, z, i);
        g[to][wall ? lattice_boltzmann::opposite(i) : i] = left;
      }
      for (std::size_t i = 0; i < 7; ++i) {
        const auto [to, wall] = next(x, y, z, i);
        const std::size_t in = wall ? lattice_boltzmann::opposite(i) : i;
        h[to][in] = h_[c][i] + (1 - q) * (h_[to][in] - h_[c][i]) +
                    (order_equilibrium(i, u, here) - h_[c][i]) / tau_h;
      }
    });
    g_ = g, h_ = h;
  }

  double phi(int x, int y, int z) const {
    double sum = 0;
    for (const double each : h_[index(x, y, z)]) sum += each;
    return sum;
  }
  std::array<double, 3> velocity_at(int x, int y, int z, double& n) const {
    const local here = local_at(x, y, z);
    vector u{};
    n = 0;
    for (std::size_t i = 0; i < 19; ++i) {
      const double g = g_[index(x, y, z)][i];
      n += g;
      for (std::size_t mu = 0; mu < 3; ++mu) u[mu] += lattice_boltzmann::velocity(i)[mu] * g;
    }
    for (std::size_t mu = 0; mu < 3; ++mu) u[mu] = (u[mu] + here.force[mu] / 2) / n;
    return u;
  }

 private:
  using vector = std::array<double, 3>;
  struct local {
    double phi, mu;
    vector force;
  };
  static constexpr double tau_h = 1, q = 1 / (tau_h + 0.5);

  template <class Work>
  void for_cells(const Work& work) const {
    for (int z = 0; z < extents_[2]; ++z)
      for (int y = 0; y < extents_[1]; ++y)
        for (int x = 0; x < extents_[0]; ++x) work(x, y, z);
  }
  std::size_t index(int x, int y, int z) const {
    const auto around = [&](int at, std::size_t mu) {
      return static_cast<std::size_t>((at + extents_[mu]) % extents_[mu]);
    };
    return (around(z, 2) * extents_[1] + around(y, 1)) * extents_[0] + around(x, 0);
  }
  static double weight(std::size_t i) { return lattice_boltzmann::weight(i); }
  static double along(std::size_t i, const vector& v) {
    const auto e = lattice_boltzmann::velocity(i);
    return e[0] * v[0] + e[1] * v[1] + e[2] * v[2];
  }
  std::pair<std::size_t, bool> next(int x, int y, int z, std::size_t i) const {
    const auto e = lattice_boltzmann::velocity(i);
    if (walls_ && (z + e[2] < 0 || z + e[2] >= extents_[2])) return {index(x, y, z), true};
    return {index(x + e[0], y + e[1], z + e[2]), false};
  }
  /// Beyond a wall phi differs by the slope at the wall, found by iteration.
  double phi_around(int x, int y, int z) const {
    if (!walls_ || (z >= 0 && z < extents_[2])) return phi(x, y, z);
    const double inside = phi(x, y, z < 0 ? 0 : extents_[2] - 1);
    double wall = inside;
    for (int k = 0; k < 200; ++k) wall = inside + slope() / 2 * (1 - wall * wall);
    return inside + slope() * (1 - wall * wall);
  }
  double slope() const { return 2 * how_.wall_cosine / how_.interface_width; }
  local local_at(int x, int y, int z) const {
    local here{phi(x, y, z), 0, {}};
    double laplacian = 0;
    vector gradient{}, bulk{};
    for (std::size_t i = 1; i < 19; ++i) {
      const auto e = lattice_boltzmann::velocity(i);
      const double there = phi_around(x + e[0], y + e[1], z + e[2]);
      laplacian += 6 * weight(i) * (there - here.phi);
      for (std::size_t mu = 0; mu < 3; ++mu) {
        gradient[mu] += 3 * weight(i) * e[mu] * there;
        bulk[mu] += 3 * weight(i) * e[mu] * A_ * std::pow(there * there - 1, 2);
      }
    }
    here.mu = 4 * A_ * here.phi * (here.phi * here.phi - 1) - kappa_ * laplacian;
    for (std::size_t mu = 0; mu < 3; ++mu)
      here.force[mu] = bulk[mu] - kappa_ * laplacian * gradient[mu];
    return here;
  }
  static double momentum_equilibrium(std::size_t i, double n, const vector& u, const local& at) {
    const double pressure = at.phi * at.mu + n / 3, eu = along(i, u),
                 square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    const double first = i == 0 ? 3 * n - 6 * pressure : 3 * pressure;
    return weight(i) * (first + n * (3 * eu - 1.5 * square + 4.5 * eu * eu));
  }
  double order_equilibrium(std::size_t i, const vector& u, const local& at) const {
    if (i == 0) return at.phi - 3 * gamma_ * at.mu;
    return gamma_ * at.mu / 2 + at.phi * along(i, u) / (2 * q);
  }

  std::array<int, 3> extents_;
  bool walls_;
  lattice_boltzmann::mixture_options how_;
  double A_, kappa_, gamma_;
  std::vector<std::array<double, 19>> g_;
  std::vector<std::array<double, 7>> h_;
};
