#pragma once
/// What operators are measured on, and whether they are right.

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
/// The links that everything is measured on.
struct bench_links {
  gauge_field links;

  explicit bench_links(const onehop::geometry& geometry);
};

/// H psi by the reference operator, or M psi where it has site terms. Collective.
fermion reference_result(const hop_links& links, const operator_cell& cell, const fermion& psi);
/// Largest difference of a component, relative to the largest of `expected`, over all ranks; a NaN
/// is an infinite one. Collective.
double distance(const context& ctx, const fermion& got, const fermion& expected);

}  // namespace onehop::bench
