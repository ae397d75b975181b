#pragma once
/// A control_block lies at the beginning of an arena: who takes part, what went wrong, and the
/// slots through which the ranks talk before they have windows. It has no locks, since a rank may
/// die at any instruction.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

#include "machine/process.hpp"
#include "transport/stores/arena.hpp"

namespace onehop::stores {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

constexpr std::size_t line_bytes = 64;
constexpr std::size_t page_bytes = 4096;
constexpr int most_ranks = 4096;

/// A failure_record has the first reason for which the job fails; it is written once.
struct failure_record {
  enum : std::uint32_t { none, being_written, written };
  std::atomic<std::uint32_t> state;
  std::int32_t rank;
  std::array<char, 1000> reason;

  void write(int failed_rank, std::string_view why) noexcept;
  bool is_written() const noexcept { return state.load(std::memory_order_acquire) == written; }
  /// Returns, once written, "rank 2 failed: why"; for rank -1, which is none, the reason alone.
  std::string message() const;
};

struct alignas(line_bytes) rank_record {
  enum : std::uint32_t { absent, joining, present, left };
  std::atomic<std::uint32_t> state;
  process_identity process;  ///< identity of the process, valid from `present` on
  std::int32_t name;         ///< number of the rank in its whole job, of which this may be one
                             ///< machine
};

/// A message_slot is a message of one rank to all. Sequence and first bytes share a line, so that a
/// short message takes one transfer.
struct alignas(line_bytes) message_slot {
  std::atomic<std::uint64_t> sequence;
  std::uint64_t tag;
  std::array<std::byte, 8192 + line_bytes - 2 * sizeof(std::uint64_t)> data;
};

/// Each rank uses its slots in turns. Two are enough for nobody to overwrite what another may still
/// read, and two more for each round that a rank may leave open.
constexpr int slots_per_rank = 16;

struct control_block {
  static constexpr std::uint64_t expected_magic = 0x31706f48656e4fULL;  // "OneHop1"

  std::uint64_t magic;
  /// The build is the version and a checksum of the sources that share memory: it must be equal for
  /// all ranks, or one reads what the other did not write. Its offset does not change.
  std::array<char, 40> build;
  std::int32_t ranks;
  std::int32_t cores;      ///< number of cores that the ranks share
  std::uint64_t capacity;  ///< bytes of the arena
  /// This is the offset of the block of a virtual machine's conductor; 0 for a job in real time.
  std::uint64_t conductor;
  process_identity creator;
  alignas(line_bytes) failure_record failure;

  /// Returns the bytes of the block for this number of ranks, the slots included.
  static constexpr std::size_t bytes(int ranks) noexcept {
    return page_bytes + round_up(static_cast<std::size_t>(ranks) * sizeof(rank_record)) +
           round_up(slots_per_rank * static_cast<std::size_t>(ranks) * sizeof(message_slot));
  }
  /// Fills in a block at the beginning of zeroed memory.
  static control_block& create(std::byte* base, int ranks, std::uint64_t capacity);

  rank_record& rank(int rank) noexcept;
  const rank_record& rank(int rank) const noexcept {
    return const_cast<control_block*>(this)->rank(rank);
  }
  message_slot& slot(int rank, std::uint64_t round) noexcept;
  /// Makes this process `rank`, which messages call `name`. Throws usage_error for a rank that is
  /// not there and for one whose place is taken.
  void take_place(int rank, int name);

  static constexpr std::size_t round_up(std::size_t bytes) noexcept {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
  }
};
static_assert(sizeof(control_block) <= page_bytes);

/// Returns the control block that an arena begins with.
inline control_block& control_in(const arena& memory) {
  return *reinterpret_cast<control_block*>(memory.base());
}

}  // namespace onehop::stores
