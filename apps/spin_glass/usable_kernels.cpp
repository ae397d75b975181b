#include "row_kernels.hpp"

namespace spin_glass {

// Each namespace is defined by a build of row_kernels.cpp.
#define SPIN_GLASS_DECLARE(isa)                        \
  namespace isa {                                      \
  template <class Real>                                \
  row_kernels<Real> table();                           \
  extern template row_kernels<float> table<float>();   \
  extern template row_kernels<double> table<double>(); \
  }
#ifdef SPIN_GLASS_HAVE_native
SPIN_GLASS_DECLARE(native)
#endif
#ifdef SPIN_GLASS_HAVE_avx512
SPIN_GLASS_DECLARE(avx512)
#endif
#ifdef SPIN_GLASS_HAVE_avx2
SPIN_GLASS_DECLARE(avx2)
#endif
#ifdef SPIN_GLASS_HAVE_plain
SPIN_GLASS_DECLARE(plain)
#endif

namespace {

template <class Real>
std::vector<row_kernels<Real>> find() {
  std::vector<row_kernels<Real>> found;
#ifdef SPIN_GLASS_HAVE_native
  found.push_back(native::table<Real>());
#endif
#ifdef SPIN_GLASS_HAVE_avx512
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    found.push_back(avx512::table<Real>());
#endif
#ifdef SPIN_GLASS_HAVE_avx2
  if (__builtin_cpu_supports("avx2")) found.push_back(avx2::table<Real>());
#endif
#ifdef SPIN_GLASS_HAVE_plain
  found.push_back(plain::table<Real>());
#endif
  return found;
}

}  // namespace

template <class Real>
const std::vector<row_kernels<Real>>& usable_kernels() {
  static const std::vector<row_kernels<Real>> found = find<Real>();
  return found;
}
template const std::vector<row_kernels<float>>& usable_kernels<float>();
template const std::vector<row_kernels<double>>& usable_kernels<double>();

}  // namespace spin_glass
