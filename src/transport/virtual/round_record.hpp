#pragma once
/// How far the ranks of a virtual machine are in their rounds. The records lie in memory that ranks
/// and conductor share, also as processes.

#include <array>
#include <cstdint>
#include <span>

namespace onehop::virtual_machine {

/// One rank in one round.
struct round_part {
  std::uint64_t round, tag;
  std::uint64_t bytes;  ///< of what it says
  std::uint32_t waits_for_root, is_over;
};

/// One rank in its last odd and even rounds.
struct round_record {
  std::uint64_t round;
  std::array<round_part, 2> parts;
};

/// What all ranks have in common in a round.
struct round_common {
  std::uint64_t round, tag;
  std::int32_t entered;
  std::int32_t root;       ///< of a broadcast: the only rank that says something; -1 for none
  std::uint64_t disputed;  ///< ranks are in different operations; each is to see so
};

/// Views of the records of all ranks, which begin as zeros.
struct round_table {
  std::span<round_record> ranks;
  std::span<round_common, 2> common;  ///< the last even and odd one

  round_record& at(int rank) const { return ranks[static_cast<std::size_t>(rank)]; }
  /// Of the round that the rank entered last.
  round_part& part(int rank) const { return at(rank).parts[at(rank).round % 2]; }

  /// A rank enters its next round. Returns its part, of which what it says is another matter.
  round_part& enter(int rank, std::uint64_t tag, std::uint64_t bytes) const;
  /// What `other` said in the round that `rank` entered last may be read there; null before.
  const round_part* seen(int rank, int other) const;
};

}  // namespace onehop::virtual_machine
