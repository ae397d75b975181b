#pragma once
/// Each message of a collective says which call it belongs to, so that ranks that call different
/// ones are told both.

#include <cstdint>
#include <string>

#include "mpi/abi.hpp"

namespace onehop::mpi_abi {

struct packet_header;
struct request;

/// A collective_call is what all ranks of a collective agree on, beside the bytes of its messages.
struct collective_call {
  static constexpr std::int32_t no_root = -1;

  std::uint16_t function = 0;  ///< a function_number; 0 for messages of no collective
  /// The last byte of a predefined operation's handle; 0 without one.
  std::uint8_t operation = 0;
  /// Numbers the blocking collectives of a communicator from 1 to 255, again and again; 0 for
  /// others.
  std::uint8_t number = 0;
  std::int32_t root = no_root;

  bool operator==(const collective_call&) const = default;
};

/// Returns where a function stands in the list of the ABI's, from 1, and 0 where it does not. Both
/// forms of a function that counts elements have one number.
std::uint16_t function_number(const char* name) noexcept;
/// Returns a call without a number. Roots of intercommunicators differ from rank to rank, and
/// negative ones are none.
collective_call called(std::uint16_t function, bool between_groups, int root) noexcept;
collective_call called(std::uint16_t function, bool between_groups, MPI_Op what,
                       int root = collective_call::no_root) noexcept;
inline collective_call called(std::uint16_t function, bool) noexcept { return {function}; }
/// Returns the call of a function that runs and has not said more.
collective_call call_of_running_function() noexcept;

/// Tells both ranks and what they call, where a message belongs to another call than the receive
/// that takes it, or does not have its bytes.
std::string disagreement(const request& into, const packet_header& message);
/// Returns the function's name, its operation and its root.
std::string words_of(const collective_call& of);

}  // namespace onehop::mpi_abi
