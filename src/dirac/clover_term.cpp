#include "dirac/clover_term.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gauge/neighbour_links.hpp"
#include "gauge/su3.hpp"

namespace onehop {
namespace {

constexpr std::size_t n = 6;

using su3::complex, su3::times;

double largest_entry(const chiral_block& block) {
  double largest = 0;
  for (const complex& entry : block) {
    const double size = std::abs(entry);
    if (!(size <= largest)) largest = size;
  }
  return largest;
}

std::size_t pivot_row(const chiral_block& block, std::size_t column) {
  std::size_t best = column;
  for (std::size_t row = column + 1; row < n; ++row) {
    if (std::norm(block[n * row + column]) > std::norm(block[n * best + column])) best = row;
  }
  return best;
}

void swap_rows(chiral_block& block, std::size_t a, std::size_t b) {
  std::swap_ranges(block.begin() + n * a, block.begin() + n * (a + 1), block.begin() + n * b);
}

/// Subtracts row -= factor * from.
void eliminate(chiral_block& block, std::size_t row, std::size_t from, const complex& factor) {
  for (std::size_t k = 0; k < n; ++k) block[n * row + k] -= times(factor, block[n * from + k]);
}

using su3::complex;
using spin_block = std::array<complex, 4>;  // a 2x2 matrix, row-major

/// In the DeGrand-Rossi basis gamma_mu = (0 s; s^+ 0).
constexpr std::array<spin_block, 4> upper_right = {{
    {complex(0, 0), complex(0, 1), complex(0, 1), complex(0, 0)},
    {complex(0, 0), complex(-1, 0), complex(1, 0), complex(0, 0)},
    {complex(0, 1), complex(0, 0), complex(0, 0), complex(0, -1)},
    {complex(1, 0), complex(0, 0), complex(0, 0), complex(1, 0)},
}};

spin_block adjoint(const spin_block& s) {
  return {std::conj(s[0]), std::conj(s[2]), std::conj(s[1]), std::conj(s[3])};
}

/// Returns (i/2) (a b^+ - b a^+), one chirality of sigma.
spin_block commutator(const spin_block& a, const spin_block& b) {
  spin_block result{};
  const spin_block a_adjoint = adjoint(a), b_adjoint = adjoint(b);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k < 2; ++k)
        result[2 * i + j] += complex(0, 0.5) * (a[2 * i + k] * b_adjoint[2 * k + j] -
                                                b[2 * i + k] * a_adjoint[2 * k + j]);
  return result;
}

struct plane {
  std::size_t mu, nu;
  std::array<spin_block, 2> sigma;  // by chirality
};

std::array<plane, 6> make_planes() {
  std::array<plane, 6> planes;
  auto next = planes.begin();
  for (std::size_t mu = 0; mu < 4; ++mu)
    for (std::size_t nu = mu + 1; nu < 4; ++nu) {
      const spin_block &a = upper_right[mu], &b = upper_right[nu];
      *next++ = {mu, nu, {commutator(a, b), commutator(adjoint(a), adjoint(b))}};
    }
  return planes;
}

/// Returns -(i/8) (Q - Q^+).
colour_matrix field_strength(const std::array<colour_matrix, 4>& leaves) {
  colour_matrix q{}, f;
  for (const colour_matrix& leaf : leaves)
    for (std::size_t k = 0; k < 9; ++k) q[k] += leaf[k];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const complex difference = q[3 * i + j] - std::conj(q[3 * j + i]);
      f[3 * i + j] = complex(difference.imag(), -difference.real()) / 8.0;
    }
  return f;
}

/// Adds block += factor * (sigma x f).
void add_product(chiral_block& block, double factor, const spin_block& sigma,
                 const colour_matrix& f) {
  for (std::size_t s = 0; s < 4; ++s) {
    if (sigma[s] == 0.0) continue;
    const complex scaled = factor * sigma[s];
    const std::size_t first = 18 * (s / 2) + 3 * (s % 2);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        block[first + 6 * i + j] += su3::times(scaled, f[3 * i + j]);
  }
}

}  // namespace

// Inverts by Gauss-Jordan elimination with row pivots.
std::optional<chiral_block> inverse(const chiral_block& block) {
  const double smallest = n * std::numeric_limits<double>::epsilon() * largest_entry(block);
  chiral_block left = block;
  chiral_block right{};
  for (std::size_t k = 0; k < n; ++k) right[n * k + k] = 1;
  for (std::size_t column = 0; column < n; ++column) {
    const std::size_t pivot = pivot_row(left, column);
    // The comparison is also false if a number is not finite.
    if (!(std::abs(left[n * pivot + column]) > smallest)) return std::nullopt;
    swap_rows(left, column, pivot);
    swap_rows(right, column, pivot);
    const complex scale = 1.0 / left[n * column + column];
    for (std::size_t k = 0; k < n; ++k) {
      left[n * column + k] = times(scale, left[n * column + k]);
      right[n * column + k] = times(scale, right[n * column + k]);
    }
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column) continue;
      const complex factor = left[n * row + column];
      eliminate(left, row, column, factor);
      eliminate(right, row, column, factor);
    }
  }
  return right;
}

std::vector<std::complex<double>> packed(const chiral_block& block, bool general) {
  if (general) return {block.begin(), block.end()};
  std::vector<complex> numbers;
  for (std::size_t i = 0; i < n; i += 2) {
    numbers.emplace_back(block[n * i + i].real(), block[n * (i + 1) + i + 1].real());
  }
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) numbers.push_back(block[n * i + j]);
  }
  return numbers;
}

std::array<chiral_block, 2> clover_term(const gauge_field& links, const coordinate& site,
                                        double csw) {
  static const std::array<plane, 6> planes = make_planes();
  const neighbour_links u(links);
  const auto x = static_cast<std::ptrdiff_t>(u.layout().index(site));
  std::array<chiral_block, 2> term{};
  for (const plane& p : planes) {
    const colour_matrix f = field_strength(u.leaves(p.mu, p.nu, x));
    for (std::size_t chirality = 0; chirality < 2; ++chirality)
      add_product(term[chirality], -csw / 2, p.sigma[chirality], f);
  }
  return term;
}

}  // namespace onehop
