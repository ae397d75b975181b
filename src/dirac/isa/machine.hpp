#pragma once
/// These kernels measure the best that the processor can do with this instruction set, for
/// comparison with other kernels.

#include "dirac/isa/simd.hpp"

#include <cstddef>

namespace onehop {
namespace {

/// There are enough chains to hide the latency of two units, but few enough to stay in registers.
constexpr int fma_chains = 12;

/// Does fused multiply-adds on registers, `rounds` times fma_chains vectors.
template <class V>
void fma(std::size_t rounds) {
  V chain[fma_chains];
  for (int k = 0; k < fma_chains; ++k) chain[k] = V::broadcast(static_cast<typename V::real>(k));
  V factor = V::broadcast(static_cast<typename V::real>(0.999));
  V term = V::broadcast(static_cast<typename V::real>(0.1));
  // The compiler must not know these numbers, or it would compute the result in advance.
  asm volatile("" : "+m"(factor), "+m"(term));
  const V a = factor;
  const V b = term;
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int k = 0; k < fma_chains; ++k) chain[k] = chain[k] * a + b;
  }
  for (int k = 1; k < fma_chains; ++k) chain[0] = chain[0] + chain[k];
  asm volatile("" : : "m"(chain[0]));
}

/// Reads `reads` lines of 64 bytes for each of the `lines` lines written by stores that bypass the
/// caches.
template <class V>
void stream_lines(std::byte* out, const std::byte* in, std::size_t reads, std::size_t lines) {
  using real = typename V::real;
  constexpr int pieces = 64 / static_cast<int>(sizeof(real)) / V::lanes;
  for (std::size_t k = 0; k < lines; ++k, out += 64) {
    V sum[pieces];
    for (auto& s : sum) s = V::zero();
    for (std::size_t r = 0; r < reads; ++r, in += 64) {
      for (int p = 0; p < pieces; ++p) {
        sum[p] = sum[p] + V::load(reinterpret_cast<const real*>(in) + p * V::lanes);
      }
    }
    for (int p = 0; p < pieces; ++p) sum[p].stream(reinterpret_cast<real*>(out) + p * V::lanes);
  }
}

}  // namespace
}  // namespace onehop
