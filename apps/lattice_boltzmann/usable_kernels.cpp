#include "row_kernels.hpp"

#include <common/instruction_sets.hpp>

namespace lattice_boltzmann {

// Each namespace is defined by a build of row_kernels.cpp.
#define LATTICE_BOLTZMANN_DECLARE(isa, usable)         \
  namespace isa {                                      \
  template <class Real>                                \
  row_kernels<Real> table();                           \
  extern template row_kernels<float> table<float>();   \
  extern template row_kernels<double> table<double>(); \
  }
ONEHOP_APP_ISAS(LATTICE_BOLTZMANN_DECLARE)

template <class Real>
const std::vector<row_kernels<Real>>& usable_kernels() {
  static const std::vector<row_kernels<Real>> found = [] {
    std::vector<row_kernels<Real>> all;
#define LATTICE_BOLTZMANN_ADD(isa, usable) \
  if (usable) all.push_back(isa::table<Real>());
    ONEHOP_APP_ISAS(LATTICE_BOLTZMANN_ADD)
    return all;
  }();
  return found;
}
template const std::vector<row_kernels<float>>& usable_kernels<float>();
template const std::vector<row_kernels<double>>& usable_kernels<double>();

}  // namespace lattice_boltzmann
