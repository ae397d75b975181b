#pragma once
/// These are the protocols of the transports that store into each other's memory, as programs of a
/// model, and ways to weaken them.

#include <vector>

#include "model/machine.hpp"

namespace model {

enum class weakness {
  none,
  relaxed_flag_store,
  relaxed_flag_load,
  relaxed_credit_store,
  relaxed_credit_load,
  flag_before_data,
  no_credit,
  credit_too_early,  ///< the origin goes one exchange further ahead than its credit
  credit_too_late,   ///< the origin waits for a credit of the exchange after
  bank_not_switched,
  no_wait_for_arrivals,
  told_too_early,            ///< the count says one put more than has arrived
  size_after_count,          ///< the size of a put of variable size is stored after the count
  packed_before_read,        ///< packed while arrivals are still read, of puts that take turns
  turns_on_one_side,         ///< rank 0 writes in turns where it has read, and rank 1 does not
  no_fence,                  ///< no fence between stores that bypass the caches and the count
  head_missing,              ///< rounds have one head less than they need
  place_missing,             ///< rounds have room for one message less than they need
  no_wait_for_every_message  ///< rounds do not wait for every message
};

/// A chain_model is a chain of the endpoints that the library has, in a memory of the model.
struct chain_model {
  struct edge {
    int origin, target;
  };
  int ranks;
  std::vector<edge> puts;
  int banks;
  std::uint64_t exchanges;
  bool packed = false;    ///< packed straight into the target, before start, where it may be
  bool reversed = false;  ///< odd ranks serve their targets and arrivals in the opposite order
  bool together = false;  ///< puts are so small that the count is raised once for all to a target
  bool streams = false;   ///< stores bypass the caches
  weakness broken = weakness::none;
  bool variable = false;  ///< with each put goes a word that says its size
  /// Packed puts are written and told one by one after the start, the first arrival is used in
  /// between; for two banks without credits.
  bool in_parts = false;
  /// Each put is written in even exchanges where the one that comes back is read in odd ones; for
  /// two banks without credits, and as many puts back.
  bool in_turns = false;
  bool whole = false;  ///< all arrivals are awaited at once and not one after the other

  verdict explored() const;
};

/// A round_model is collective rounds by messages: the head of each, which has its tag, and the
/// message itself in a ring. Of rounds that are left open only the message of rank 0 is read, at
/// once; the tags of the others later.
struct round_model {
  int ranks;
  std::uint64_t rounds;
  weakness broken = weakness::none;
  std::uint64_t left_open = 0;

  /// Returns how many heads a rank has, which it uses in turns.
  std::size_t heads() const { return 2 + 2 * left_open; }
  /// Returns how many messages the ring of a rank has room for.
  std::size_t places() const { return 2 + left_open; }
  verdict explored() const;
};

}  // namespace model
