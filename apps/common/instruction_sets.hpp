#pragma once
/// These macros give the libraries whose kernels onehop_app_kernels builds their list of
/// instruction sets.
///
/// ONEHOP_APP_ISAS(each) expands each(isa, usable) for every instruction set that the library was
/// built with, the widest first: `isa` is the namespace of that build, `usable` an expression that
/// says whether this processor has the instruction set.

#ifdef ONEHOP_APP_HAVE_native
#define ONEHOP_APP_NATIVE(each) each(native, true)
#else
#define ONEHOP_APP_NATIVE(each)
#endif
#ifdef ONEHOP_APP_HAVE_avx512
#define ONEHOP_APP_AVX512(each)                                                           \
  each(avx512, __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && \
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
#else
#define ONEHOP_APP_AVX512(each)
#endif
#ifdef ONEHOP_APP_HAVE_avx2
#define ONEHOP_APP_AVX2(each) each(avx2, __builtin_cpu_supports("avx2"))
#else
#define ONEHOP_APP_AVX2(each)
#endif
#ifdef ONEHOP_APP_HAVE_plain
#define ONEHOP_APP_PLAIN(each) each(plain, true)
#else
#define ONEHOP_APP_PLAIN(each)
#endif
#define ONEHOP_APP_ISAS(each) \
  ONEHOP_APP_NATIVE(each)     \
  ONEHOP_APP_AVX512(each) ONEHOP_APP_AVX2(each) ONEHOP_APP_PLAIN(each)

/// These turn the expansion of a macro into a string.
#define ONEHOP_APP_TEXT_OF(name) #name
#define ONEHOP_APP_TEXT(name) ONEHOP_APP_TEXT_OF(name)

/// ONEHOP_APP_USABLE_KERNELS(kernels) defines usable_kernels() of a library. Each build of the
/// library must have a function table() that returns its `kernels`.
#define ONEHOP_APP_DECLARE(isa, usable) \
  namespace isa {                       \
  kernels_of_a_build table();           \
  }
#define ONEHOP_APP_ADD(isa, usable) \
  if (usable) all.push_back(isa::table());
#define ONEHOP_APP_USABLE_KERNELS(kernels)         \
  using kernels_of_a_build = kernels;              \
  ONEHOP_APP_ISAS(ONEHOP_APP_DECLARE)              \
  const std::vector<kernels>& usable_kernels() {   \
    static const std::vector<kernels> found = [] { \
      std::vector<kernels> all;                    \
      ONEHOP_APP_ISAS(ONEHOP_APP_ADD)              \
      return all;                                  \
    }();                                           \
    return found;                                  \
  }

/// This does the same for kernels<float> and kernels<double>, with table<float>() and
/// table<double>().
#define ONEHOP_APP_DECLARE_OF_REALS(isa, usable)              \
  namespace isa {                                             \
  template <class Real>                                       \
  kernels_of_a_build<Real> table();                           \
  extern template kernels_of_a_build<float> table<float>();   \
  extern template kernels_of_a_build<double> table<double>(); \
  }
#define ONEHOP_APP_ADD_OF_REALS(isa, usable) \
  if (usable) all.push_back(isa::table<Real>());
#define ONEHOP_APP_USABLE_KERNELS_OF_REALS(kernels)                    \
  template <class Real>                                                \
  using kernels_of_a_build = kernels<Real>;                            \
  ONEHOP_APP_ISAS(ONEHOP_APP_DECLARE_OF_REALS)                         \
  template <class Real>                                                \
  const std::vector<kernels<Real>>& usable_kernels() {                 \
    static const std::vector<kernels<Real>> found = [] {               \
      std::vector<kernels<Real>> all;                                  \
      ONEHOP_APP_ISAS(ONEHOP_APP_ADD_OF_REALS)                         \
      return all;                                                      \
    }();                                                               \
    return found;                                                      \
  }                                                                    \
  template const std::vector<kernels<float>>& usable_kernels<float>(); \
  template const std::vector<kernels<double>>& usable_kernels<double>();
