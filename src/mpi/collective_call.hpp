#pragma once
/// Each message of a collective says which call it belongs to. If ranks call different collectives,
/// the error can therefore name both.

#include <cstdint>
#include <string>

#include "mpi/abi.hpp"

namespace onehop::mpi_abi {

struct packet_header;
struct request;

/// A collective_call holds what all ranks of a collective must agree on, besides the lengths of
/// messages.
struct collective_call {
  static constexpr std::int32_t no_root = -1;

  std::uint16_t function = 0;  ///< a function_number; 0 for messages outside of collectives
  /// The last byte of a predefined operation's handle; 0 if there is none.
  std::uint8_t operation = 0;
  /// Counts the blocking collectives of a communicator from 1 to 255 cyclically; 0 for other
  /// messages.
  std::uint8_t number = 0;
  std::int32_t root = no_root;

  bool operator==(const collective_call&) const = default;
};

/// Returns a function's position in the ABI's list, from 1, or 0 if it is not listed. The int and
/// the MPI_Count form of a function have the same number.
std::uint16_t function_number(const char* name) noexcept;
/// Returns a call without a number. It has no root in an intercommunicator, where the roots that
/// ranks pass differ, or if the root is negative.
collective_call called(std::uint16_t function, bool between_groups, int root) noexcept;
collective_call called(std::uint16_t function, bool between_groups, MPI_Op what,
                       int root = collective_call::no_root) noexcept;
inline collective_call called(std::uint16_t function, bool) noexcept { return {function}; }
/// Returns the call of the running function if it has not given any details.
collective_call call_of_running_function() noexcept;

/// Describes the calls of both ranks if a message belongs to another call than the receive that
/// takes it, or has a different length.
std::string disagreement(const request& into, const packet_header& message);
/// Returns the function's name, operation and root as text.
std::string words_of(const collective_call& of);

}  // namespace onehop::mpi_abi
