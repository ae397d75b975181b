#pragma once
/// What a hopping term is asked for, on the host as on a device.

#include <onehop/dirac_operator.hpp>

namespace onehop {

struct hop_settings {
  dslash kind = dslash::wilson;
  bool antiperiodic = true;
  onehop::overlap overlap = onehop::overlap::fused;
  int reals = 18;  ///< per link
  int rhs = 1;     ///< most right-hand sides of the fields
};

}  // namespace onehop
