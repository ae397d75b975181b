#pragma once
/// Fires the puts of a chain as messages of a virtual machine, by the protocol that its description
/// names for their size.

#include <array>
#include <memory>
#include <vector>

#include "netsim/workload/handshake.hpp"
#include "transport/base/transport.hpp"

namespace onehop::virtual_machine {

struct job;
class chain_sides;

/// One rank's side of one chain. Outlives the endpoint that made it, for messages come late.
class chain_side {
 public:
  chain_side(job& shared, chain_sides& all, chain_plan plan, int rank, memory_id window);

  const chain_plan& plan() const noexcept { return plan_; }
  /// From here on the bank of `exchange` may be overwritten.
  void begin(std::uint64_t exchange);
  std::uint64_t begun() const noexcept { return begun_; }
  /// The target has room for this put.
  bool ready(std::size_t put, std::uint64_t exchange) const;
  void fire(std::size_t put, std::uint64_t exchange, bool first);
  std::uint64_t fired(std::size_t put) const { return puts_[put].fired; }
  bool source_free(std::size_t put, std::uint64_t exchange) const {
    return puts_[put].free == exchange;
  }
  bool arrived(std::size_t arrival, std::uint64_t exchange) const {
    return arrivals_[arrival][exchange % 2] == exchange;
  }
  std::uint64_t last_arrived(std::size_t arrival) const;
  std::size_t arrived_bytes(std::size_t arrival, std::uint64_t exchange) const {
    return arrived_bytes_[arrival][exchange % 2];
  }
  bool complete(std::uint64_t exchange) const {
    return begun_ == exchange && free_ == puts_.size() && here_[exchange % 2] == arrivals_.size();
  }
  /// The rank looks at single puts: from now on each wakes it.
  void watch() noexcept { watched_ = true; }
  const netsim::protocol& way(std::size_t put) const { return *puts_[put].way; }

  /// The put of the last odd or even exchange has left the source.
  void left(std::size_t put, unsigned parity);
  /// It is here; called at its target.
  void came(std::size_t arrival, std::uint64_t exchange, std::size_t bytes);
  /// Returns the bytes that the put sent in its last exchange of this parity.
  std::size_t sent_bytes(std::size_t put, unsigned parity) const {
    return puts_[put].sent_bytes[parity];
  }
  /// The last exchange of this parity in which the put was fired.
  std::uint64_t last_fired(std::size_t put, unsigned parity) const {
    return puts_[put].fired - (puts_[put].fired + parity) % 2;
  }

 private:
  struct outgoing {
    const netsim::protocol* way;
    std::uint64_t fired = 0, free = 0;
    std::array<std::size_t, 2> sent_bytes{};  ///< in the last even and odd exchange
  };
  struct target_credit {
    int target;
    std::uint64_t exchange = 0;  ///< the last that it said it has started
  };

  target_credit& credit_of(int target);
  void take_credit(int target);
  void wake_if_due();

  job& job_;
  chain_sides& all_;
  chain_plan plan_;
  int rank_;
  memory_id window_;
  std::uint64_t begun_ = 0;
  std::vector<outgoing> puts_;
  /// By arrival: the last odd and even exchange that is here.
  std::vector<std::array<std::uint64_t, 2>> arrivals_;
  std::vector<std::array<std::size_t, 2>> arrived_bytes_;  ///< and what it has brought
  std::vector<target_credit> credits_;                     ///< of targets whose credit is needed
  std::vector<int> creditors_;                             ///< origins that need this rank's
  std::size_t free_ = 0;  ///< puts of the exchange under way whose sources may be reused
  std::array<std::size_t, 2> here_{};  ///< arrivals of the last odd and even exchange
  bool watched_ = false;
};

/// The sides of one chain, and the handshakes between them.
class chain_sides final : public netsim::recipient {
 public:
  explicit chain_sides(job& shared);

  chain_side& add(std::unique_ptr<chain_side> side, int rank);
  chain_side& at(int rank) const { return *sides_[static_cast<std::size_t>(rank)]; }
  netsim::handshakes& carried() noexcept { return handshakes_; }
  /// Says that a rank has withdrawn the chain; true of the last one.
  bool is_last_to_go() noexcept { return ++gone_ == sides_.size(); }

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

class endpoint final : public onehop::endpoint {
 public:
  endpoint(std::shared_ptr<job> shared, chain_plan plan, int rank, memory_id window, memory_id own);

  bool start(std::uint64_t exchange) override;
  bool ready(std::uint64_t exchange) override;
  bool fired(std::size_t put, std::uint64_t exchange) const override {
    return side_.fired(put) == exchange;
  }
  bool arrived(std::size_t arrival, std::uint64_t exchange) override {
    side_.watch();
    return side_.arrived(arrival, exchange);
  }
  std::uint64_t last_arrived(std::size_t arrival) const override {
    return side_.last_arrived(arrival);
  }
  std::size_t arrived_bytes(std::size_t arrival, std::uint64_t exchange) const override {
    return side_.arrived_bytes(arrival, exchange);
  }
  bool source_free(std::size_t put, std::uint64_t exchange) override {
    side_.watch();
    return side_.source_free(put, exchange);
  }
  std::optional<bool> complete(std::uint64_t exchange) override { return side_.complete(exchange); }
  std::byte* packing_memory(std::size_t put, std::uint64_t exchange) override;
  bool direct(std::size_t put) const override;
  std::string describe(std::size_t put) const override;

 private:
  std::byte* target_of(std::size_t put, std::uint64_t exchange) const;

  std::shared_ptr<job> job_;
  chain_side& side_;
  int rank_;
  memory_id window_;
  std::vector<std::vector<std::byte>> staging_;  ///< of packed puts that may not write ahead
};

}  // namespace onehop::virtual_machine
