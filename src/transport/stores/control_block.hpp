#pragma once
/// A control_block lies at the beginning of an arena. It holds the members, the failures, and the
/// messages that ranks exchange before they have windows. It has no locks, because a rank may die
/// at any instruction.

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

/// A message_head announces one rank's message to all. It contains a short message, which then
/// takes the transfer of one line, or of two. A longer message lies in its rank's ring. Caches
/// fetch lines in pairs, so the next head, which is about to be written, is not in the pair at
/// which others look.
struct alignas(2 * line_bytes) message_head {
  std::atomic<std::uint64_t> announced;  ///< announcement of the message that is here
  std::uint64_t tag;
  std::uint64_t history;  ///< the history of its rank up to this message
  std::array<std::byte, 2 * line_bytes - 3 * sizeof(std::uint64_t)> data;

  /// The bytes of `data` that share the line which others look at.
  static constexpr std::size_t in_first_line = line_bytes - 3 * sizeof(std::uint64_t);
  static constexpr bool holds(std::size_t bytes) noexcept { return bytes <= sizeof data; }
};

/// Each rank uses its heads in turns. With two, nobody overwrites a head at which others may still
/// look; each round that a rank may leave open needs two more.
constexpr int heads_per_rank = 512;

/// A message that is longer than its head lies in the ring of its rank, in whole lines.
constexpr std::size_t longest_message = std::size_t{1} << 13;
/// Messages that begin so far apart disturb each other neither by lines that are fetched ahead nor
/// by their places in a cache.
constexpr std::size_t message_spacing = longest_message + line_bytes;

constexpr std::size_t usual_ring_bytes = 16 * message_spacing;
constexpr std::size_t long_ring_bytes = 60 * message_spacing;

/// Returns the bytes of each rank's ring in a job with this number of ranks. If ranks share cores,
/// each message that fits saves some of the turns that they give each other. The rings of many
/// ranks, however, would fill /dev/shm.
std::size_t message_ring_bytes(int ranks);

/// An announcement combines the number of a round and the line of the ring at which its message
/// begins, so that one load reads both.
class announcement {
 public:
  /// The place of a message that is in its head.
  static constexpr std::uint64_t in_head = (1U << 16U) - 1;
  static_assert(long_ring_bytes / line_bytes <= in_head);

  explicit constexpr announcement(std::uint64_t word) noexcept : word_(word) {}
  constexpr announcement(std::uint64_t round, std::uint64_t line) noexcept
      : word_(round << 16U | line) {}
  constexpr std::uint64_t word() const noexcept { return word_; }
  constexpr bool is_of(std::uint64_t round) const noexcept {
    return this->round() == (round & (~std::uint64_t{0} >> 16U));
  }
  /// Returns the lower bits of the number of its round.
  constexpr std::uint64_t round() const noexcept { return word_ >> 16U; }
  constexpr std::uint64_t line() const noexcept { return word_ & in_head; }

 private:
  std::uint64_t word_;
};

struct control_block {
  static constexpr std::uint64_t expected_magic = 0x31706f48656e4fULL;  // "OneHop1"

  std::uint64_t magic;
  /// The build is the version and a checksum of the sources that share memory. It must be equal for
  /// all ranks, or one would misread what another wrote. Its offset never changes.
  std::array<char, 40> build;
  std::int32_t ranks;
  std::int32_t cores;        ///< number of cores that the ranks share
  std::uint64_t capacity;    ///< bytes of the arena
  std::uint64_t ring_bytes;  ///< bytes of the ring of each rank; 0 where none sends messages
  /// This is the offset of the block of a virtual machine's conductor; 0 for a job in real time.
  std::uint64_t conductor;
  process_identity creator;
  alignas(line_bytes) failure_record failure;
  /// These announce the rounds that were last claimed and disputed, with the number of the rank in
  /// place of a line. Their cache line stays with a rank that is the root every time.
  alignas(line_bytes) std::atomic<std::uint64_t> claimed;
  std::atomic<std::uint64_t> disputed;

  /// Returns the bytes of the heads and the ring of a rank.
  static constexpr std::size_t bytes_of_messages(std::size_t ring_bytes) noexcept {
    return heads_per_rank * sizeof(message_head) + ring_bytes;
  }
  /// Returns the bytes of the block for this number of ranks, their messages included.
  static constexpr std::size_t bytes(int ranks, std::size_t ring_bytes) noexcept {
    return page_bytes + round_up(static_cast<std::size_t>(ranks) * sizeof(rank_record)) +
           round_up(static_cast<std::size_t>(ranks) * bytes_of_messages(ring_bytes));
  }
  std::size_t bytes() const noexcept { return bytes(ranks, ring_bytes); }
  /// Fills in a block at the beginning of zeroed memory. A group's rings are as long as those of
  /// the whole job.
  static control_block& create(std::byte* base, int ranks, std::uint64_t capacity,
                               std::size_t ring_bytes);

  rank_record& rank(int rank) noexcept;
  const rank_record& rank(int rank) const noexcept {
    return const_cast<control_block*>(this)->rank(rank);
  }
  message_head& head(int rank, std::uint64_t round) noexcept {
    return reinterpret_cast<message_head*>(messages(rank))[round % heads_per_rank];
  }
  /// Returns the ring of a rank.
  std::byte* ring(int rank) noexcept {
    return messages(rank) + heads_per_rank * sizeof(message_head);
  }
  /// Makes this process `rank`, which messages call `name`. Throws usage_error if there is no such
  /// rank or its place is taken.
  void take_place(int rank, int name);

  std::byte* messages(int rank) noexcept {
    return reinterpret_cast<std::byte*>(this) + page_bytes +
           round_up(static_cast<std::size_t>(ranks) * sizeof(rank_record)) +
           static_cast<std::size_t>(rank) * bytes_of_messages(ring_bytes);
  }
  static constexpr std::size_t round_up(std::size_t bytes) noexcept {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
  }
};
static_assert(sizeof(control_block) <= page_bytes && most_ranks <= announcement::in_head);

/// Returns the control block that an arena begins with.
inline control_block& control_in(const arena& memory) {
  return *reinterpret_cast<control_block*>(memory.base());
}

}  // namespace onehop::stores
