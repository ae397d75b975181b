#include "solver/projection.hpp"
#include "solver/propagator_size.hpp"
#include "solver/spin_matrix.hpp"

#include <onehop/baryon.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>

namespace onehop {
namespace {

using complex = std::complex<double>;
using view = std::span<const complex>;
using matrix = std::array<std::array<complex, 4>, 4>;

matrix operator*(const matrix& a, const matrix& b) {
  matrix product{};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k) product[i][j] += a[i][k] * b[k][j];
  return product;
}

/// Baryons are contracted in a basis in which parity and spin are diagonal: g_t = diag(1, 1, -1,
/// -1), and -i g_x g_y, twice the spin along z, is diag(1, -1, 1, -1). These are sqrt(2) times its
/// rows in the DeGrand-Rossi basis; they are real, so that C transforms like a gamma matrix.
constexpr std::array<std::array<int, 4>, 4> rest_basis = {
    {{0, 1, 0, 1}, {-1, 0, -1, 0}, {0, 1, 0, -1}, {-1, 0, 1, 0}}};

template <class Entry>
auto to_rest_basis(const Entry& entry) {
  matrix turned{};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k)
        for (int l = 0; l < 4; ++l)
          turned[i][j] += 0.5 * rest_basis[i][k] * rest_basis[j][l] * entry(k, l);
  return turned;
}

matrix in_rest_basis(const spin_matrix& given) {
  return to_rest_basis([&](int row, int column) {
    return given.column[row] == column ? given.entry[row] : complex();
  });
}

/// An interpolator is an operator of quarks u, u and d. It holds the coefficients of u_i u_j d_k, i
/// < j, where an index is spin*3+colour.
class interpolator {
 public:
  using quarks = std::array<int, 3>;

  /// Adds weight eps_abc (u_a^T gamma d_b) u_c of spin `third`.
  void add_u_outside(double weight, const matrix& gamma, int third) {
    add(gamma, third, [&](int a, int b, int c, complex value) { add(a, c, b, -weight * value); });
  }
  /// Adds weight eps_abc (u_a^T gamma u_b) d_c of spin `third`.
  void add_d_outside(double weight, const matrix& gamma, int third) {
    add(gamma, third, [&](int a, int b, int c, complex value) { add(a, b, c, weight * value); });
  }
  const std::map<quarks, complex>& coefficients() const { return coefficients_; }

 private:
  template <class Add>
  static void add(const matrix& gamma, int third, const Add& add) {
    for (int first = 0; first < 3; ++first) {
      for (const int sign : {1, -1}) {
        const int a = first;
        const int b = (first + 3 + sign) % 3;
        const int c = (first + 3 - sign) % 3;
        for (int s = 0; s < 4; ++s) {
          for (int r = 0; r < 4; ++r) {
            const complex value = static_cast<double>(sign) * gamma[s][r];
            if (value != 0.0) add(3 * s + a, 3 * r + b, 3 * third + c, value);
          }
        }
      }
    }
  }
  void add(int i, int j, int k, complex value) {
    if (i > j) {
      std::swap(i, j);
      value = -value;
    }
    if (i != j) coefficients_[{i, j, k}] += value;
  }

  std::map<quarks, complex> coefficients_;
};

/// A summand of a correlator is weight (u_ii' u_jj' - u_ij' u_ji') d_kk'.
struct summand {
  std::array<std::uint8_t, 3> sink, source;
  double weight;
};
using contraction = std::vector<summand>;

/// Adds <O Obar>, where Obar = O^+ g_t with the last index of O in the parity `sign`.
void add_norm(contraction& to, const interpolator& o, double sign) {
  constexpr int lower = 6;  // index from which on g_t is -1
  for (const auto& [sink, left] : o.coefficients()) {
    for (const auto& [source, right] : o.coefficients()) {
      // The weight is real, because all coefficients of an operator have the same phase.
      double weight = sign * (left * std::conj(right)).real();
      for (const int quark : source) weight *= quark < lower ? 1 : -1;
      if (std::abs(weight) < 1e-14) continue;
      summand one{{}, {}, weight};
      for (int n = 0; n < 3; ++n) {
        one.sink[n] = static_cast<std::uint8_t>(sink[n]);
        one.source[n] = static_cast<std::uint8_t>(source[n]);
      }
      to.push_back(one);
    }
  }
}

matrix charge_conjugation() { return in_rest_basis(gammas()[1]) * in_rest_basis(gammas()[3]); }

