#pragma once
/// solve_options are the parameters of a solve, with their defaults.

#include <onehop/dirac_operator.hpp>

#include <functional>

namespace onehop {

/// The boundary condition holds for the quarks in time; in space they are periodic.
enum class boundary { antiperiodic, periodic };

/// The overlap says when the boundary of a block is computed: after all faces with everything else
/// (none), after all faces with the interior computed meanwhile (fused), or face by face as they
/// arrive (faces).
enum class overlap { none, fused, faces };

/// Precisions double_ and single compute in those types; half is 16-bit fixed point with a scale
/// per site, where a system is solved with corrections in single; mixed is single with corrections
/// in double.
enum class precision { double_, single, half, mixed };

enum class solver_kind { cg, bicgstab, pipelined_cg, block_cg };

/// Kernels run on the host's cores, or on a CUDA device for each rank.
enum class device_choice { host, cuda };

struct solve_progress {
  int iteration;
  double residual;  ///< relative residual of the full system
  int source = 0;   ///< source with the largest residual among those solved in one call
};

struct solve_options {
  dirac_operator dirac = wilson{};
  onehop::boundary boundary = onehop::boundary::antiperiodic;
  solver_kind solver = solver_kind::cg;
  onehop::precision precision = onehop::precision::double_;
  /// The real numbers that a link is kept in: 18, 12 or 8. For half and mixed it applies to the
  /// coarse links; corrections always take the links in full.
  int recon = 18;
  /// The most right-hand sides that are solved together, sharing links, faces and reductions. 0
  /// takes default_rhs() of tuning.hpp.
  int rhs = 0;
  double tolerance = 1e-10;  ///< limit on |b - M x| / |b| of the full system
  int max_iterations = 10000;
  onehop::overlap overlap = onehop::overlap::fused;
  int threads = 1;  ///< threads that share a rank's work
  device_choice device = device_choice::host;
  bool share_device = false;  ///< true allows several ranks to compute on one device
  /// This is called on every rank after each iteration, on a device after every few; an exception
  /// thrown here ends the solve.
  std::function<void(const solve_progress&)> progress = {};
};

}  // namespace onehop
