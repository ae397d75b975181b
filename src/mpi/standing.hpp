#pragma once
/// A standing is a rank's answer when it is asked whether it can go on. Two consecutive standings
/// of every rank tell whether any rank can.

#include <cstdint>
#include <span>
#include <string>

namespace onehop::mpi_abi {

struct standing {
  /// The rank's changes (deadlock_watch.hpp) and its messages, counted up to the answer.
  std::uint64_t changes = 0, sent = 0, received = 0;
  std::string wait;  ///< what the rank waits for

  bool same_as(const standing& other) const noexcept {
    return changes == other.changes && sent == other.sent && received == other.received;
  }
};

/// Returns whether no rank can go on, given all ranks' answers to one question and to the next. If
/// no rank has changed between its two answers, all ranks were waiting when the second question was
/// asked. A message may still be in flight, for longer than both questions take, which only the
/// counts of messages show.
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
