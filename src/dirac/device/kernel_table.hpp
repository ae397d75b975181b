#pragma once
/// A kernel_table holds the device kernels of one precision as plain functions, built once for the
/// host and once for CUDA.

#include "device/backend.hpp"
#include "dirac/device/bicgstab_state.hpp"
#include "dirac/device/cg_state.hpp"
#include "dirac/device/jobs.hpp"

namespace onehop::device {

/// All functions enqueue work and return; a launch that fails throws. States of several right-hand
/// sides are consecutive.
struct kernel_table {
  field_precision kind;
  void (*wilson_hop[2])(stream&, const hop_job&, int recon);  ///< by [dagger]
  /// These hops are for factors that are not plain numbers.
  void (*factored_hop[2])(stream&, const hop_job&, int recon);
  void (*wilson_pack[2])(stream&, const pack_job&);
  void (*staggered_hop)(stream&, const hop_job&, int recon);
  void (*far_hop)(stream&, const hop_job&);  ///< staggered one-site and three-site hop, with links
                                             ///< of 18 reals
  void (*staggered_pack)(stream&, const pack_job&);
  void (*multiply)(stream&, const site_job&);
  void (*combine)(stream&, const field_job&);       ///< y = a x + b y
  void (*cg_update)(stream&, const field_job&);     ///< y += a x, z -= a w; |z|^2
  void (*norm_and_dot)(stream&, const field_job&);  ///< |x|^2, Re <x, w>
  void (*complex_dot)(stream&, const field_job&);   ///< <x, w> of 12 components
  void (*convert)(stream&, const convert_job&);
  void (*spread)(stream&, const canonical_job&);
  void (*collect)(stream&, const canonical_job&);
  void (*finish_sums)(stream&, const sums_job&);
  void (*cg_begin)(stream&, cg_state*, int rhs);
  void (*cg_end)(stream&, cg_state*, int rhs);
  void (*bicgstab_half)(stream&, const bicgstab_job&);  ///< r -= alpha v; <r0, r>
  /// Sets x += alpha p + omega r, r -= omega t, p = r + beta (p - omega v), and sums |r|^2.
  void (*bicgstab_step)(stream&, const bicgstab_job&);
  void (*bicgstab_begin)(stream&, bicgstab_state*, int rhs);
  void (*bicgstab_middle)(stream&, bicgstab_state*, int rhs);
  void (*bicgstab_end)(stream&, bicgstab_state*, int rhs);
};

}  // namespace onehop::device
