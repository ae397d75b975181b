#pragma once
/// These functions make sources b of M x = b. Each fills a canonical field of this rank's block:
/// `components` (12 or 3) numbers a site, spin*3+colour or colour. All are the same for every grid
/// of ranks. They throw usage_error for a component that the field has not, and for a field of
/// another size than the block's.

#include <onehop/geometry.hpp>

#include <complex>
#include <cstdint>
#include <span>

namespace onehop {

/// Sets one at `site` for component `component` and zero elsewhere. Throws usage_error for a site
/// outside the lattice.
void point_source(const geometry& geometry, const coordinate& site, int component, int components,
                  std::span<std::complex<double>> source);

/// Sets one at every site of time slice `t` for component `component` and zero elsewhere: a quark
/// at rest, for links fixed to Coulomb gauge. Throws usage_error for a t outside the lattice.
void wall_source(const geometry& geometry, int t, int component, int components,
                 std::span<std::complex<double>> source);

/// Sets noise (+-1 +- i)/sqrt(2) for each site and colour of time slice `t`, in one spin (of 4, or
/// 0 for 3 components), and zero elsewhere, for the one-end trick (Foster and Michael, PRD 59,
/// 074503 (1999)) with spins diluted. All spins of one seed share the noise. Throws usage_error for
/// a t outside the lattice.
void noise_wall_source(const geometry& geometry, int t, std::uint64_t seed, int spin,
                       int components, std::span<std::complex<double>> source);

/// Sets complex Gaussian noise everywhere, with <|source|^2> of each component 1.
void random_source(const geometry& geometry, std::uint64_t seed, int components,
                   std::span<std::complex<double>> source);

}  // namespace onehop
