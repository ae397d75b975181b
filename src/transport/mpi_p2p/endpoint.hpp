#pragma once
/// This endpoint fires a chain as persistent messages.
///
/// A receive is posted before its message may come: that of the exchange which the rank has started
/// and, with two banks, that of the next exchange, whose bank is no longer read. If the target has
/// no receive for a put yet, the put lacks its credit or, in a symmetric exchange, the put that
/// comes back.
///
/// A put of variable size is sent as an ordinary message of its length. The receive, posted for the
/// largest size, accepts it and reports the length.
///
/// Messages from one rank to another carry one tag and are paired in the order of the chain. They
/// are therefore started in that order, one by one; MPI_Startall may choose another order.

#include <array>
#include <optional>
#include <vector>

#include "transport/base/chain_plan.hpp"
#include "transport/base/transport.hpp"
#include "transport/mpi/job.hpp"
#include "transport/mpi/requests.hpp"

namespace onehop::mpi_p2p {

/// Credits are empty messages by which targets tell their origins which exchange they have started.
/// Of all puts from one rank to another, either all need credit or none does, so one message serves
/// them.
class credits final : mpi::request_holder {
 public:
  credits(const chain_plan& plan, const mpi::job& where, int tag);
  ~credits();
  credits(const credits&) = delete;
  credits& operator=(const credits&) = delete;

  /// Tells all origins. Returns false, and is called again, while the previous message is still on
  /// its way to some of them.
  bool give(std::uint64_t exchange);
  void take_in();
  /// Returns the last exchange that `target` had started when credits were last read.
  std::uint64_t of(int target) const;

 private:
  void give_back() noexcept override;
  struct source {
    int rank;
    MPI_Request receive;
    std::uint64_t count;
  };
  struct sink {
    MPI_Request send;
    std::uint64_t count;
  };
  std::vector<source> targets_;
  std::vector<sink> origins_;
};

class endpoint final : public onehop::endpoint, mpi::request_holder {
 public:
  endpoint(const chain_plan& plan, std::span<std::byte> window, const mpi::job& where, int tag);
  ~endpoint() override;

  bool start(std::uint64_t exchange) override;
  bool ready(std::uint64_t exchange) override;
  bool fired(std::size_t put, std::uint64_t exchange) const override;
  bool arrived(std::size_t arrival, std::uint64_t exchange) override;
  std::uint64_t last_arrived(std::size_t arrival) const override { return arrived_[arrival]; }
  std::size_t arrived_bytes(std::size_t arrival, std::uint64_t) const override {
    return arrived_bytes_[arrival];
  }
  bool source_free(std::size_t put, std::uint64_t exchange) override;
  std::byte* packing_memory(std::size_t put, std::uint64_t exchange) override;
  bool direct(std::size_t) const override { return false; }
  std::string describe(std::size_t put) const override;

 private:
  void give_back() noexcept override;
  struct outgoing {
    local_view source;
    int target, number;  ///< its target, and its number among the puts of this rank
    bool needs_credit;
    std::optional<std::size_t> before;  ///< the put before it to the same target
    std::vector<std::byte> staging;     ///< memory for a source that does not lie in one piece
    const std::size_t* size = nullptr;  ///< how much a put of variable size sends now
    std::uint64_t fired = 0, sent = 0;

    bool packed() const { return source.data == nullptr; }
    const std::byte* begin() const { return staging.empty() ? source.data : staging.data(); }
  };

  void make_receives(const chain_plan& plan, std::span<std::byte> window);
  void make_sends();
  void begin(std::uint64_t exchange);
  void start_receives(std::uint64_t exchange);
  bool has_room(const outgoing& put, std::uint64_t exchange) const;
  /// Returns whether the caller holds the put back, or the previous put to the same target is still
  /// unsent, which this one must not overtake.
  bool is_held(const outgoing& put, std::uint64_t exchange) const;
  void send(std::size_t put);
  void sweep(std::uint64_t exchange);
  void note_arrivals(int count, std::uint64_t exchange);
  std::vector<MPI_Request>& receives_of(std::uint64_t exchange) {
    return receives_[(exchange - 1) % banks_];
  }

  const mpi::job& job_;
  int tag_;
  std::shared_ptr<const held_puts> held_;
  std::uint64_t banks_, begun_ = 0;
  std::vector<outgoing> puts_;
  std::vector<std::uint64_t> arrived_;                ///< by arrival, the last exchange in which it
                                                      ///< was seen
  std::array<std::vector<MPI_Request>, 2> receives_;  ///< receives by bank
  std::vector<MPI_Request> sends_;
  std::vector<int> finished_;
  std::vector<std::size_t> arrived_bytes_;
  std::vector<MPI_Status> statuses_;  ///< statuses of receives; none where all puts are of fixed
                                      ///< size
  std::size_t asked_last_ = 0;
  credits credits_;
};

}  // namespace onehop::mpi_p2p
