#pragma once
/// How device kernels run on CUDA: a site per thread, sums by warps.

#include "cuda/checked_launch.cuh"
#include "cuda/stream.hpp"
#include "dirac/device/fill_table.hpp"
#include "dirac/device/sums.hpp"

namespace onehop::cuda {

/// Threads of a block, for which kernels are compiled to have all registers they want.
constexpr int most_threads = device::block_shapes::choices.back();

namespace {

using device::adders;
using device::group_sites;
using device::two_sums;

__device__ __forceinline__ two_sums sum_of_warp(two_sums term) {
  for (int half = group_sites / 2; half > 0; half /= 2) {
    term.first += __shfl_down_sync(0xffffffffU, term.first, half);
    term.second += __shfl_down_sync(0xffffffffU, term.second, half);
  }
  return term;
}

template <class Kernel>
__global__ void __launch_bounds__(most_threads)
    run_kernel(const __grid_constant__ Kernel kernel, std::int32_t count, two_sums* partials) {
  const auto site = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
  two_sums term{0, 0};
  if (site < count) term = kernel(site);
  // Every thread of the warp takes part; those past the end bring zeros.
  if (partials != nullptr) {
    term = sum_of_warp(term);
    if (threadIdx.x % group_sites == 0 && site < count) partials[site / group_sites] = term;
  }
}

__global__ void __launch_bounds__(adders) add_groups(const device::sums_job job) {
  __shared__ two_sums terms[adders];
  two_sums mine{0, 0};
  for (std::int32_t k = static_cast<std::int32_t>(threadIdx.x); k < job.groups; k += adders) {
    mine.first += job.partials[k].first;
    mine.second += job.partials[k].second;
  }
  terms[threadIdx.x] = mine;
  for (unsigned half = adders / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      terms[threadIdx.x].first += terms[threadIdx.x + half].first;
      terms[threadIdx.x].second += terms[threadIdx.x + half].second;
    }
  }
  if (threadIdx.x == 0) *job.result = terms[0];
}

struct launcher {
  template <class Kernel>
  static void run(device::stream& on, const Kernel& kernel, std::int32_t count,
                  two_sums* partials) {
    if (count == 0) return;
    const auto threads =
        static_cast<unsigned>(cuda_stream(on).shapes().threads(device::shape_place<Kernel>()));
    const unsigned blocks = (static_cast<unsigned>(count) + threads - 1) / threads;
    launch(run_kernel<Kernel>, blocks, threads, cuda_stream(on).get(), kernel, count, partials);
  }

  static void finish_sums(device::stream& on, const device::sums_job& job) {
    launch(add_groups, 1, adders, cuda_stream(on).get(), job);
  }
};

}  // namespace
}  // namespace onehop::cuda
