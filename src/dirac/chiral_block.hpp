#pragma once
/// A chiral_block is a matrix on spin and colour of one chirality: spins 0, 1 or spins 2, 3.

#include <array>
#include <complex>
#include <optional>
#include <vector>

namespace onehop {

/// The matrix is 6x6, row-major, with the index 3 * (spin of the chirality) + colour.
using chiral_block = std::array<std::complex<double>, 36>;

/// Returns the inverse, and none where the block is singular to working precision or not finite.
std::optional<chiral_block> inverse(const chiral_block& block);

/// Returns the block as site_factor stores it: 18 numbers of a hermitian block, of which the
/// entries above the diagonal are not read; 36 of a general one.
std::vector<std::complex<double>> packed(const chiral_block& block, bool general);

}  // namespace onehop
