#pragma once
/// The site kernels are plain functions on plain memory, compiled once per instruction set.
///
/// A field is a row of blocks, [vector][right-hand side], each [component][re, im][lane]; with
/// field_precision::half the lanes' scales come first. Spinors are in the basis of spin_basis.hpp.
/// Links have blocks of [real][lane], one per link, of 18 reals (row-major, re and im), 12 or 8
/// (see isa/expand_link.hpp).

#include "lattice/field_precision.hpp"
#include "lattice/lane_neighbour.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace onehop {

/// A hop takes its directions (0..3 forward x..t, 4..7 backward) in this order: x+, x-, y+, ...
constexpr int direction_at[8] = {0, 4, 1, 5, 2, 6, 3, 7};
/// Returns the position of a direction in that order.
constexpr int turn_of(int direction) { return direction < 4 ? 2 * direction : 2 * direction - 7; }

/// A link_view holds the links of the vectors of one parity in the order in which a hop to them
/// reads them: forward U_mu(x), backward U_mu(x-mu).
struct link_view {
  const std::byte* blocks;  ///< [vector][turn]
  std::size_t block_bytes;
  int recon;                    ///< reals per link: 18, 12 or 8
  bool fixed;                   ///< 16-bit multiples of scale / 32767
  double scale;                 ///< scale of 16-bit links
  const std::uint8_t* sign_of;  ///< [vector][turn], which of the signs
  const void* const* signs;  ///< [sign][lane], the 1 or -1 by which a compressed link is multiplied

  const std::byte* blocks_of(std::ptrdiff_t vector) const noexcept {
    return blocks + vector * 8 * static_cast<std::ptrdiff_t>(block_bytes);
  }
  const void* sign(std::ptrdiff_t vector, int turn) const noexcept {
    return signs[sign_of[vector * 8 + turn]];
  }
};

/// These are sums over the components of each site that a kernel computes along the way, as
/// [block][lane].
struct site_sums {
  double* norms;  ///< |out|^2, or null
  double* dots;   ///< Re <addend, out>, or null
};

/// A block of a site_factor is stored as this many complex numbers.
constexpr int hermitian_numbers = 18, general_numbers = 36;

/// A site_factor multiplies the spinors of one parity: psi becomes A psi, where A is `scale` or the
/// site's blocks, plus i twist gamma_5 psi.
///
/// Blocks are one 6x6 matrix per chirality (spins 0, 1 and spins 2, 3 where gamma_5 is diagonal;
/// index 3 * spin + colour), stored as a field of [vector][chirality] blocks: a hermitian one as 6
/// diagonal reals and the 15 complex numbers below them, row by row; a general one as 36 complex
/// numbers, row by row.
struct site_factor {
  double scale = 1;
  double twist = 0;
  const std::byte* blocks = nullptr;
  bool general = false;
  bool adjoint = false;  ///< multiply with the adjoint of general blocks

  bool has_blocks() const noexcept { return blocks != nullptr; }
  bool is_number() const noexcept { return !has_blocks() && twist == 0; }
};

/// For some vectors, a hop computes out = result_factor (addend_factor addend + hop_scale (sum over
/// the neighbours)). A null factor means addend_scale for the addend, and 1 for the result.
struct hop_job {
  link_view links;
  /// These are the link blocks of a hop to the other parity, which hold the same links: the link
  /// ahead of a site is the link behind its neighbour. Null if `links` are to be read; some kernels
  /// always read those.
  const std::byte* neighbours_links;
  const std::byte* neighbours_far_links;  ///< blocks for three-site hops, if there are any
  const std::byte* in;                    ///< field of the other parity
  const std::byte* addend;                ///< field of this parity, or null
  double addend_scale;
  const site_factor* addend_factor;
  const site_factor* result_factor;
  double hop_scale;
  std::byte* out;
  bool fixed;         ///< fields are field_precision::half
  bool streaming;     ///< the result is too large to stay in the cache
  bool from_memory;   ///< the input is too large to stay in the cache
  bool in_own_cache;  ///< input and output stay in the core's own cache
  int rhs;            ///< number of right-hand sides
  site_sums sums;
  const lane_neighbour* neighbours;
  const std::uint8_t* edges;  ///< lane_layout::edges
  link_view far_links;        ///< links of three-site hops, if there are any
  const lane_neighbour* far_neighbours;
  const std::uint8_t* far_edges;
  const void* ghosts[8];  ///< per direction, [entry][right-hand side][component][re, im][face lane]
  const std::int32_t* shuffles[8];  ///< lane_layout::shuffle
  int face_lanes[4];
  const std::int32_t* vectors;
  std::int32_t count;
};

/// Packing writes the face that the neighbour in `direction` reads.
struct pack_job {
  const std::byte* in;
  void* out;
  bool fixed;
  int rhs;
  int direction;
  const std::int32_t* vectors;
  std::int32_t count;
  const std::int32_t* lanes;
  int face_lanes;
  bool streaming;  ///< whole vectors are written by stores that bypass the caches
};

