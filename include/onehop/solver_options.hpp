#pragma once
/// The parameters of a solve, with their defaults.

#include <onehop/dirac_operator.hpp>

#include <functional>

namespace onehop {

/// Boundary condition of the quarks in time; in space they are periodic.
enum class boundary { antiperiodic, periodic };

/// When the boundary of a block is computed: after all faces with everything else (none), after all
/// faces with the interior computed meanwhile (fused), or face by face as they arrive (faces).
enum class overlap { none, fused, faces };

/// Double or single precision; half: 16-bit fixed point with a scale per site, and where a system
/// is solved with corrections in single; mixed: in single with corrections in double.
enum class precision { double_, single, half, mixed };

enum class solver_kind { cg, bicgstab, pipelined_cg, block_cg };

/// Where kernels run: on the host's cores, or on a CUDA device, a rank each.
enum class device_choice { host, cuda };

struct solve_progress {
  int iteration;
  double residual;  ///< relative, of the full system
  int source = 0;   ///< which of those solved in one call has farthest to go
};

struct solve_options {
  dirac_operator dirac = wilson{};
  onehop::boundary boundary = onehop::boundary::antiperiodic;
  solver_kind solver = solver_kind::cg;
  onehop::precision precision = onehop::precision::double_;
  /// Reals that a link is kept in: 18, 12 or 8. For half and mixed those of the coarse links; the
  /// corrections always take links as they are.
  int recon = 18;
  /// Right-hand sides that are solved together at most, sharing links, faces and reductions.
  /// 0: as default_rhs() says, see tuning.hpp.
  int rhs = 0;
  double tolerance = 1e-10;  ///< on |b - M x| / |b| of the full system
  int max_iterations = 10000;
  onehop::overlap overlap = onehop::overlap::fused;
  int threads = 1;  ///< that share a rank's work
  device_choice device = device_choice::host;
  bool share_device = false;  ///< several ranks may compute on one device
  /// Called on every rank after each iteration, on a device after every few; an exception thrown
  /// here ends the solve.
  std::function<void(const solve_progress&)> progress = {};
};

}  // namespace onehop
