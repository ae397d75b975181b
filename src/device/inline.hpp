#pragma once
/// These macros make one source run on the host and in a CUDA kernel.

#if defined(__CUDACC__)
#define ONEHOP_INLINE __host__ __device__ __forceinline__
#else
#define ONEHOP_INLINE [[gnu::always_inline]] inline
#endif

// Loops are unrolled on the device, since arrays that are indexed by constants alone stay in
// registers.
#if defined(__CUDA_ARCH__)
#define ONEHOP_UNROLL _Pragma("unroll")
#else
#define ONEHOP_UNROLL
#endif

// Loops with this macro are unrolled by the host's compiler too.
#if defined(__CUDACC__)
#define ONEHOP_UNROLL_ALWAYS ONEHOP_UNROLL
#else
#define ONEHOP_UNROLL_ALWAYS _Pragma("GCC unroll 9")
#endif
