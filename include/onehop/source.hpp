#pragma once
/// These functions make sources b of M x = b. Each fills a canonical field of this rank's block
/// with `components` (12 or 3) numbers per site, in the order spin*3+colour or colour. All give the
/// same source for every grid of ranks. They throw usage_error for a component that the field does
/// not have, and unless the field has the size of the block.

#include <onehop/geometry.hpp>

#include <complex>
#include <cstdint>
#include <span>

namespace onehop {

/// Sets component `component` at `site` to one and everything else to zero. Throws usage_error for
/// a site outside the lattice.
void point_source(const geometry& geometry, const coordinate& site, int component, int components,
                  std::span<std::complex<double>> source);

/// Sets component `component` to one at every site of time slice `t` and everything else to zero: a
/// quark at rest, for links fixed to Coulomb gauge. Throws usage_error for a t outside the lattice.
void wall_source(const geometry& geometry, int t, int component, int components,
                 std::span<std::complex<double>> source);

/// Sets noise (+-1 +- i)/sqrt(2) for each site and colour of time slice `t`, in one spin (of 4, or
/// 0 for 3 components), and zero elsewhere, for the one-end trick (Foster and Michael, PRD 59,
/// 074503 (1999)) with spin dilution. All spins of one seed have the same noise. Throws usage_error
/// for a t outside the lattice.
void noise_wall_source(const geometry& geometry, int t, std::uint64_t seed, int spin,
                       int components, std::span<std::complex<double>> source);

/// Sets complex Gaussian noise everywhere, with <|source|^2> = 1 for each component.
void random_source(const geometry& geometry, std::uint64_t seed, int components,
                   std::span<std::complex<double>> source);

}  // namespace onehop
