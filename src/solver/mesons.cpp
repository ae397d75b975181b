#include "base/text.hpp"
#include "lattice/site_sum.hpp"

#include <onehop/error.hpp>
#include <onehop/meson.hpp>

#include <cmath>
#include <numbers>

namespace onehop {
namespace {

using complex = std::complex<double>;
using view = std::span<const complex>;

/// Numbers of all sites of the block for each kind of meson: [kind][site].
using densities = std::vector<std::vector<double>>;

void require_size(const geometry& geometry, view propagator, int components) {
  const std::size_t wanted = geometry.local_volume() * components * components;
  if (propagator.size() == wanted) return;
  throw usage_error(text("a propagator of ", propagator.size(), " numbers was given; block ",
                         to_string(geometry.local()), " with ", components, " sources of ",
                         components, " components needs ", wanted));
}

/// e^(-2 pi i k / extent)
std::vector<complex> roots_of_one(int extent) {
  std::vector<complex> roots(extent);
  for (int k = 0; k < extent; ++k) {
    const double angle = -2 * std::numbers::pi * k / extent;
    roots[k] = {std::cos(angle), std::sin(angle)};
  }
  return roots;
}

/// e^(-i p.(x - x0)), from global coordinates alone so that no grid changes a bit.
class plane_wave {
 public:
  plane_wave(const geometry& geometry, const coordinate& source, const momentum& p) : p_(p) {
    for (int i = 0; i < 3; ++i) {
      roots_[i] = roots_of_one(geometry.lattice()[i]);
      source_[i] = source[i];
    }
  }
  complex at(const coordinate& site) const { return root(0, site) * root(1, site) * root(2, site); }

 private:
  complex root(int i, const coordinate& site) const {
    const auto extent = static_cast<std::int64_t>(roots_[i].size());
    const std::int64_t k = std::int64_t{p_[i]} * (site[i] - source_[i]) % extent;
    return roots_[i][k < 0 ? k + extent : k];
  }

