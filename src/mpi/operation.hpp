#pragma once
/// An operation combines what ranks give to a reduction.

#include <cstddef>

#include "mpi/abi.hpp"
#include "mpi/datatype.hpp"

namespace onehop::mpi_abi {

struct operation {
  std::uintptr_t fixed_handle = 0;    ///< number of a predefined operation
  MPI_User_function* call = nullptr;  ///< the caller's function, where there is one
  bool commutes = true;
  MPI_User_function_c* large_call = nullptr;  ///< a function of the caller's with large counts

  /// Combines element by element: `inout` becomes `in` combined with `inout`, in this order.
  void apply(const void* in, void* inout, std::size_t count, const datatype& type,
             MPI_Datatype handle) const;
};

/// Returns the operation of a handle; throws mpi_error for MPI_OP_NULL and unknown values.
const operation& operation_of(MPI_Op handle);
/// Throws mpi_error where the operation does not take elements of this type.
void require_applies(const operation& what, const datatype& type);

/// Returns the name of a predefined operation, and null where it is none.
const char* operation_name(std::uintptr_t handle) noexcept;

/// A combine_function is what a predefined operation does to elements of one kind.
using combine_function = void (*)(const std::byte* in, std::byte* inout, std::size_t count);
/// Returns null where the operation does not take the elements.
combine_function find_combine(std::uintptr_t operation, element kind);

}  // namespace onehop::mpi_abi
