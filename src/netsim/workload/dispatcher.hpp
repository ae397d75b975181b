#pragma once
/// The dispatcher passes on each report of the network to the receiver that requested it.

#include <cstdint>
#include <vector>

#include "netsim/engine/network.hpp"

namespace onehop::netsim {

/// A receiver must live until everything requested in its name has come.
class receiver {
 public:
  virtual ~receiver() = default;
  virtual void source_free(std::uint32_t name) = 0;
  virtual void delivered(std::uint32_t name) = 0;
  virtual void reminded(std::uint32_t name) = 0;
};

/// A dispatcher owns one machine's network, and knows the receiver of everything in progress.
class dispatcher final : public listener {
 public:
  explicit dispatcher(const machine_description& machine, queue_kind how = queue_kind::ladder)
      : network_(machine, *this, how) {}

  network& net() noexcept { return network_; }
  const network& net() const noexcept { return network_; }
  std::uint64_t under_way() const noexcept { return under_way_; }

  /// Sends a message; its token is set here. A message of a rank to itself makes no packets and
  /// takes no time.
  void send(message sent, receiver& who, std::uint32_t name);
  /// Sends a message of a rank to itself, on a path that takes time.
  void copy(message sent, receiver& who, std::uint32_t name);
  void remind(picoseconds at, receiver& who, std::uint32_t name);

  void source_free(std::uint64_t token) override;
  void delivered(std::uint64_t token) override;
  void alarm(std::uint64_t token) override;

 private:
  struct flight {
    receiver* who;
    std::uint32_t name;
    bool at_home;
    std::uint8_t news_left;
  };

  std::uint64_t enter(const flight& entry);
  void close(std::uint64_t token);

  network network_;
  growing_array<flight> flights_;
  std::vector<std::uint64_t> unused_;
  std::uint64_t under_way_ = 0;
};

}  // namespace onehop::netsim
