#pragma once
/// The data representation "external32" (MPI 5.0, section 14.5.2): numbers of fixed sizes in
/// big-endian byte order. A long has 4 bytes there, a wide character 2, and a long double has the
/// quadruple precision of IEEE 754.

#include <cstddef>
#include <span>

#include "mpi/datatype.hpp"

namespace onehop::mpi_abi {

/// Throws mpi_error for any other representation.
void require_external(const char* representation);
/// Returns the size of one element in external32, in bytes.
std::size_t external_bytes(const datatype& type);
/// Converts packed elements. Throws mpi_error for a number that does not fit.
void to_external(std::span<const std::byte> packed, const datatype& type, std::byte* external);
/// Converts `packed.size()` bytes of elements back.
void from_external(const std::byte* external, const datatype& type, std::span<std::byte> packed);

}  // namespace onehop::mpi_abi
