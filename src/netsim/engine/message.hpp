#pragma once
/// A message is posted on a network, and a listener is told about it.

#include <cstdint>

namespace onehop::netsim {

/// A message is one transfer of contiguous or strided bytes. A message of 0 bytes travels as one
/// empty packet. A message from a node to itself, on a path without per-packet stages, makes no
/// packets.
struct message {
  std::uint32_t origin = 0;
  std::uint32_t target = 0;
  /// The ranks that send and receive it, as numbers within their nodes, below machine_description's
  /// largest number of ranks per node.
  std::uint16_t origin_slot = 0, target_slot = 0;
  std::uint64_t bytes = 0;
  std::uint32_t path = 0;      ///< index in machine_description::paths
  std::uint32_t pieces = 1;    ///< number of rows of a strided source
  bool first_of_chain = true;  ///< pays the software cost per chain
  std::uint64_t address = 0;   ///< address at the target, for translation
  std::uint64_t token = 0;     ///< the caller's own number
};

/// A listener is called from inside network::run_one at time now(). It may post messages and set
/// alarms.
class listener {
 public:
  virtual ~listener() = default;
  /// Reports that the message's bytes have been read, so its buffer may be overwritten.
  virtual void source_free(std::uint64_t token) = 0;
  /// Reports that the last stage of the target is done.
  virtual void delivered(std::uint64_t token) = 0;
  virtual void alarm(std::uint64_t token) = 0;
};

}  // namespace onehop::netsim