/// A site_job sets out = factor in for all right-hand sides of the vectors from `first` up to
/// `last`.
struct site_job {
  const std::byte* in;
  std::byte* out;
  site_factor factor;
  bool fixed;  ///< fields are field_precision::half
  int rhs;
  std::int32_t first, last;
};

/// A field_job does linear algebra on fields of one shape; not all kernels use all members. Sums
/// over each site's components go to sums[k], [block][lane].
struct field_job {
  std::array<std::byte*, 6> out{};  ///< also read, unless a kernel says otherwise
  std::array<const std::byte*, 4> in{};
  /// Factors a, b, c have their entry at [n * factor_step] for right-hand side n; in complex ones
  /// the imaginary part follows.
  std::array<const double*, 3> factors{};
  int factor_step = 0;
  std::array<double*, 4> sums{};
  std::size_t vectors = 0;
  int rhs = 1;  ///< number of right-hand sides
  int components = 0;
};

/// At most this many right-hand sides are mixed with each other.
constexpr int most_mixed_rhs = 12;

/// A mix_job sets out = addend + in A: column j becomes column j of the addend plus the sum over i
/// of A_ij times column i of `in`. `out` may be the addend, or `in` if it has equally many columns.
struct mix_job {
  const std::byte* in;
  const std::byte* addend;  ///< the addend, or null
  std::byte* out;
  const double* matrix;  ///< the matrix A: [in column][out column][re, im]
  int in_rhs, out_rhs, components;
  std::size_t vectors;
};

/// A rhs_dots_job sums <left_i, right_j> over each site's components, for all pairs of columns, or
/// only for j >= i.
struct rhs_dots_job {
  const std::byte *left, *right;
  int left_rhs, right_rhs;
  bool hermitian;  ///< omit j < i, whose pieces are undefined
  int components;
  std::size_t vectors;
  double* terms;     ///< [left column][right column][re, im], each [vector][lane]
  std::size_t step;  ///< distance between two such pieces
};

/// A kernel_table is for one instruction set, precision and lane count. Kernels with the same
/// arithmetic give the same bits for every lane count.
struct kernel_table {
  const char* isa;
  field_precision kind;
  int lanes;
  void (*wilson_hop)(const hop_job& job, bool dagger);
  void (*wilson_pack)(const pack_job& job, bool dagger);
  void (*multiply_sites)(const site_job& job);  ///< for Wilson's spinors
  void (*staggered_hop)(const hop_job& job);
  void (*naik_hop)(const hop_job& job);  ///< staggered one-site and three-site hop
  void (*staggered_pack)(const pack_job& job);
  void (*axpy)(const field_job& job);          ///< out0 += a in0
  void (*xpay)(const field_job& job);          ///< out0 = in0 + a out0
  void (*complex_axpy)(const field_job& job);  ///< out0 += a in0 with complex a
  void (*site_norms)(const field_job& job);    ///< sums0 = |in0|^2
  void (*site_dots)(const field_job& job);     ///< sums0 + i sums1 = <in0, in1>
  /// Sets sums0 + i sums1 = <in0, in1>, sums2 + i sums3 = <in2, in0>.
  void (*site_two_dots)(const field_job& job);
  /// In CG, sets out0 -= a in0, sums0 = |out0|^2.
  void (*residual_step)(const field_job& job);
  /// In CG, sets out0 += a out1, out1 = in0 + b out1.
  void (*direction_step)(const field_job& job);
  /// In multi-shift CG, sets out0 += a out1, out1 = b in0 + c out1.
  void (*shifted_step)(const field_job& job);
  /// In pipelined CG, with out = x, p, r, s, w, z and in0 = q, sets z = q + b z, s = w + b s, p = r
  /// + b p, x += a p, r -= a s, w -= a z, sums0 = |r|^2, sums1 = Re <r, w>.
  void (*pipelined_step)(const field_job& job);
  /// In BiCGStab, with complex factors, sets out0 -= a in0, sums0 = |out0|^2, sums1 + i sums2 =
  /// <in1, out0>.
  void (*half_step)(const field_job& job);
  /// In BiCGStab, with out = x, r, p, in = t, v and complex factors, sets x += a p + b r, r -= b t,
  /// p = r + c (p - b v).
  void (*stabilised_step)(const field_job& job);
  /// These are null for half precision, in which right-hand sides would lose their differences.
  void (*mix_rhs)(const mix_job& job);
  void (*rhs_dots)(const rhs_dots_job& job);
  /// These measure the machine: chains of multiplications and additions, with fma_round_flops flops
  /// per round; and `lines` lines of 64 bytes written past the caches, with `reads` lines read for
  /// each.
  void (*fma)(std::size_t rounds);
  double fma_round_flops;
  void (*stream)(std::byte* out, const std::byte* in, std::size_t reads, std::size_t lines);
};

}  // namespace onehop
