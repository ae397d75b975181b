#pragma once
/// This file opens a site's row of one right-hand side from its storage and closes it again.

#include "dirac/device/jobs.hpp"
#include "dirac/device/pack.hpp"

#include <cmath>

namespace onehop::device {

ONEHOP_INLINE void* rows_of(const field_view& field, std::int32_t n) {
  return static_cast<char*>(field.rows) + n * field.rhs_bytes;
}

/// Loads a row as stored and returns its unit, which is 1 except for 16-bit rows.
template <class Stored, int Reals>
ONEHOP_INLINE arithmetic<Stored> load_stored(arithmetic<Stored>* row, const field_view& field,
                                             std::int32_t site, std::int32_t n) {
  load_row<Stored, Reals>(row, rows_of(field, n), site);
  if constexpr (std::is_integral_v<Stored>) {
    return field.scales[n * field.sites + site] * (1.0F / fixed_one);
  } else {
    return 1;
  }
}

template <class Stored, int Reals>
ONEHOP_INLINE void open_row(arithmetic<Stored>* row, const field_view& field, std::int32_t site,
                            std::int32_t n) {
  const arithmetic<Stored> scale = load_stored<Stored, Reals>(row, field, site, n);
  if constexpr (std::is_integral_v<Stored>) {
    ONEHOP_UNROLL
    for (int k = 0; k < Reals; ++k) row[k] *= scale;
  }
}

template <class Stored, int Reals>
ONEHOP_INLINE void close_row(const arithmetic<Stored>* row, const field_view& field,
                             std::int32_t site, std::int32_t n) {
  if constexpr (std::is_integral_v<Stored>) {
    // The scale is never zero, so that a site of zeros does not give 0/0.
    float largest = 1e-30F;
    ONEHOP_UNROLL
    for (int k = 0; k < Reals; ++k) largest = fmaxf(largest, fabsf(row[k]));
    field.scales[n * field.sites + site] = largest;
    const float inverse = fixed_one / largest;
    float scaled[Reals];
    ONEHOP_UNROLL
    for (int k = 0; k < Reals; ++k) scaled[k] = row[k] * inverse;
    store_row<Stored, Reals>(scaled, rows_of(field, n), site);
  } else {
    store_row<Stored, Reals>(row, rows_of(field, n), site);
  }
}

}  // namespace onehop::device
