#include "solver/projection.hpp"
#include "solver/propagator_size.hpp"
#include "solver/spin_matrix.hpp"

#include <onehop/meson.hpp>

#include <array>
#include <vector>

namespace onehop {
namespace {

using complex = std::complex<double>;
using view = std::span<const complex>;

/// A structure is g_5 Gamma, and the sign s with g_t (g_5 Gamma) g_t = s g_5 Gamma.
struct structure {
  spin_matrix matrix;
  double sign;
};

structure structure_of(int number) {
  structure result{gamma5(), 1};
  for (int mu = 0; mu < 4; ++mu) {
    if ((number >> mu & 1) != 0) result.matrix = result.matrix * gammas()[mu];
  }
  const spin_matrix turned = gammas()[3] * result.matrix * gammas()[3];
  result.sign = (turned.entry[0] / result.matrix.entry[0]).real();
  return result;
}

/// A site_propagator is S at one site: [sink spin][source spin][sink colour * 3 + source colour].
using site_propagator = std::array<std::array<std::array<complex, 9>, 4>, 4>;

void gather(view propagator, std::size_t field, std::size_t site, site_propagator& s) {
  for (int column = 0; column < 12; ++column) {
    const complex* spinor = propagator.data() + column * field + site * 12;
    for (int row = 0; row < 12; ++row) {
      s[row / 3][column / 3][row % 3 * 3 + column % 3] = spinor[row];
    }
  }
}

/// Returns s tr[A S A^+ T^+].
complex contraction(const structure& a, const site_propagator& s, const site_propagator& t) {
  complex sum = 0;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      const auto& moved = s[a.matrix.column[row]][a.matrix.column[column]];
      const auto& still = t[row][column];
      double re = 0;
      double im = 0;
      for (int c = 0; c < 9; ++c) {
        re += moved[c].real() * still[c].real() + moved[c].imag() * still[c].imag();
        im += moved[c].imag() * still[c].real() - moved[c].real() * still[c].imag();
      }
      sum += a.matrix.entry[row] * std::conj(a.matrix.entry[column]) * complex(re, im);
    }
  }
  return a.sign * sum;
}

/// Returns whether both quarks are one propagator. Contractions of A^+ = +-A are then real up to
/// rounding.
bool equal(view quark, view antiquark) { return quark.data() == antiquark.data(); }

}  // namespace

std::vector<complex> meson_correlators(const geometry& geometry, const coordinate& source,
                                       view quark, view antiquark,
                                       std::span<const momentum> momenta) {
  for (const view one : {quark, antiquark}) require_propagator(geometry, one.size(), 12);
  const bool is_real = equal(quark, antiquark);
  const std::size_t volume = geometry.local_volume();
  std::vector<std::vector<complex>> kinds(16, std::vector<complex>(volume));
  std::array<structure, 16> structures;
  for (int n = 0; n < 16; ++n) structures[n] = structure_of(n);
  site_propagator s;
  site_propagator t;
  for (std::size_t k = 0; k < volume; ++k) {
    gather(quark, volume * 12, k, s);
    gather(antiquark, volume * 12, k, t);
    for (int n = 0; n < 16; ++n) {
      const complex value = contraction(structures[n], s, t);
      kinds[n][k] = is_real ? value.real() : value;
    }
  }
  return project(geometry, source, kinds, momenta);
}

std::vector<complex> staggered_meson_correlators(const geometry& geometry, const coordinate& source,
                                                 view quark, view antiquark,
                                                 std::span<const momentum> momenta) {
  for (const view one : {quark, antiquark}) require_propagator(geometry, one.size(), 3);
  const bool is_real = equal(quark, antiquark);
  const std::size_t volume = geometry.local_volume();
  std::vector<std::vector<complex>> kinds(8, std::vector<complex>(volume));
  for (std::size_t k = 0; k < volume; ++k) {
    complex sum = 0;
    for (int column = 0; column < 3; ++column) {
      for (int row = 0; row < 3; ++row) {
        const std::size_t at = (column * volume + k) * 3 + row;
        sum += is_real ? std::norm(quark[at]) : quark[at] * std::conj(antiquark[at]);
      }
    }
    const coordinate site = geometry.global_site(geometry.local_site(k));
    for (int corner = 0; corner < 8; ++corner) {
      int odd = 0;
      for (int d = 0; d < 3; ++d) odd += (corner >> d & 1) * (site[d] - source[d]);
      kinds[corner][k] = odd % 2 == 0 ? sum : -sum;
    }
  }
  return project(geometry, source, kinds, momenta);
}

}  // namespace onehop
