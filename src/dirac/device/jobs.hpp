#pragma once
/// These plain structs, passed by value, tell a device kernel what to do. All memory is device
/// memory.

#include "dirac/device/site_map.hpp"
#include "lattice/field_precision.hpp"

#include <cstdint>

namespace onehop::device {

/// A per_rhs is a value for each right-hand side of a batch in device memory, at a fixed distance
/// in bytes.
template <class T>
struct per_rhs {
  T* first = nullptr;
  std::int64_t distance = 0;

  ONEHOP_INLINE T& of(std::int32_t n) const {
    return *reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(first) + n * distance);
  }
};

/// The switches select the right-hand sides to work on: those whose number is not 0, or all if
/// there are no switches.
using rhs_switches = per_rhs<const std::int32_t>;

ONEHOP_INLINE bool is_idle(const rhs_switches& switches, std::int32_t n) {
  return switches.first != nullptr && switches.of(n) == 0;
}

/// A field_view describes rows of reals in packs (see pack.hpp): one row per site of one parity,
/// one right-hand side after another.
struct field_view {
  void* rows = nullptr;
  float* scales = nullptr;  ///< for 16-bit rows, which hold multiples of scale / 32767
  std::int64_t sites =
      0;  ///< sites allocated; also the distance of the scales of two right-hand sides
  std::int64_t rhs_bytes = 0;  ///< distance between two right-hand sides
};

/// A link_view describes rows of 18, 12 or 8 reals (see isa/expand_link.hpp), in consecutive fields
/// [parity][mu]. Rows of 18 include signs; others are multiplied by site_map::link_sign.
struct link_view {
  const void* rows = nullptr;
  std::int64_t sites = 0;  ///< sites allocated; also the distance of two directions
  /// These are the links of backward neighbours on other ranks, by direction and parity.
  const void* ghosts[4][2] = {};
  float scale = 1;  ///< 16-bit reals are multiples of scale / 32767
};

/// A site_factor is the factor of a spinor at its site, as in onehop::site_factor: a number or a
/// 6x6 block for each chirality, plus i twist gamma_5.
struct site_factor {
  double scale = 1;
  double twist = 0;
  /// By chirality, these are rows of 36 reals for hermitian blocks or 72 for general ones, or null.
  field_view blocks[2];
  bool general = false;
  bool adjoint = false;

  bool has_blocks() const noexcept { return blocks[0].rows != nullptr; }
  bool is_number() const noexcept { return !has_blocks() && twist == 0; }
};

/// These are two sums over sites whose rounding does not depend on where they are computed: groups
/// of 32 sites are summed as a tree into partials[group * rhs + n], and finish_sums adds the groups
/// of each right-hand side.
struct two_sums {
  double first, second;
};

/// A kernel works on all sites, on the sites without neighbours on another rank, or on a list.
enum class sites { all, interior, list };

/// A hop computes out = result_factor (addend_factor addend + hop_scale (sum over the neighbours)).
/// Kernels whose factors are all numbers multiply the result's factor into the others.
struct hop_job {
  site_map map;
  std::int32_t parity;         ///< parity of out
  link_view links, far_links;  ///< one-site links, and three-site links if there are any
  field_view in, addend, out;  ///< addend.rows may be null
  double hop_scale;
  site_factor addend_factor, result_factor;
  /// These are the faces of `in` by direction, as rows of the arithmetic type, one right-hand side
  /// after another.
  const void* ghosts[8];
  std::int64_t ghost_sites[8];  ///< sites allocated; also the distance of two right-hand sides
  sites part;
  const std::int32_t* list;
  std::int32_t count, rhs;
  two_sums* partials;  ///< |out|^2 and Re <addend, out>, or null; not for parts
  rhs_switches active;
};

/// Packing writes the face that the neighbour in `direction` reads, one right-hand side after
/// another.
struct pack_job {
  field_view in;
  void* face;
  const std::int32_t* list;  ///< sites, in the order of the face
  std::int32_t count, rhs;
  int direction;
  rhs_switches active;
};

/// A coefficient is a number that a kernel either reads from device memory, so that the host need
/// not wait for it, or receives with the call.
struct coefficient {
  per_rhs<const double> where;
  double value = 0;

  ONEHOP_INLINE double operator()(std::int32_t n) const {
    return where.first != nullptr ? where.of(n) : value;
  }
};

/// A field_job has up to four fields of one shape; not every kernel uses all of them.
struct field_job {
  field_view y, x, z, w;
  coefficient a, b;
  std::int32_t count, rhs;
  int components;      ///< components per site, 12 or 3
  two_sums* partials;  ///< null if nothing is summed
  rhs_switches active;
};

/// A site_job sets out = factor in for 12 components.
struct site_job {
  field_view out, in;
  site_factor factor;
  std::int32_t count, rhs;
};

/// A convert_job converts from numbers of another precision.
struct convert_job {
  field_view to, from;
  field_precision from_kind;
  std::int32_t count, rhs;
  int components;
  rhs_switches active;
};

/// A canonical_job converts from or to canonical order, for one right-hand side: local site
/// ((t*Lz+z)*Ly+y)*Lx+x, component, re and im. Spinors are converted to the kernels' basis and back
/// (spin_basis.hpp).
struct canonical_job {
  site_map map;
  std::int32_t parity;
  field_view field;
  double* canonical;
  std::int32_t count;
  int components;
};

struct sums_job {
  const two_sums* partials;
  std::int32_t groups, rhs;
  per_rhs<two_sums> result;
};

}  // namespace onehop::device
