#pragma once
/// Device kernels run on CUDA with one site of one right-hand side per thread, and sum by warps.
///
/// A warp takes a group of neighbouring sites of one right-hand side, and the following warps take
/// the same sites of the others. Data of a site, such as its links, are thus read from memory once
/// for all right-hand sides of a block.

#include "device/cuda/checked_launch.cuh"
#include "device/cuda/stream.hpp"
#include "dirac/device/fill_table.hpp"
#include "dirac/device/sums.hpp"

namespace onehop::cuda {

/// Kernels are compiled for at most this many threads in a block.
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

/// Returns how many blocks of the largest size a multiprocessor must have room for.
template <class Kernel>
constexpr int blocks_together() {
  if constexpr (requires { Kernel::blocks_together; }) {
    return Kernel::blocks_together;
  } else {
    return 1;
  }
}

template <class Kernel>
__global__ void __launch_bounds__(most_threads, blocks_together<Kernel>())
    run_kernel(const __grid_constant__ Kernel kernel, std::int32_t count, std::int32_t rhs,
               two_sums* partials) {
  const auto thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  // The value is the same in all threads of a warp.
  const auto warp = static_cast<std::int32_t>(thread / group_sites);
  const std::int32_t group = rhs == 1 ? warp : warp / rhs;
  const std::int32_t site =
      group * group_sites + static_cast<std::int32_t>(threadIdx.x % group_sites);
  two_sums term{0, 0};
  if (site < count) term = kernel(site, warp - group * rhs);
  // Every thread of the warp takes part; threads past the last site add zeros.
  if (partials != nullptr) {
    term = sum_of_warp(term);
    if (threadIdx.x % group_sites == 0 && site < count) partials[warp] = term;
  }
}

/// A block sums one right-hand side.
__global__ void __launch_bounds__(adders) add_groups(const device::sums_job job) {
  __shared__ two_sums terms[adders];
  two_sums mine{0, 0};
  for (std::int32_t k = static_cast<std::int32_t>(threadIdx.x); k < job.groups; k += adders) {
    const two_sums& group = job.partials[static_cast<std::int64_t>(k) * job.rhs + blockIdx.x];
    mine.first += group.first;
    mine.second += group.second;
  }
  terms[threadIdx.x] = mine;
  for (unsigned half = adders / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      terms[threadIdx.x].first += terms[threadIdx.x + half].first;
      terms[threadIdx.x].second += terms[threadIdx.x + half].second;
    }
  }
  if (threadIdx.x == 0) job.result.of(static_cast<std::int32_t>(blockIdx.x)) = terms[0];
}

/// Several right-hand sides fill as few blocks as possible, all equally full: 12 of them take two
/// blocks of 6 warps. The shape was measured for a single right-hand side.
template <class Kernel>
unsigned threads_for(const device::stream& on, std::int32_t rhs) {
  if (rhs == 1) {
    return static_cast<unsigned>(cuda_stream(on).shapes().threads(device::shape_place<Kernel>()));
  }
  constexpr std::int32_t most_warps = most_threads / group_sites;
  const std::int32_t blocks = (rhs + most_warps - 1) / most_warps;
  return static_cast<unsigned>((rhs + blocks - 1) / blocks * group_sites);
}

struct launcher {
  template <class Kernel>
  static void run(device::stream& on, const Kernel& kernel, std::int32_t count, std::int32_t rhs,
                  two_sums* partials) {
    if (count == 0) return;
    const unsigned threads = threads_for<Kernel>(on, rhs);
    const auto all = static_cast<std::int64_t>(device::groups_of(count)) * rhs * group_sites;
    const auto blocks = static_cast<unsigned>((all + threads - 1) / threads);
    launch(run_kernel<Kernel>, blocks, threads, cuda_stream(on).get(), kernel, count, rhs,
           partials);
  }

  static void finish_sums(device::stream& on, const device::sums_job& job) {
    launch(add_groups, static_cast<unsigned>(job.rhs), adders, cuda_stream(on).get(), job);
  }
};

}  // namespace
}  // namespace onehop::cuda
