#pragma once
/// What a hopping term is asked for, on the host as on a device.

#include "dirac/hop_links.hpp"

#include <onehop/solver_options.hpp>

namespace onehop {

struct hop_settings {
  dslash kind = dslash::wilson;
  bool antiperiodic = true;
  onehop::overlap overlap = onehop::overlap::fused;
  int reals = 18;  ///< per link
  int rhs = 1;     ///< most right-hand sides of the fields
};

/// how.reals. Throws usage_error for links of another operator, and for improved ones in fewer
/// reals than 18: fat links are in no group; three-hop ones are a multiple of one, which is not
/// made use of.
int checked_reals(const hop_settings& how, const hop_links& links);

/// Stated count of a hop to one site: 1320 for Wilson, 570 for staggered, 1146 for fat and Naik
/// links.
double hop_flops(dslash kind) noexcept;

/// The hopping term that an operator has.
constexpr dslash hop_of(dslash kind) noexcept {
  return kind == dslash::clover ? dslash::wilson : kind;
}

/// Reals of a site on its way to another rank. Wilson sends two of four spin components: the other
/// two follow from them.
constexpr int face_reals(dslash kind) noexcept { return is_staggered(kind) ? 6 : 12; }

}  // namespace onehop
