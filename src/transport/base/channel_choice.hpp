#pragma once
/// A channel_choice decides how endpoints move their bytes, on transports that have several ways.

#include <cstdint>
#include <string>
#include <string_view>

namespace onehop {

/// A round_time is how long a round without bytes takes, from post to last posting.
struct round_time {
  double ns;
  std::uint64_t ticks;  ///< ticks of this rank's counter, machine/ticks.hpp
};

class channel_choice {
 public:
  virtual ~channel_choice();

  /// Sets the channels of endpoints that are made from now on, in the words of ONEHOP_CHANNELS.
  /// Throws usage_error for words that do not fit.
  virtual void set(std::string_view words) = 0;
  /// Returns the channels in the words of ONEHOP_CHANNELS.
  virtual std::string words() const = 0;
  /// Says in a few words who or what chose them.
  virtual std::string why() const = 0;

  /// Returns false where the choice needs to know, at the first commit or sum of a job, how long a
  /// round takes. The same on all ranks.
  virtual bool is_autotuned() const noexcept = 0;
  /// Chooses by the measured time of a round. Collective; ns are the same on all ranks.
  virtual void autotune(const round_time& round) = 0;
};

}  // namespace onehop
