#pragma once
/// An endpoint of a chain in which memory of devices takes part.

#include "transport/base/transport.hpp"

namespace onehop {

class device_runner : public endpoint {
 public:
  /// Memory of a device takes part at this rank.
  virtual bool on_device() const noexcept = 0;
  /// What start enqueues comes after what `stream`, of the device's context, holds now.
  virtual void follow(void* stream) = 0;
  /// All of an arrival has come to the host; what is missing is up to this rank's device.
  virtual bool has_come(std::size_t arrival) const = 0;
  /// The stream waits for the exchange, and the host for nothing.
  virtual bool on_stream() const noexcept { return false; }
  /// Everything of this exchange has been asked for.
  virtual void ended() {}
  /// The stream has passed all that had been asked of it at the last `ended`.
  virtual bool passed() { return true; }
  /// What keeps the stream, by rank.
  virtual std::vector<std::pair<int, std::string>> keeping() { return {}; }
  /// Lets the stream go on, whatever it waits for; nothing that arrives is of use any more.
  virtual void let_go() noexcept {}
};

}  // namespace onehop
