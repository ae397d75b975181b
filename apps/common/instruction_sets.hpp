#pragma once
/// A library whose kernels onehop_app_kernels builds knows of each instruction set here.
///
/// ONEHOP_APP_ISAS(each) expands each(isa, usable) for every instruction set that the library was
/// built with, the widest first: `isa` is the namespace of that build, `usable` an expression that
/// says whether this processor has it.

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

/// These make a string of what a macro is.
#define ONEHOP_APP_TEXT_OF(name) #name
#define ONEHOP_APP_TEXT(name) ONEHOP_APP_TEXT_OF(name)
