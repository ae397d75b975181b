#pragma once
/// These checks throw usage_error for options that no solve can have.

#include <complex>
#include <onehop/gauge_field.hpp>
#include <onehop/solve_report.hpp>
#include <onehop/solver_options.hpp>
#include <span>

namespace onehop {

/// Returns the options unchanged.
solve_options checked(const solve_options& options);

/// Throws usage_error if ranks differ in an option other than where each computes. Collective.
void require_alike(const context& ctx, const solve_options& options);

/// Returns the links unchanged. Collective if they are kept in fewer than 18 reals, which needs
/// SU(3).
const gauge_field& require_su3(const gauge_field& links, const solve_options& options);

/// Throws usage_error unless the lattice has the time slice of a source.
void require_time_slice(const geometry& geometry, int t);

void require_apart(std::span<const std::complex<double>> source,
                   std::span<const std::complex<double>> solution);
void require_shifts(std::span<const double> shifts, const solve_options& options);
void require_masses(std::span<const double> masses, const solve_options& options);

/// Throws numeric_error when iterated and true residual disagree.
void require_agreement(const solve_report& report, const solve_options& options);

}  // namespace onehop
