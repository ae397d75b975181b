#pragma once
/// A standing is what a rank answers when it is asked how it stands, and two of each rank in a row
/// tell whether any can go on.

#include <cstdint>
#include <span>
#include <string>

namespace onehop::mpi_abi {

struct standing {
  /// These count the rank's changes (deadlock_watch.hpp) and its messages up to the answer.
  std::uint64_t changes = 0, sent = 0, received = 0;
  std::string wait;  ///< what it waits for

  bool same_as(const standing& other) const noexcept {
    return changes == other.changes && sent == other.sent && received == other.received;
  }
};

/// Returns whether no rank can go on, by the answers of all ranks to one question and to the next.
/// Where a rank has not changed between its answers it waited all the time, so that all waited
/// together when the second question was asked. A message can be under way still, for longer than
/// both questions: only the counts know of it.
inline bool none_goes_on(std::span<const standing> before, std::span<const standing> now) {
  if (before.empty()) return false;
  std::uint64_t sent = 0, received = 0;
  for (std::size_t rank = 0; rank < now.size(); ++rank) {
    if (!now[rank].same_as(before[rank])) return false;
    sent += now[rank].sent;
    received += now[rank].received;
  }
  return sent == received;
}

}  // namespace onehop::mpi_abi
