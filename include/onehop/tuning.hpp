#pragma once
/// `onehop tune` measures on this machine which ways of doing the same work are fastest. Solves in
/// C++ and Python use its results to choose kernels on host and device. No choice changes a bit of
/// a result.
///
/// The results hold for one machine, one instruction set and one version of onehop. A file made
/// elsewhere is ignored.

#include <onehop/geometry.hpp>
#include <onehop/solver_options.hpp>

#include <string>

namespace onehop {

/// Returns the path of the file: ONEHOP_TUNING, or onehop/tuning.json in the user's cache folder.
std::string tuning_file();

/// Returns how many right-hand sides propagator_solver solves together if options.rhs is 0: the
/// number that onehop tune found for this operator, precision, lattice, grid and number of threads,
/// otherwise 4, or 12 for block CG. Collective: every rank gets what the file of rank 0 says.
/// Throws usage_error for a file that onehop tune did not write, and if ONEHOP_TUNING names a file
/// that does not exist.
int default_rhs(const geometry& geometry, const solve_options& options);

}  // namespace onehop
