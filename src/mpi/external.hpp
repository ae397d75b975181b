#pragma once
/// The representation "external32" of data: that of memory with the bytes of each number in the
/// order of networks. Numbers without a counterpart there, such as long double, are refused.

#include <cstddef>
#include <span>

#include "mpi/datatype.hpp"

namespace onehop::mpi_abi {

/// Throws mpi_error for another representation.
void require_external(const char* representation);
/// Reverses the bytes of each number of packed elements.
void swap_elements(std::span<std::byte> packed, const datatype& type);

}  // namespace onehop::mpi_abi
