#pragma once
/// A channel_choice decides how endpoints move their bytes, on transports that have several ways.

#include <cstdint>
#include <string>
#include <string_view>

namespace onehop {

/// A round_time is the duration of a round without bytes, from the post to the last posting.
struct round_time {
  double ns;
  std::uint64_t ticks;  ///< ticks of this rank's counter, machine/ticks.hpp
};

class channel_choice {
 public:
  virtual ~channel_choice();

  /// Sets the channels of endpoints that are made from now on, in the syntax of ONEHOP_CHANNELS.
  /// Throws usage_error for text that does not fit.
  virtual void set(std::string_view words) = 0;
  /// Returns the channels in the syntax of ONEHOP_CHANNELS.
  virtual std::string words() const = 0;
  /// Tells in a few words who or what chose them.
  virtual std::string why() const = 0;

  /// Returns false if the choice needs the duration of a round, which is then measured at the first
  /// commit or sum of a job. The result is the same on all ranks.
  virtual bool is_autotuned() const noexcept = 0;
  /// Chooses by the measured duration of a round. Collective; `ns` is the same on all ranks.
  virtual void autotune(const round_time& round) = 0;
};

}  // namespace onehop
