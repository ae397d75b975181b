#pragma once
/// With these macros, one source runs on the host and in a CUDA kernel.

#if defined(__CUDACC__)
#define ONEHOP_INLINE __host__ __device__ __forceinline__
#else
#define ONEHOP_INLINE [[gnu::always_inline]] inline
#endif

// Loops are unrolled on the device, because arrays stay in registers only if all their indices are
// constants.
#if defined(__CUDA_ARCH__)
#define ONEHOP_UNROLL _Pragma("unroll")
#else
#define ONEHOP_UNROLL
#endif

// Loops with this macro are also unrolled by the host's compiler.
#if defined(__CUDACC__)
#define ONEHOP_UNROLL_ALWAYS ONEHOP_UNROLL
#else
#define ONEHOP_UNROLL_ALWAYS _Pragma("GCC unroll 9")
#endif