  momentum p_;
  std::array<int, 3> source_{};
  std::array<std::vector<complex>, 3> roots_;
};

/// Sums of one kind over the time slices: [t].
void project(const geometry& geometry, int t_source, std::span<const double> density,
             std::span<const complex> wave, std::span<complex> correlator) {
  const int extent = geometry.lattice()[3];
  std::vector<site_sum> sums(2 * static_cast<std::size_t>(extent));
  for (std::size_t k = 0; k < density.size(); ++k) {
    const int t = geometry.global_site(geometry.local_site(k))[3];
    const int slice = (t - t_source + extent) % extent;
    sums[2 * slice].add(density[k] * wave[k].real());
    sums[2 * slice + 1].add(density[k] * wave[k].imag());
  }
  std::vector<double> results(sums.size());
  totals(geometry.context(), sums, results);
  for (int t = 0; t < extent; ++t) correlator[t] = {results[2 * t], results[2 * t + 1]};
}

std::vector<complex> project(const geometry& geometry, const coordinate& source,
                             const densities& kinds, std::span<const momentum> momenta) {
  const std::size_t extent = geometry.lattice()[3];
  std::vector<complex> correlators(kinds.size() * momenta.size() * extent);
  std::vector<complex> wave(geometry.local_volume());
  for (std::size_t p = 0; p < momenta.size(); ++p) {
    const plane_wave exact(geometry, source, momenta[p]);
    for (std::size_t k = 0; k < wave.size(); ++k) {
      wave[k] = exact.at(geometry.global_site(geometry.local_site(k)));
    }
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const std::size_t begin = (kind * momenta.size() + p) * extent;
      project(geometry, source[3], kinds[kind], wave,
              std::span(correlators).subspan(begin, extent));
    }
  }
  return correlators;
}

/// A product of gamma matrices in the DeGrand-Rossi basis: one entry per row.
struct spin_matrix {
  std::array<int, 4> column{0, 1, 2, 3};
  std::array<complex, 4> entry{1, 1, 1, 1};
};

spin_matrix operator*(const spin_matrix& a, const spin_matrix& b) {
  spin_matrix product;
  for (int row = 0; row < 4; ++row) {
    product.column[row] = b.column[a.column[row]];
    product.entry[row] = a.entry[row] * b.entry[a.column[row]];
  }
  return product;
}

constexpr complex j{0, 1};
const std::array<spin_matrix, 4> gammas = {{{{3, 2, 1, 0}, {j, j, -j, -j}},
                                            {{3, 2, 1, 0}, {-1, 1, 1, -1}},
                                            {{2, 3, 0, 1}, {j, -j, -j, j}},
                                            {{2, 3, 0, 1}, {1, 1, 1, 1}}}};

/// g_5 Gamma, and the sign s with g_t (g_5 Gamma) g_t = s g_5 Gamma.
struct structure {
  spin_matrix matrix;
  double sign;
};

structure structure_of(int number) {
  const spin_matrix gamma5{{0, 1, 2, 3}, {1, 1, -1, -1}};
  structure result{gamma5, 1};
  for (int mu = 0; mu < 4; ++mu) {
    if ((number >> mu & 1) != 0) result.matrix = result.matrix * gammas[mu];
  }
  const spin_matrix turned = gammas[3] * result.matrix * gammas[3];
  result.sign = (turned.entry[0] / result.matrix.entry[0]).real();
  return result;
}

/// S of one site: [sink spin][source spin][sink colour * 3 + source colour].
using site_propagator = std::array<std::array<std::array<complex, 9>, 4>, 4>;

void gather(view propagator, std::size_t field, std::size_t site, site_propagator& s) {
  for (int column = 0; column < 12; ++column) {
    const complex* spinor = propagator.data() + column * field + site * 12;
    for (int row = 0; row < 12; ++row) {
      s[row / 3][column / 3][row % 3 * 3 + column % 3] = spinor[row];
    }
  }
}

/// s tr[A S A^+ S^+], which is real for A^+ = +-A.
double contraction(const structure& a, const site_propagator& s) {
  complex sum = 0;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      const auto& moved = s[a.matrix.column[row]][a.matrix.column[column]];
      const auto& still = s[row][column];
      double re = 0;
      double im = 0;
      for (int c = 0; c < 9; ++c) {
        re += moved[c].real() * still[c].real() + moved[c].imag() * still[c].imag();
        im += moved[c].imag() * still[c].real() - moved[c].real() * still[c].imag();
      }
      sum += a.matrix.entry[row] * std::conj(a.matrix.entry[column]) * complex(re, im);
    }
  }
  return a.sign * sum.real();
}

}  // namespace

std::vector<complex> meson_correlators(const geometry& geometry, const coordinate& source,
                                       view propagator, std::span<const momentum> momenta) {
  require_size(geometry, propagator, 12);
  const std::size_t volume = geometry.local_volume();
  densities kinds(16, std::vector<double>(volume));
  std::array<structure, 16> structures;
  for (int n = 0; n < 16; ++n) structures[n] = structure_of(n);
  site_propagator s;
  for (std::size_t k = 0; k < volume; ++k) {
    gather(propagator, volume * 12, k, s);
    for (int n = 0; n < 16; ++n) kinds[n][k] = contraction(structures[n], s);
  }
  return project(geometry, source, kinds, momenta);
}

std::vector<complex> staggered_meson_correlators(const geometry& geometry, const coordinate& source,
                                                 view propagator,
                                                 std::span<const momentum> momenta) {
  require_size(geometry, propagator, 3);
  const std::size_t volume = geometry.local_volume();
  densities kinds(8, std::vector<double>(volume));
  for (std::size_t k = 0; k < volume; ++k) {
    double norm = 0;
    for (int column = 0; column < 3; ++column) {
      for (int row = 0; row < 3; ++row) {
        norm += std::norm(propagator[(column * volume + k) * 3 + row]);
      }
    }
    const coordinate site = geometry.global_site(geometry.local_site(k));
    for (int corner = 0; corner < 8; ++corner) {
      int odd = 0;
      for (int d = 0; d < 3; ++d) odd += (corner >> d & 1) * (site[d] - source[d]);
      kinds[corner][k] = odd % 2 == 0 ? norm : -norm;
    }
  }
  return project(geometry, source, kinds, momenta);
}

}  // namespace onehop
