#pragma once
/// solve_options hold the parameters of a solve, with their defaults.

#include <onehop/dirac_operator.hpp>

#include <functional>

namespace onehop {

/// The boundary condition applies to quarks in time; in space they are periodic.
enum class boundary { antiperiodic, periodic };

/// The overlap says when the boundary of a block is computed: after all faces have arrived,
/// together with everything else (none); after all faces have arrived, with the interior computed
/// in the meantime (fused); or face by face as they arrive (faces).
enum class overlap { none, fused, faces };

/// double_ and single compute in these types. half is 16-bit fixed point with a scale per site, and
/// the system is solved with corrections in single. mixed is single with corrections in double.
enum class precision { double_, single, half, mixed };

enum class solver_kind { cg, bicgstab, pipelined_cg, block_cg };

/// Kernels run on the host's cores, or on one CUDA device per rank.
enum class device_choice { host, cuda };

struct solve_progress {
  int iteration;
  double residual;  ///< relative residual of the full system
  int source = 0;   ///< the source with the largest residual among those solved in one call
};

struct solve_options {
  dirac_operator dirac = wilson{};
  onehop::boundary boundary = onehop::boundary::antiperiodic;
  solver_kind solver = solver_kind::cg;
  onehop::precision precision = onehop::precision::double_;
  /// This is the number of reals stored for each link: 18, 12 or 8. For half and mixed it applies
  /// to the coarse links; corrections always use the full links.
  int recon = 18;
  /// This is the largest number of right-hand sides that are solved together and share links, faces
  /// and reductions. 0 selects default_rhs() of tuning.hpp.
  int rhs = 0;
  double tolerance = 1e-10;  ///< limit on |b - M x| / |b| of the full system
  int max_iterations = 10000;
  onehop::overlap overlap = onehop::overlap::fused;
  int threads = 1;  ///< threads that share the work of a rank
  device_choice device = device_choice::host;
  bool share_device = false;  ///< if true, several ranks may compute on one device
  /// This is called on every rank after each iteration, or after every few iterations on a device.
  /// An exception thrown here ends the solve.
  std::function<void(const solve_progress&)> progress = {};
};

}  // namespace onehop
