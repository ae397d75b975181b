#pragma once
/// Only here is decided which channel and which patience a rank's endpoints and messages use. The
/// user's choice comes first, then the table for the measured round, then the table for cores that
/// are near.

#include "transport/base/channel_choice.hpp"
#include "transport/stores/channel.hpp"
#include "transport/stores/first_look.hpp"

namespace onehop::stores {

class measured_choice final : public channel_choice {
 public:
  measured_choice(int ranks, bool crowded) : ranks_(ranks), crowded_(crowded) {}

  void set(std::string_view words) override;
  std::string words() const override { return table_.words(); }
  std::string why() const override { return why_; }
  bool is_autotuned() const noexcept override { return autotuned_ || ranks_ == 1; }
  void autotune(const round_time& round) override;

  const channel_table& table() const noexcept { return table_; }
  /// Returns whether the cores were measured to share no cache.
  bool cores_are_far() const noexcept { return far_; }
  /// Returns how long a rank waits before it first looks at a message of a round.
  first_look& at_messages() noexcept { return at_messages_; }
  /// Returns how long a rank waits before it first looks at the flag of a chain.
  const first_look& at_flags() const noexcept { return at_flags_; }

 private:
  int ranks_;
  bool crowded_;
  channel_table table_;
  std::string why_ = "the built-in table for cores that are near, as long as nothing else is known";
  bool chosen_by_user_ = false, autotuned_ = false, far_ = false;
  first_look at_messages_, at_flags_;
};

}  // namespace onehop::stores
