#pragma once
/// hop_settings are the parameters of a hopping term, for hosts and devices alike.

#include "dirac/hop_links.hpp"

#include <onehop/solver_options.hpp>

namespace onehop {

struct hop_settings {
  dslash kind = dslash::wilson;
  bool antiperiodic = true;
  onehop::overlap overlap = onehop::overlap::fused;
  int recon = 18;  ///< real numbers per link
  int rhs = 1;     ///< most right-hand sides of the fields
};

/// Returns how.recon. Throws usage_error for links of another operator, and for improved links with
/// fewer than 18 reals: fat links are in no group, and that a Naik link is a multiple of a group
/// element is not exploited.
int checked_recon(const hop_settings& how, const hop_links& links);

/// Returns the stated count of flops of a hop to one site: 1320 for Wilson, 570 for staggered, 1146
/// for fat and Naik links.
double hop_flops(dslash kind) noexcept;

/// Returns the hopping term of an operator.
constexpr dslash hop_of(dslash kind) noexcept {
  return kind == dslash::clover ? dslash::wilson : kind;
}

/// Returns the reals per site sent to another rank. Wilson sends two of four spin components, from
/// which the other two follow.
constexpr int face_reals(dslash kind) noexcept { return is_staggered(kind) ? 6 : 12; }

}  // namespace onehop
