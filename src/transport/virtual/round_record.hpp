#pragma once
/// A round_record says how far the ranks of a virtual machine are in their rounds. The records lie
/// in memory that ranks and conductor share, also as processes.

#include <array>
#include <cstdint>
#include <span>

namespace onehop::virtual_machine {

/// A message of a round has at most this many bytes.
constexpr std::size_t message_bytes = std::size_t{1} << 30;

/// A round_part is one rank in one round.
struct round_part {
  std::uint64_t round, tag;
  std::uint32_t waits_for_root, is_over;
  std::uint32_t is_free;  ///< 1 where its messages take no time
};

/// A round_record is one rank in its last odd and even rounds.
struct round_record {
  std::uint64_t round;
  std::array<round_part, 2> parts;
};

/// A round_common is what all ranks have in common in a round.
struct round_common {
  std::uint64_t round, tag;
  std::int32_t entered;
  std::int32_t root;       ///< root of a broadcast once it has come, and -1 before
  std::uint64_t disputed;  ///< 1 where ranks are in different operations, which each is to see
};

/// A round_table is a view of the records of all ranks, which begin as zeros.
struct round_table {
  std::span<round_record> ranks;
  std::span<round_common, 2> common;  ///< the last even and odd one

  round_record& at(int rank) const { return ranks[static_cast<std::size_t>(rank)]; }
  /// Returns the rank's part in the round that it entered last.
  round_part& part(int rank) const { return at(rank).parts[at(rank).round % 2]; }

  /// Enters a rank into its next round. Returns its part, to which the message has yet to be added.
  round_part& enter(int rank, std::uint64_t tag, bool is_free) const;
  /// Returns the message of `other` in the round that `rank` entered last once it may be read, and
  /// null before.
  const round_part* seen(int rank, int other) const;
};

}  // namespace onehop::virtual_machine
