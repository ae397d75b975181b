#pragma once
/// What `onehop tune` has found on this machine. Solves go by it, from C++ as from Python: kernels
/// of host and device do their work in the ways that were measured to be fastest, none of which
/// changes a bit.
///
/// Results of a measurement hold for one machine, one instruction set and one version of onehop. A
/// file of elsewhere counts as none.

#include <onehop/geometry.hpp>
#include <onehop/solver_options.hpp>

#include <string>

namespace onehop {

/// The file: ONEHOP_TUNING, or onehop/tuning.json in the user's cache folder.
std::string tuning_file();

/// How many right-hand sides propagator_solver solves together where options.rhs is 0: what was
/// found for this operator, precision, lattice, grid and number of threads, else 4; 12 of block CG.
/// Collective: every rank gets what the file of rank 0 says. Throws usage_error for a file that is
/// no tuning, and where ONEHOP_TUNING names one that is not there.
int default_rhs(const geometry& geometry, const solve_options& options);

}  // namespace onehop
