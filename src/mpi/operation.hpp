#pragma once
/// An operation combines the values that ranks contribute to a reduction.

#include <cstddef>

#include "mpi/abi.hpp"
#include "mpi/datatype.hpp"

namespace onehop::mpi_abi {

struct operation {
  std::uintptr_t fixed_handle = 0;    ///< number of a predefined operation, or 0
  MPI_User_function* call = nullptr;  ///< the caller's function, if any
  bool commutes = true;
  MPI_User_function_c* large_call = nullptr;  ///< the caller's function with large counts, if any

  /// Combines element by element: `inout` becomes `in` combined with `inout`, in this order.
  void apply(const void* in, void* inout, std::size_t count, const datatype& type,
             MPI_Datatype handle) const;
};

/// Returns the operation of a handle; throws mpi_error for MPI_OP_NULL and unknown values.
const operation& operation_of(MPI_Op handle);
/// Throws mpi_error if the operation does not apply to elements of this type.
void require_applies(const operation& what, const datatype& type);

/// Returns the name of a predefined operation, or null for any other number.
const char* operation_name(std::uintptr_t handle) noexcept;

/// A combine_function applies a predefined operation to elements of one kind.
using combine_function = void (*)(const std::byte* in, std::byte* inout, std::size_t count);
/// Returns null if the operation does not apply to the elements.
combine_function find_combine(std::uintptr_t operation, element kind);

}  // namespace onehop::mpi_abi
