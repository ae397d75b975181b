#pragma once
/// How tests solve on a device that is none.

#include "device/backend.hpp"

#include <onehop/propagator.hpp>

#include <memory>

namespace onehop {

/// A solver whose kernels run on `where`; only tests need this: the constructor opens what the
/// options say.
struct solver_on_backend {
  /// Collective. Throws what the constructor of propagator_solver throws.
  static propagator_solver make(std::unique_ptr<device::backend> where, const gauge_field& links,
                                const solve_options& options);
};

}  // namespace onehop
