#include "dirac/chiral_block.hpp"

#include "gauge/su3.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

}  // namespace

// Inverts by the method of Gauss and Jordan with row pivots.
std::optional<chiral_block> inverse(const chiral_block& block) {
  const double smallest = n * std::numeric_limits<double>::epsilon() * largest_entry(block);
  chiral_block left = block;
  chiral_block right{};
  for (std::size_t k = 0; k < n; ++k) right[n * k + k] = 1;
  for (std::size_t column = 0; column < n; ++column) {
    const std::size_t pivot = pivot_row(left, column);
    // The comparison is also false where a number is not finite.
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

}  // namespace onehop
