#pragma once
/// What makes one source run on the host and in a CUDA kernel.

#if defined(__CUDACC__)
#define ONEHOP_INLINE __host__ __device__ __forceinline__
#else
#define ONEHOP_INLINE [[gnu::always_inline]] inline
#endif

// Rows that are indexed by constants alone stay in registers.
#if defined(__CUDA_ARCH__)
#define ONEHOP_UNROLL _Pragma("unroll")
#else
#define ONEHOP_UNROLL
#endif

// The host's compiler is told the same.
#if defined(__CUDACC__)
#define ONEHOP_UNROLL_ALWAYS ONEHOP_UNROLL
#else
#define ONEHOP_UNROLL_ALWAYS _Pragma("GCC unroll 9")
#endif
