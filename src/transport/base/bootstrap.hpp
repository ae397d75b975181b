#pragma once
/// A bootstrap lets the ranks of a job reach each other before there are chains: by rounds of short
/// messages, of which collectives are made. Nothing here blocks.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace onehop {

class bootstrap {
 public:
  virtual ~bootstrap();

  /// A posting is one rank's contribution to a round; `data` is null until it is in.
  struct posting {
    std::uint64_t tag = 0;
    const std::byte* data = nullptr;
  };
  /// Returns the bytes of the longest message that all ranks should post to a round.
  virtual std::size_t round_bytes() const noexcept = 0;
  /// Returns the bytes of the longest message that a round takes.
  virtual std::size_t piece_bytes() const noexcept { return round_bytes(); }
  /// Returns whether a rank reads of a message only what it wants, in the memory of its sender;
  /// elsewhere all of it goes to every rank.
  virtual bool reads_in_place() const noexcept { return false; }
  /// Returns how many rounds a rank may leave open when it next posts a message of `bytes`: enter
  /// later ones before it has seen the tags of all others. Where more may stay open than are, it is
  /// enough to return as many as are.
  virtual std::size_t most_left_open(std::size_t /*bytes*/) const noexcept { return 0; }
  /// Enters the next round with a message for every other rank. Collective. This rank must have
  /// read the messages of all earlier rounds that it wants. It must have seen the tags of all
  /// others in them, but for those of the most_left_open() last rounds, which stay readable.
  virtual void post(std::uint64_t tag, std::span<const std::byte> message) = 0;
  /// Returns what another rank posted `before` rounds before the one that this rank entered last.
  /// Acquires.
  virtual posting posted(int rank, int before) = 0;
  /// Returns whether another rank is known to have posted the same tags as this one to all rounds
  /// up to that one, and has posted to it. They then count as seen.
  virtual bool agrees(int /*rank*/, int /*before*/) { return false; }
  /// Returns the history of a rank that posts this tag after those of another history, all of them
  /// in one number. Another tag gives another history: each step can be undone.
  static constexpr std::uint64_t history_after(std::uint64_t before, std::uint64_t tag) noexcept {
    return (std::rotl(before, 23) ^ tag) * 0x9e3779b97f4a7c15U;
  }
  /// Says that this rank alone gives a message to the round that it entered last, and does not look
  /// at the others. Returns whether one of the others may make other calls: where a rank has
  /// claimed or disputed an open round, and does not agree about it. Of two ranks that claim one
  /// round, each before it sees the other's claim, one is told by its next. A transport that leaves
  /// no round open need not know.
  virtual bool claim_round() { return false; }
  /// Says that another rank made another call in the round that was entered `before` rounds before
  /// the last, so that the ranks which claim rounds hear of it.
  virtual void dispute_round(int /*before*/) {}
  /// Collectives keep here how many rounds before the last one lies that which this rank has left
  /// by an error, without having seen all of its messages.
  static constexpr int none_failed = -1;
  int failed_before = none_failed;
  /// Collectives keep here the tags of the last rounds, in their order, of which this rank has not
  /// seen all messages.
  std::vector<std::uint64_t> left_open;
  /// Returns the rank that sends that rank's messages to this one: itself, or one that passes on
  /// what it has heard.
  virtual int heard_through(int rank) const noexcept { return rank; }

  /// Begins to sum these values over all ranks, in any order, where that can be quicker than a
  /// round. Collective. Returns false, the same on all ranks, where it cannot.
  virtual bool begin_sum(std::span<const double>) { return false; }
  /// Returns the sum that has begun once it is there, and nothing before.
  virtual std::span<const double> finished_sum() { return {}; }
};

}  // namespace onehop
