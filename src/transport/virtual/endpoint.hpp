#pragma once
/// Fires the puts of a chain as messages of a virtual machine, by the protocol that its description
/// names for their size.

#include <array>
#include <vector>

#include "rma/protocol.hpp"
#include "transport/base/transport.hpp"
#include "transport/virtual/messages.hpp"
#include "transport/virtual/routes.hpp"

namespace onehop::virtual_machine {

struct job;

/// One rank's side of one chain. Outlives the endpoint that made it, for news comes late.
class chain_side final : public addressee {
 public:
  chain_side(job& shared, chain_plan plan, int rank, memory_id window, memory_id own);

  const chain_plan& plan() const noexcept { return plan_; }
  /// From here on the bank of `exchange` may be overwritten.
  void begin(std::uint64_t exchange);
  std::uint64_t begun() const noexcept { return begun_; }
  /// The target has room for this put.
  bool ready(std::size_t put, std::uint64_t exchange) const;
  void fire(std::size_t put, std::uint64_t exchange, bool first);
  std::uint64_t fired(std::size_t put) const { return puts_[put].fired; }
  bool source_free(std::size_t put, std::uint64_t exchange) const;
  bool arrived(std::size_t arrival, std::uint64_t exchange) const {
    return arrivals_[arrival].in[exchange % 2] == exchange;
  }
  std::uint64_t last_arrived(std::size_t arrival) const;
  bool complete(std::uint64_t exchange) const {
    return begun_ == exchange && free_ == puts_.size() && here_[exchange % 2] == arrivals_.size();
  }
  /// The rank looks at single puts: from now on each wakes it.
  void watch() noexcept { watched_ = true; }
  const route& way(std::size_t put) const { return *puts_[put].way; }

  void source_free(std::uint32_t what) override;
  void delivered(std::uint32_t what) override;
  void reminded(std::uint32_t) override {}

 private:
  /// What travels; part of a message's name.
  enum class news : std::uint32_t { data, notice, request, grant };
  struct transfer {
    std::uint64_t exchange = 0;
    protocol_run run;
    std::size_t unread = 0, undelivered = 0;  ///< blocks
    bool first = false;                       ///< of its chain
  };
  struct outgoing {
    const route* way;
    std::uint64_t fired = 0, free = 0;
    std::uint64_t granted = 0;          ///< last exchange that the target is ready for
    std::array<transfer, 2> transfers;  ///< of odd and even exchanges
  };
  struct incoming {
    std::array<std::uint64_t, 2> in{};         ///< last odd and even exchange that is here
    std::array<std::uint64_t, 2> requested{};  ///< that the origin asked for
  };
  struct lane {
    int peer;
    std::uint64_t credit = 0;  ///< last exchange that it said it has started
  };

  static std::uint32_t name(news what, std::size_t index, std::uint64_t exchange) {
    return static_cast<std::uint32_t>(index) << 4 | static_cast<std::uint32_t>(what) << 1 |
           static_cast<std::uint32_t>(exchange % 2);
  }
  chain_side& side(int rank) const;
  const route& way_of_arrival(std::size_t arrival) const;
  lane& lane_to(int target);
  void stir();
  void grant(std::size_t arrival, std::uint64_t exchange);
  void take_credit(int target);
  void take_grant(std::size_t put, std::uint64_t exchange);
  void go_on(std::size_t put, transfer& now);
  std::uint64_t address_of(const planned_put& put, std::uint64_t exchange) const;
  void send_data(std::size_t put, transfer& now);
  void arrive(std::size_t put, std::uint64_t exchange);

  job& job_;
  chain_plan plan_;
  int rank_;
  memory_id window_, own_;
  std::uint64_t begun_ = 0;
  std::vector<outgoing> puts_;
  std::vector<incoming> arrivals_;
  std::vector<lane> lanes_;     ///< to targets whose credit is needed
  std::vector<int> creditors_;  ///< origins that need this rank's
  std::size_t free_ = 0;        ///< puts of the exchange under way whose sources may be reused
  std::array<std::size_t, 2> here_{};  ///< arrivals of the last odd and even exchange
  bool watched_ = false;
};

class endpoint final : public onehop::endpoint {
 public:
  endpoint(std::shared_ptr<job> shared, chain_plan plan, int rank, memory_id window, memory_id own);

  bool start(std::uint64_t exchange) override;
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
