#pragma once
/// This counts the work of a timed hop, on the host or a device: the hopping term alone or, for
/// operators with site terms, M on the sites of one parity.

#include "benchmarks/operator_rate.hpp"
#include "dirac/hop_settings.hpp"
#include "dirac/site_diagonal.hpp"

#include <optional>

namespace onehop::bench {

/// Returns the flops for all right-hand sides and ranks.
template <class Diagonal>
double hop_work_flops(const geometry& geometry, const operator_cell& cell,
                      const std::optional<Diagonal>& diagonal) {
  double per_site = hop_flops(hop_of(kind_of(cell.dirac)));
  if (diagonal) {
    // The count includes the scaling of the hop and the addition of a spinor, which is first scaled
    // if the site term is a number.
    const auto factor = diagonal->factor(1, false);
    per_site += flops_per_site(factor) + 24 * (factor.is_number() ? 3 : 2);
  }
  return per_site * static_cast<double>(geometry.volume()) / 2 * cell.rhs;
}

/// Returns the bytes of this rank, with links and blocks moved once for all right-hand sides.
template <class Hopping, class Diagonal>
double hop_work_bytes(const Hopping& hop, const operator_cell& cell,
                      const std::optional<Diagonal>& diagonal) {
  const std::size_t blocks = diagonal ? diagonal->bytes() : 0;
  return static_cast<double>(hop.bytes(diagonal.has_value(), cell.rhs) + blocks);
}

template <class Terms, class Diagonal, class Field>
Terms hop_work_terms(const std::optional<Diagonal>& diagonal, const Field& addend, int parity) {
  if (!diagonal) return {};
  return {.hop_scale = -0.5, .addend = &addend, .addend_factor = diagonal->factor(parity, false)};
}

}  // namespace onehop::bench