contraction proton(double parity) {
  const matrix gamma = charge_conjugation() * in_rest_basis(gamma5());
  contraction all;
  for (int spin = 0; spin < 2; ++spin) {
    interpolator o;
    o.add_u_outside(1, gamma, parity > 0 ? spin : 2 + spin);
    add_norm(all, o, parity);
  }
  return all;
}

/// Makes the four states of spin 3/2 by Clebsch-Gordan coefficients, from the vector index of the
/// diquark and the spin of the third quark.
contraction delta(double parity) {
  const matrix c = charge_conjugation();
  // These are C g_k sum_k conj(e_k), for the vectors with spin -1, 0 and 1 along z.
  std::array<matrix, 3> vector{};
  const double root = std::sqrt(0.5);
  const std::array<std::array<complex, 3>, 3> e = {
      {{root, complex(0, -root), 0}, {0, 0, 1}, {-root, complex(0, -root), 0}}};
  for (int k = 0; k < 3; ++k) {
    const matrix gamma = c * in_rest_basis(gammas()[k]);
    for (int m = 0; m < 3; ++m)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) vector[m][i][j] += std::conj(e[m][k]) * gamma[i][j];
  }
  contraction all;
  const int first = parity > 0 ? 0 : 2;
  const auto add = [&](interpolator& o, double weight, int m, int spin) {
    o.add_u_outside(2 * weight / std::sqrt(3.0), vector[m + 1], first + spin);
    o.add_d_outside(weight / std::sqrt(3.0), vector[m + 1], first + spin);
  };
  const double third = std::sqrt(1.0 / 3.0);
  const double two_thirds = std::sqrt(2.0 / 3.0);
  for (const int up : {1, -1}) {
    const int along = up > 0 ? 0 : 1;
    interpolator stretched;
    add(stretched, 1, up, along);
    add_norm(all, stretched, parity);
    interpolator mixed;
    add(mixed, third, up, 1 - along);
    add(mixed, two_thirds, 0, along);
    add_norm(all, mixed, parity);
  }
  return all;
}

/// A site_propagator is S at one site in the rest basis: [sink spin*3+colour][source
/// spin*3+colour].
using site_propagator = std::array<std::array<complex, 12>, 12>;

void gather(view propagator, std::size_t field, std::size_t site, site_propagator& s) {
  for (int colour = 0; colour < 9; ++colour) {
    const int sink = colour / 3;
    const int source = colour % 3;
    const matrix turned = to_rest_basis([&](int row, int column) {
      return propagator[(3 * column + source) * field + site * 12 + 3 * row + sink];
    });
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 4; ++column)
        s[3 * row + sink][3 * column + source] = turned[row][column];
  }
}

complex times(const complex& a, const complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

complex contract(const contraction& all, const site_propagator& u, const site_propagator& d) {
  complex sum = 0;
  for (const summand& one : all) {
    const auto [i, j, k] = one.sink;
    const auto [i2, j2, k2] = one.source;
    const complex pair = times(u[i][i2], u[j][j2]) - times(u[i][j2], u[j][i2]);
    sum += one.weight * times(pair, d[k][k2]);
  }
  return sum;
}

/// Changes the sign beyond the boundary, because three quarks cross it once each.
void turn_beyond_boundary(std::vector<complex>& correlators, int extent, int t_source) {
  for (std::size_t n = 0; n < correlators.size(); ++n) {
    if (static_cast<int>(n % extent) + t_source >= extent) correlators[n] = -correlators[n];
  }
}

}  // namespace

std::vector<complex> baryon_correlators(const geometry& geometry, const coordinate& source,
                                        boundary boundary, view twice, view once,
                                        std::span<const momentum> momenta) {
  require_propagator(geometry, twice.size(), 12);
  require_propagator(geometry, once.size(), 12);
  const std::array<contraction, 4> contractions = {proton(1), proton(-1), delta(1), delta(-1)};
  const std::size_t volume = geometry.local_volume();
  std::vector<std::vector<complex>> kinds(4, std::vector<complex>(volume));
  site_propagator u;
  site_propagator d;
  for (std::size_t k = 0; k < volume; ++k) {
    gather(twice, volume * 12, k, u);
    gather(once, volume * 12, k, d);
    for (int n = 0; n < 4; ++n) kinds[n][k] = contract(contractions[n], u, d);
  }
  std::vector<complex> correlators = project(geometry, source, kinds, momenta);
  if (boundary == boundary::antiperiodic) {
    turn_beyond_boundary(correlators, geometry.lattice()[3], source[3]);
  }
  return correlators;
}

}  // namespace onehop
