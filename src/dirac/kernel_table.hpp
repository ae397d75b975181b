#pragma once
/// The site kernels as plain functions on plain memory, compiled once per instruction set.
///
/// Field layout: [vector][component][re, im][lane]; links: [vector][8 directions][row][column]
/// [re, im][lane], where direction 4+mu holds U_mu^+(x-mu), so that a kernel only multiplies
/// forward.

#include "lattice/lane_neighbour.hpp"

#include <cstddef>
#include <cstdint>

namespace onehop {

/// out = addend_scale * addend + hop_scale * (sum over the 8 neighbours), for some vectors.
struct hop_job {
  const double* links;
  const double* in;      ///< field of the other parity
  const double* addend;  ///< field of this parity, or null
  double addend_scale;
  double hop_scale;
  double* out;
  const lane_neighbour* neighbours;
  const double* ghosts[8];          ///< per direction, [entry][component][re, im][face lane]
  const std::int64_t* shuffles[8];  ///< lane_layout::shuffle
  int face_lanes[4];
  const std::int32_t* vectors;
  std::int32_t count;
};

/// Writes the face that the neighbour in `direction` reads.
struct pack_job {
  const double* in;
  double* out;
  int direction;
  const std::int32_t* vectors;
  std::int32_t count;
  const std::int32_t* lanes;
  int face_lanes;
};

/// One instruction set and lane count. Kernels with the same arithmetic give the same bits for
/// every lane count.
struct kernel_table {
  const char* isa;
  int lanes;
  void (*wilson_hop)(const hop_job& job, bool dagger);
  void (*wilson_pack)(const pack_job& job, bool dagger);
  void (*staggered_hop)(const hop_job& job);
  void (*staggered_pack)(const pack_job& job);
  /// y += a x and y = x + a y over `count` reals.
  void (*axpy)(double* y, double a, const double* x, std::size_t count);
  void (*xpay)(double* y, double a, const double* x, std::size_t count);
  /// The same with complex a, over `count` complex numbers of `lanes` lanes.
  void (*complex_axpy)(double* y, double a_re, double a_im, const double* x, std::size_t count);
  void (*complex_xpay)(double* y, double a_re, double a_im, const double* x, std::size_t count);
  /// Per site |x|^2: norms[vector * lanes + lane].
  void (*site_norms)(double* norms, const double* x, std::size_t vectors, int components);
  /// Per site <x, y> = sum conj(x) y.
  void (*site_dots)(double* re, double* im, const double* x, const double* y, std::size_t vectors,
                    int components);
};

}  // namespace onehop
