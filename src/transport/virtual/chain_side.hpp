#pragma once
/// A chain_side is what the conductor of a virtual machine does for a chain: it fires the puts as
/// messages, by the protocol that the machine's description names for their size, and tells both
/// sides of them.

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "netsim/workload/handshake.hpp"
#include "transport/base/transport.hpp"
#include "transport/virtual/chain_record.hpp"
#include "transport/virtual/request.hpp"

namespace onehop::virtual_machine {

class chain_sides;
class team;

/// A chain_side is one rank's side of one chain. It outlives the rank's own part of it, since
/// messages come late.
class chain_side {
 public:
  chain_side(team& ranks, chain_sides& all, chain_record& record, int rank);

  /// Begins the exchange that the rank's record says.
  void begin();
  void fire(const fired_put& what);
  const netsim::protocol& way(std::size_t put) const { return *puts_[put].way; }
  /// Notes that the rank has withdrawn the chain, and its record with it.
  void forget_record() noexcept { record_ = nullptr; }

  /// Notes that the put of the last odd or even exchange has left the source.
  void left(std::size_t put, unsigned parity);
  /// Notes that the put of the last odd or even exchange has reached its target.
  void came(std::size_t put, unsigned parity);

 private:
  struct outgoing {
    const netsim::protocol* way;
    std::int32_t target, arrival;
    std::uint64_t rows;
    std::uint64_t fired = 0;
    std::array<std::uint64_t, 2> sent_bytes{};  ///< bytes sent in the last even and odd exchange

    /// Returns the last exchange of this parity in which the put was fired.
    std::uint64_t last_fired(unsigned parity) const { return fired - (fired + parity) % 2; }
  };

  void note_arrival(std::size_t arrival, std::uint64_t exchange, std::uint64_t bytes);
  void take_credit(int target);

  team& team_;
  chain_sides& all_;
  chain_record* record_;
  int rank_;
  std::vector<outgoing> puts_;
  std::vector<int> creditors_;  ///< origins that need this rank's credit
};

/// chain_sides are the sides of one chain, and the handshakes between them.
class chain_sides final : public netsim::recipient {
 public:
  explicit chain_sides(team& ranks);

  void add(std::unique_ptr<chain_side> side, int rank);
  chain_side& at(int rank) const { return *sides_[static_cast<std::size_t>(rank)]; }
  netsim::handshakes& carried() noexcept { return handshakes_; }
  /// The memory of the rank's record is no longer there.
  void forget_record(int rank) noexcept {
    if (const auto& side = sides_[static_cast<std::size_t>(rank)]) side->forget_record();
  }
  /// The rank has withdrawn the chain; true of the last one.
  bool is_last_to_go(int rank) noexcept;

  static std::uint64_t key_of(int origin, std::size_t put, std::uint64_t exchange) {
    return static_cast<std::uint64_t>(origin) << 32 | put << 1 | exchange % 2;
  }
  void left(std::uint64_t key) override;
  void came(std::uint64_t key) override;

 private:
  netsim::handshakes handshakes_;
  std::vector<std::unique_ptr<chain_side>> sides_;
  std::size_t gone_ = 0;
};

}  // namespace onehop::virtual_machine
