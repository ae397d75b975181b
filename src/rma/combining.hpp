#pragma once
/// What the collectives that combine values ask of their combiner.

#include <bit>
#include <cstddef>
#include <onehop/context.hpp>
#include <onehop/reduction.hpp>

#include "rma/round_tag.hpp"

namespace onehop {

/// Returns the operation of an allreduce that combines so.
operation operation_of_kind(reduction kind);

/// Counts whole values, by a shift where that is possible, since a division takes a tenth of the
/// time of a short sum.
template <class Combine>
std::size_t values_in(std::size_t bytes, const Combine& combine) {
  return std::has_single_bit(combine.value_bytes) ? bytes >> std::countr_zero(combine.value_bytes)
                                                  : bytes / combine.value_bytes;
}

/// Throws usage_error for a combiner that cannot be, and unless the bytes are whole values.
void require_values(const context& ctx, const combiner& combine, std::size_t bytes);

}  // namespace onehop
