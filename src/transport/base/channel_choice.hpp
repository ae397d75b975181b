#pragma once
/// How endpoints move their bytes, for transports that have a choice.

#include <cstdint>
#include <string>
#include <string_view>

namespace onehop {

/// How long a round without bytes takes, from post to last posting.
struct round_time {
  double ns;
  std::uint64_t ticks;  ///< of this rank's counter, machine/ticks.hpp
};

class channel_choice {
 public:
  virtual ~channel_choice();

  /// Endpoints made from now on take these, in the words of ONEHOP_CHANNELS. Throws usage_error for
  /// words that do not fit.
  virtual void set(std::string_view words) = 0;
  /// In the same words.
  virtual std::string words() const = 0;
  /// Who or what chose them, in a few words.
  virtual std::string why() const = 0;

  /// False where the choice wants to know, at the first commit or sum of a job, how long a round
  /// takes. The same on all ranks.
  virtual bool is_autotuned() const noexcept = 0;
  /// Collective, with the same round on all ranks as far as ns are concerned.
  virtual void autotune(const round_time& round) = 0;
};

}  // namespace onehop
