#pragma once
/// The conductor of a virtual machine and ranks that are processes share this beside windows: whose
/// turn it is, what ranks request in theirs, and their rounds.
///
///     control block | team's block, members and their rounds | conductor's block and lines of
///     ranks | windows ... | messages
///
/// A group has a range of the segment to itself, without a conductor's block.
///
/// Conductor and ranks run in turns, so all but the words that pass turns on is ordinary memory.

#include <array>
#include <cstdint>
#include <onehop/kernel_cost.hpp>
#include <span>
#include <vector>

#include "machine/shared_word.hpp"
#include "netsim/machine/time.hpp"
#include "transport/stores/control_block.hpp"
#include "transport/virtual/request.hpp"
#include "transport/virtual/round_record.hpp"

namespace onehop::virtual_machine {

using netsim::picoseconds;

/// The mode says which time a rank's own computing takes.
enum class compute_mode : std::uint32_t {
  none,      ///< no time
  declared,  ///< the time that context::work says, on the machine's processor
  measured,  ///< the time of this machine's processor, by the clock of the rank's thread
  recorded,  ///< the time that a recording has between two call sites
  counted    ///< the instructions of the rank's thread, at a rate
};

/// A computing says how the ranks' own computing is taken into account.
struct computing {
  computing(compute_mode mode = compute_mode::declared, double rate = 0) noexcept
      : how(mode), instructions_per_second(rate) {}
  compute_mode how;
  double instructions_per_second;
  bool is_written = false;  ///< each rank writes a recording of it
};

/// A turn_end says how a rank's turn ends.
enum class turn_end : std::uint32_t {
  wait,       ///< the rank waits until `until`
  look,       ///< the rank looks again
  work,       ///< the rank works for as long as `cost` takes
  drain,      ///< the rank waits for its GPU
  compute,    ///< the rank computes for `until` picoseconds
  go_on,      ///< the turn goes on once the requests are carried out
  describe,   ///< the turn goes on, with a put described in words
  timed_out,  ///< the turn goes on; a wait has reached its deadline
  leave       ///< the rank leaves for good
};

struct alignas(stores::line_bytes) rank_line {
  static constexpr std::size_t most_requests = 128;
  static constexpr std::size_t text_bytes = 1000;

  shared_word turn;  ///< 1 while the turn is the rank's
  turn_end end;
  std::uint32_t request_count;
  picoseconds until;
  kernel_cost cost;
  request described;                  ///< the chain and the put to describe
  std::array<char, text_bytes> text;  ///< a description, or what a wait that reached its deadline
                                      ///< was for
  std::int32_t node;                  ///< the node that the rank is on
  std::array<request, most_requests> requests;
};

struct alignas(stores::line_bytes) conductor_block {
  shared_word bell;  ///< counts what the conductor is to look at
  compute_mode compute;
  double instructions_per_second;
  std::uint64_t recorded_run;  ///< names the run in the recording that ranks write; 0 for none
  picoseconds now;
  std::uint64_t under_way;  ///< number of messages under way
  std::uint64_t least_granted_bytes;
  std::uint64_t windows;       ///< offset in the segment where they begin
  std::array<char, 128> name;  ///< name of the transport

  static std::size_t bytes(int ranks) noexcept {
    return sizeof(conductor_block) + static_cast<std::size_t>(ranks) * sizeof(rank_line);
  }
  /// Returns the block of a segment that has one.
  static conductor_block& of(stores::control_block& control) noexcept {
    return *reinterpret_cast<conductor_block*>(reinterpret_cast<std::byte*>(&control) +
                                               control.conductor);
  }
  rank_line& line(int rank) noexcept { return reinterpret_cast<rank_line*>(this + 1)[rank]; }
  const rank_line& line(int rank) const noexcept {
    return const_cast<conductor_block*>(this)->line(rank);
  }
};

/// A team_block is what all ranks, or those of a group, share with the conductor beside windows. In
/// its first state all but `ranks`, `longest_message` and the members is zero.
struct alignas(stores::line_bytes) team_block {
  struct member {
    std::int32_t rank;       ///< rank in the job
    std::uint32_t departed;  ///< the rank left in good order
  };
  std::uint64_t ranks;
  std::uint64_t longest_message;
  std::array<round_common, 2> common;

  static std::size_t bytes(int ranks) noexcept {
    return sizeof(team_block) +
           static_cast<std::size_t>(ranks) * (sizeof(member) + sizeof(round_record));
  }
  /// The messages of virtual ranks go through the conductor.
  static constexpr std::size_t ring_bytes = 0;
  /// Returns the bytes of a group's range that are neither windows nor messages.
  static std::size_t head_bytes(int ranks) noexcept {
    return stores::control_block::bytes(ranks, ring_bytes) +
           stores::control_block::round_up(bytes(ranks));
  }
  /// Makes the head of a group in its range. Throws resource_error where that is too short.
  static team_block& create(std::span<std::byte> range, const std::vector<int>& members);
  /// Writes the block of these ranks behind their control block.
  static team_block& write(stores::control_block& control, const std::vector<int>& members,
                           std::size_t longest_message);
  static team_block& of(stores::control_block& control) noexcept {
    return *reinterpret_cast<team_block*>(reinterpret_cast<std::byte*>(&control) + control.bytes());
  }

  std::span<member> members() noexcept { return {reinterpret_cast<member*>(this + 1), ranks}; }
  round_table rounds() noexcept {
    auto* const first = reinterpret_cast<round_record*>(members().data() + ranks);
    return {{first, ranks}, common};
  }
  /// Returns where in a range of `range` bytes the windows end and messages begin.
  std::size_t end_of_windows(std::size_t range) const noexcept {
    return range - 2 * ranks * longest_message;
  }
  /// Returns where in a range of `range` bytes a rank's message of its odd or even rounds
  /// lies.
  std::size_t message_offset(std::size_t range, int rank, unsigned parity) const noexcept {
    return range - (2 * static_cast<std::size_t>(rank) + parity + 1) * longest_message;
  }
};
static_assert(alignof(team_block::member) <= alignof(round_record) &&
              sizeof(team_block::member) % alignof(round_record) == 0);

}  // namespace onehop::virtual_machine
