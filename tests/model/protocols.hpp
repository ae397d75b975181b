#pragma once
/// The protocols of the transports that store into each other's memory, as programs of a model, and
/// ways to weaken them.

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
  credit_too_early,  ///< the origin goes ahead by one exchange more than it was given
  credit_too_late,   ///< the origin wants a credit for the exchange after
  bank_not_switched,
  packed_before_credit,  ///< where a packed put waits for its credit first
  no_wait_for_arrivals,
  told_too_early,            ///< the count says one put more than is there
  size_after_count,          ///< of puts of variable size
  no_fence,                  ///< between stores that pass the caches and the count
  one_slot,                  ///< of rounds
  no_wait_for_every_message  ///< of rounds
};

struct chain_model {
  struct edge {
    int origin, target;
  };
  int ranks;
  std::vector<edge> puts;
  int banks;
  int exchanges;
  bool packed = false;    ///< straight into the target, before start
  bool reversed = false;  ///< odd ranks serve their targets and arrivals in the opposite order
  bool together = false;  ///< the count is raised once for all puts to a target
  bool streams = false;   ///< stores that pass the caches
  weakness broken = weakness::none;
  bool variable = false;    ///< with each put goes a word that says its size
  bool when_ready = false;  ///< packed puts that need a credit wait for it and are packed in place

  system_model programs() const;
};

/// Collective rounds through two message slots per rank.
struct round_model {
  int ranks;
  int rounds;
  weakness broken = weakness::none;

  system_model programs() const;
};

}  // namespace model
