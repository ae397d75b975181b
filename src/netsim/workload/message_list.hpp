#pragma once
/// Messages with what each waits for: collectives, traffic patterns, anything that is known before.

#include <cstdint>
#include <vector>

#include "netsim/engine/network.hpp"

namespace onehop::netsim {

/// Message k is posted `delay[k]` after the last of `after[first_after[k] .. first_after[k+1])`, or
/// after the start if there is none. Of n messages, j stands for the delivery of message j, n + j
/// for its source being free. Tokens are overwritten by k.
struct message_list {
  std::vector<message> messages;
  std::vector<picoseconds> delay;
  std::vector<std::uint32_t> first_after;  ///< one more than messages; empty: nobody waits
  std::vector<std::uint32_t> after;
};

class message_list_run final : public listener {
 public:
  /// Throws usage_error for lists of unequal length, or a message that waits for one that is not
  /// in the list.
  message_list_run(const machine_description& machine, message_list what,
                   queue_kind how = queue_kind::ladder);

  /// Until all have been delivered. Throws usage_error when messages wait for each other in a ring.
  picoseconds run();
  [[nodiscard]] const std::vector<picoseconds>& freed() const noexcept { return freed_; }
  [[nodiscard]] const std::vector<picoseconds>& arrived() const noexcept { return arrived_; }
  [[nodiscard]] const network& net() const noexcept { return net_; }
  network& net() noexcept { return net_; }

  void source_free(std::uint64_t token) override;
  void delivered(std::uint64_t token) override;
  void alarm(std::uint64_t token) override;

 private:
  void count_waits();
  void pass(std::uint64_t what);

  message_list what_;
  network net_;
  std::vector<std::uint32_t> waits_for_;          // how many are still to come
  std::vector<std::uint32_t> first_next_, next_;  // who waits for it, numbered as in after
  std::vector<picoseconds> freed_, arrived_;
};

}  // namespace onehop::netsim
