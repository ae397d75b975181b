#pragma once
/// A bootstrap lets the ranks of a job communicate before there are chains, by rounds of short
/// messages. Collectives are built from these rounds. Nothing here blocks.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace onehop {

class bootstrap {
 public:
  virtual ~bootstrap();

  /// A posting is one rank's contribution to a round; `data` is null until it has arrived.
  struct posting {
    std::uint64_t tag = 0;
    const std::byte* data = nullptr;
  };
  /// Returns the size of the longest message that all ranks should post to a round.
  virtual std::size_t round_bytes() const noexcept = 0;
  /// Returns the size of the longest message that a round can carry.
  virtual std::size_t piece_bytes() const noexcept { return round_bytes(); }
  /// Returns true if a rank reads only what it wants of a message, directly in the sender's memory.
  /// Otherwise the whole message goes to every rank.
  virtual bool reads_in_place() const noexcept { return false; }
  /// Returns how many rounds a rank may leave open when it next posts a message of `bytes`. A round
  /// is open if a later one is entered before all tags of others were seen. If more may stay open
  /// than are open now, returning the number that are open now is enough.
  virtual std::size_t most_left_open(std::size_t /*bytes*/) const noexcept { return 0; }
  /// Enters the next round with a message for every other rank. Collective. Before this call, the
  /// rank must have read all messages that it wants from earlier rounds, and have seen the tags of
  /// all others in them. The last most_left_open() rounds are exempt, as they stay readable.
  virtual void post(std::uint64_t tag, std::span<const std::byte> message) = 0;
  /// Returns what another rank posted `before` rounds before the one that this rank entered last.
  /// Acquires.
  virtual posting posted(int rank, int before) = 0;
  /// Returns whether another rank is known to have posted to that round, and the same tags as this
  /// rank to all rounds up to it. These rounds then count as seen.
  virtual bool agrees(int /*rank*/, int /*before*/) { return false; }
  /// Returns the history of a rank that posts this tag after the history `before`; one number
  /// stands for all tags. Different tags give different histories, because each step can be undone.
  static constexpr std::uint64_t history_after(std::uint64_t before, std::uint64_t tag) noexcept {
    return (std::rotl(before, 23) ^ tag) * 0x9e3779b97f4a7c15U;
  }
  /// Says that only this rank gives a message to the round that it entered last, and that it does
  /// not look at the others. Returns whether another rank may make different calls: it has claimed
  /// or disputed an open round and does not agree about it. If two ranks claim one round before
  /// they see each other's claim, the next call of one of them tells it. A transport that leaves no
  /// round open need not notice.
  virtual bool claim_round() { return false; }
  /// Says that another rank made a different call in the round that was entered `before` rounds
  /// before the last, so that ranks that claim rounds learn of it.
  virtual void dispute_round(int /*before*/) {}
  /// Collectives store here how many rounds before the last one this rank left a round by an error,
  /// without having seen all of its messages.
  static constexpr int none_failed = -1;
  int failed_before = none_failed;
  /// Collectives store here, in order, the tags of the last rounds whose messages this rank has not
  /// all seen.
  std::vector<std::uint64_t> left_open;
  /// Returns the rank that sends `rank`'s messages to this one: that rank itself, or one that
  /// passes on what it has heard.
  virtual int heard_through(int rank) const noexcept { return rank; }

  /// Begins to sum these values over all ranks, in any order, if that can be faster than a round.
  /// Collective. Returns false, the same on all ranks, if it cannot.
  virtual bool begin_sum(std::span<const double>) { return false; }
  /// Returns the sum that was begun once it is complete, and nothing before.
  virtual std::span<const double> finished_sum() { return {}; }
};

}  // namespace onehop
