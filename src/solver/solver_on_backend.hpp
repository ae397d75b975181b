#pragma once
/// Tests solve on a given back end, whose device need not be real.

#include "device/backend.hpp"

#include <onehop/propagator.hpp>

#include <memory>

namespace onehop {

/// Makes a solver whose kernels run on `where`. Only tests need this, because the constructor opens
/// what the options say.
struct solver_on_backend {
  /// Makes the solver; collective. Throws what the constructor of propagator_solver throws.
  static propagator_solver make(std::unique_ptr<device::backend> where, const gauge_field& links,
                                const solve_options& options);
};

}  // namespace onehop
