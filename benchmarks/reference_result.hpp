#pragma once
/// Operators are measured on these links, and their results are checked.

#include <onehop/gauge_field.hpp>
#include <onehop/propagator.hpp>

#include <complex>
#include <vector>

#include "benchmarks/operator_rate.hpp"
#include "dirac/hop_links.hpp"
#include "lattice/field_precision.hpp"

namespace onehop::bench {

using fermion = std::vector<std::complex<double>>;

field_precision field_precision_of(precision wanted);
/// All measurements use bench_links.
struct bench_links {
  gauge_field links;

  explicit bench_links(const onehop::geometry& geometry);
};

/// Returns H psi by the reference operator, or M psi for operators with site terms. Collective.
fermion reference_result(const hop_links& links, const operator_cell& cell, const fermion& psi);
/// Returns the largest difference of a component over all ranks, relative to the largest of
/// `expected`; a NaN counts as an infinite difference. Collective.
double distance(const context& ctx, const fermion& got, const fermion& expected);

}  // namespace onehop::bench
