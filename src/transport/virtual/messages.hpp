#pragma once
/// Who is told what has become of a message or of a moment.

#include <cstdint>
#include <vector>

#include "netsim/network.hpp"

namespace onehop::virtual_machine {

using netsim::picoseconds;

/// Lives until everything that was asked for in its name has come.
class addressee {
 public:
  virtual ~addressee() = default;
  virtual void source_free(std::uint32_t what) = 0;
  virtual void delivered(std::uint32_t what) = 0;
  virtual void reminded(std::uint32_t what) = 0;
};

/// One machine's network, with the addressee of everything that is under way.
class post_office final : public netsim::listener {
 public:
  explicit post_office(const netsim::machine_description& machine) : network_(machine, *this) {}

  netsim::network& network() noexcept { return network_; }
  const netsim::network& network() const noexcept { return network_; }
  std::uint64_t under_way() const noexcept { return under_way_; }

  /// `message` without a token. A message of a node to itself stays at home and takes no time.
  void send(netsim::message message, addressee& who, std::uint32_t what);
  /// A message of a node to itself, by a path that takes time.
  void copy(netsim::message message, addressee& who, std::uint32_t what);
  void remind(picoseconds at, addressee& who, std::uint32_t what);

  void source_free(std::uint64_t token) override;
  void delivered(std::uint64_t token) override;
  void alarm(std::uint64_t token) override;

 private:
  struct flight {
    addressee* who;
    std::uint32_t what;
    bool at_home;
    std::uint8_t news_left;
  };

  std::uint64_t enter(const flight& entry);
  void close(std::uint64_t token);

  netsim::network network_;
  std::vector<flight> flights_;
  std::vector<std::uint64_t> unused_;
  std::uint64_t under_way_ = 0;
};

}  // namespace onehop::virtual_machine
