#pragma once
/// This file projects sums over time slices on a plane wave.

#include <onehop/geometry.hpp>
#include <onehop/meson.hpp>

#include <complex>
#include <span>
#include <vector>

namespace onehop {

/// Returns sum_x e^(-i p.(x - x0)) density(x, t) as [kind][momentum][t], with t counted from the
/// source x0, t0; `kinds` are the densities on this rank's sites. The result has the same bits on
/// every rank and grid. Collective.
std::vector<std::complex<double>> project(const geometry& geometry, const coordinate& source,
                                          std::span<const std::vector<std::complex<double>>> kinds,
                                          std::span<const momentum> momenta);

}  // namespace onehop
