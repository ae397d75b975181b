#pragma once
/// Every call of the CUDA runtime is checked: onehop's error says which call failed where, why, and
/// what to do.

#include <cuda_runtime_api.h>

#include <string_view>

namespace onehop::cuda {

/// Throws resource_error unless `result` is cudaSuccess.
void require(cudaError_t result, std::string_view call, const char* file, int line);

/// Ignores a failure in a destructor, where it is not the first failure.
inline void ignore(cudaError_t) noexcept {}

}  // namespace onehop::cuda

#define ONEHOP_CUDA(call) ::onehop::cuda::require((call), #call, __FILE__, __LINE__)
