#pragma once
/// What a device kernel is told: plain structs, passed by value. All memory is the device's.

#include "dirac/device/site_map.hpp"
#include "lattice/field_precision.hpp"

#include <cstdint>

namespace onehop::device {

/// A value for each column of a batch in device memory, some bytes from one to the next.
template <class T>
struct per_rhs {
  T* first = nullptr;
  std::int64_t distance = 0;

  ONEHOP_INLINE T& of(std::int32_t column) const {
    return *reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(first) + column * distance);
  }
};

/// Which columns are worked on: those whose number is not 0, or all where there is none.
using rhs_switches = per_rhs<const std::int32_t>;

ONEHOP_INLINE bool is_idle(const rhs_switches& switches, std::int32_t column) {
  return switches.first != nullptr && switches.of(column) == 0;
}

/// Rows of reals in packs (see pack.hpp), a row per site of one parity; of a batch of fields one
/// column after the other.
struct field_view {
  void* rows = nullptr;
  float* scales = nullptr;  ///< of 16-bit rows: reals are multiples of scale / 32767
  std::int64_t stride = 0;
  std::int64_t rhs_bytes = 0;  ///< of rows; scales of a column are `stride`
};

/// Rows of 18, 12 or 8 reals (see isa/expand_link.hpp), [parity][mu] one field after the other.
/// Signs are in rows of 18; others are multiplied with site_map::link_sign.
struct link_view {
  const void* rows = nullptr;
  std::int64_t stride = 0;
  /// Links of the backward neighbours on other ranks, by their direction and parity.
  const void* ghosts[4][2] = {};
  std::int64_t ghost_stride[4][2] = {};
  float scale = 1;  ///< 16-bit reals are multiples of scale / 32767
};

/// What a spinor is multiplied with at its site, as onehop::site_factor: a number or a 6x6 block
/// for each chirality, plus i twist gamma_5.
struct site_factor {
  double scale = 1;
  double twist = 0;
  /// By chirality, rows of 36 reals of hermitian blocks, 72 of general ones; or none.
  field_view blocks[2];
  bool general = false;
  bool adjoint = false;

  bool has_blocks() const noexcept { return blocks[0].rows != nullptr; }
  bool is_number() const noexcept { return !has_blocks() && twist == 0; }
};

/// Two sums over sites, made without a rounding that depends on where they are made: groups of 32
/// sites are added up as a tree into partials[group * columns + column], and finish_sums adds those
/// of each column.
struct two_sums {
  double first, second;
};

/// Which sites: all, those with no neighbour on another rank, or a list.
enum class sites { all, interior, list };

/// out = result_factor (addend_factor addend + hop_scale (sum over the neighbours)). Kernels whose
/// factors are numbers take the result's into the others.
struct hop_job {
  site_map map;
  std::int32_t parity;         ///< of out
  link_view links, far_links;  ///< by one site, and by three where there are such
  field_view in, addend, out;  ///< addend.rows may be null
  double hop_scale;
  site_factor addend_factor, result_factor;
  /// Faces of `in` by direction, rows of what is computed with, one column after the other.
  const void* ghosts[8];
  std::int64_t ghost_stride[8];
  sites part;
  const std::int32_t* list;
  std::int32_t count, columns;
  two_sums* partials;  ///< |out|^2 and Re <addend, out>, or null; not for parts
  rhs_switches active;
};

/// Writes the face that the neighbour in `direction` reads, one column after the other.
struct pack_job {
  field_view in;
  void* face;
  const std::int32_t* list;  ///< sites, in the order of the face
  std::int32_t count, columns;
  int direction;
  rhs_switches active;
};

/// A number that a kernel finds in device memory, so that nobody waits for it, or brings along.
struct coefficient {
  per_rhs<const double> where;
  double value = 0;

  ONEHOP_INLINE double operator()(std::int32_t column) const {
    return where.first != nullptr ? where.of(column) : value;
  }
};

/// Up to four fields of one shape; not all algebra uses all.
struct field_job {
  field_view y, x, z, w;
  coefficient a, b;
  std::int32_t count, columns;
  int components;      ///< 12 or 3
  two_sums* partials;  ///< null where nothing is summed
  rhs_switches active;
};

/// out = factor in, of 12 components.
struct site_job {
  field_view out, in;
  site_factor factor;
  std::int32_t count, columns;
};

/// From numbers of another storage.
struct convert_job {
  field_view to, from;
  field_precision from_kind;
  std::int32_t count, columns;
  int components;
  rhs_switches active;
};

/// From and to canonical order: local site ((t*Lz+z)*Ly+y)*Lx+x, component, re and im; of one
/// column. Spinors are turned to the kernels' basis and back (spin_basis.hpp).
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
  std::int32_t groups, columns;
  per_rhs<two_sums> result;
};

}  // namespace onehop::device
