#include <onehop/dirac_operator.hpp>

#include <onehop/error.hpp>

#include <array>
#include <cmath>

#include "base/text.hpp"

namespace onehop {

dirac_operator operator_of(dslash kind, double mass) {
  static const std::array<dirac_operator, 5> all = {wilson{}, clover{}, staggered{}, asqtad{},
                                                    hisq{}};
  return with_mass(all[static_cast<std::size_t>(kind)], mass);
}

double kappa_to_mass(double kappa) {
  if (!(kappa > 0) || !std::isfinite(kappa)) {
    throw usage_error(text("kappa must be positive; got ", kappa));
  }
  return 1 / (2 * kappa) - 4;
}

int components(dslash kind) noexcept { return is_staggered(kind) ? 3 : 12; }

}  // namespace onehop
