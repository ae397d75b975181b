#pragma once
/// A device kernel is told what to do by these plain structs, passed by value. All memory is the
/// device's.

#include "dirac/device/site_map.hpp"
#include "lattice/field_precision.hpp"

#include <cstdint>

namespace onehop::device {

/// A per_rhs has a value for each right-hand side of a batch in device memory, some bytes apart.
template <class T>
struct per_rhs {
  T* first = nullptr;
  std::int64_t distance = 0;

  ONEHOP_INLINE T& of(std::int32_t n) const {
    return *reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(first) + n * distance);
  }
};

/// The switches say which right-hand sides are worked on: those whose number is not 0, or all where
/// there are no switches.
using rhs_switches = per_rhs<const std::int32_t>;

ONEHOP_INLINE bool is_idle(const rhs_switches& switches, std::int32_t n) {
  return switches.first != nullptr && switches.of(n) == 0;
}

/// A field_view is rows of reals in packs (see pack.hpp), a row per site of one parity, one
/// right-hand side after the other.
struct field_view {
  void* rows = nullptr;
  float* scales = nullptr;  ///< for 16-bit rows, which hold multiples of scale / 32767
  std::int64_t sites =
      0;  ///< that there is memory for, scales from one right-hand side to the next
  std::int64_t rhs_bytes = 0;  ///< from one right-hand side to the next
};

/// A link_view is rows of 18, 12 or 8 reals (see isa/expand_link.hpp), [parity][mu] one field after
/// the other. Signs are in rows of 18; others are multiplied by site_map::link_sign.
struct link_view {
  const void* rows = nullptr;
  std::int64_t sites = 0;  ///< that there is memory for, from one direction to the next
  /// These are links of the backward neighbours on other ranks, by their direction and parity.
  const void* ghosts[4][2] = {};
  float scale = 1;  ///< 16-bit reals are multiples of scale / 32767
};

/// A site_factor is what a spinor is multiplied by at its site, as onehop::site_factor: a number or
/// a 6x6 block for each chirality, plus i twist gamma_5.
struct site_factor {
  double scale = 1;
  double twist = 0;
  /// By chirality, these are rows of 36 reals of hermitian blocks or 72 of general ones; or none.
  field_view blocks[2];
  bool general = false;
  bool adjoint = false;

  bool has_blocks() const noexcept { return blocks[0].rows != nullptr; }
  bool is_number() const noexcept { return !has_blocks() && twist == 0; }
};

/// These are two sums over sites, made without a rounding that depends on where they are made:
/// groups of 32 sites are added up as a tree into partials[group * rhs + n], and
/// finish_sums adds those of each right-hand side.
struct two_sums {
  double first, second;
};

/// A kernel works on all sites, on those with no neighbour on another rank, or on a list.
enum class sites { all, interior, list };

/// A hop computes out = result_factor (addend_factor addend + hop_scale (sum over the neighbours)).
/// Kernels whose factors are numbers multiply the result's factor into the others.
struct hop_job {
  site_map map;
  std::int32_t parity;         ///< parity of out
  link_view links, far_links;  ///< links by one site, and by three sites where there are such
  field_view in, addend, out;  ///< addend.rows may be null
  double hop_scale;
  site_factor addend_factor, result_factor;
  /// These are the faces of `in` by direction, as rows of the arithmetic type, one right-hand side
  /// after the other.
  const void* ghosts[8];
  std::int64_t ghost_sites[8];  ///< that there is memory for, from one right-hand side to the next
  sites part;
  const std::int32_t* list;
  std::int32_t count, rhs;
  two_sums* partials;  ///< |out|^2 and Re <addend, out>, or null; not for parts
  rhs_switches active;
};

/// Packing writes the face that the neighbour in `direction` reads, one right-hand side after the
/// other.
struct pack_job {
  field_view in;
  void* face;
  const std::int32_t* list;  ///< sites, in the order of the face
  std::int32_t count, rhs;
  int direction;
  rhs_switches active;
};

/// A coefficient is a number that a kernel finds in device memory, so that nobody waits for it, or
/// brings along.
struct coefficient {
  per_rhs<const double> where;
  double value = 0;

  ONEHOP_INLINE double operator()(std::int32_t n) const {
    return where.first != nullptr ? where.of(n) : value;
  }
};

/// The job has up to four fields of one shape; not every kernel uses all.
struct field_job {
  field_view y, x, z, w;
  coefficient a, b;
  std::int32_t count, rhs;
  int components;      ///< components of a site, 12 or 3
  two_sums* partials;  ///< null where nothing is summed
  rhs_switches active;
};

/// The job sets out = factor in, for 12 components.
struct site_job {
  field_view out, in;
  site_factor factor;
  std::int32_t count, rhs;
};

/// The job converts from numbers of another precision.
struct convert_job {
  field_view to, from;
  field_precision from_kind;
  std::int32_t count, rhs;
  int components;
  rhs_switches active;
};

/// The job converts from or to canonical order, of one right-hand side: local site
/// ((t*Lz+z)*Ly+y)*Lx+x, component, re and im. Spinors are turned to the kernels' basis and back
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
