#pragma once
/// The transport of one rank of a virtual machine, and what the ranks share.

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "netsim/workload/dispatcher.hpp"
#include "netsim/workload/routes.hpp"
#include "transport/base/transport.hpp"
#include "transport/virtual/endpoint.hpp"
#include "transport/virtual/progress.hpp"
#include "transport/virtual/region.hpp"
#include "transport/virtual/rounds.hpp"

namespace onehop::virtual_machine {

/// What a job is run on.
struct machine {
  netsim::machine_description description;
  netsim::memory where = netsim::memory::host;  ///< of sources; whose processor's time counts
  std::string variant = "direct";               ///< of the protocols
  netsim::memory windows = where;
};

/// Everything behind the transports of one run.
struct job {
  /// One rank on each of the first nodes. Throws usage_error when there are fewer nodes.
  job(int ranks, machine on);

  machine what;
  netsim::dispatcher messages;
  scheduler progress;
  netsim::routes ways;
  rounds talk;
  exposed_shares memory;

  struct member {
    bool departed = false;
    /// Stopped by its deadline: the others have until theirs to say whom they wait for.
    bool stalled = false;
  };
  std::vector<member> members;
  std::string failure;  ///< empty while all is well
  std::atomic<bool> interrupted = false;
  std::string name;  ///< of the transport
  bool has_stalled = false;
  std::uint64_t looks_since_stall = 0;

  member& at(int rank) { return members[static_cast<std::size_t>(rank)]; }
  void fail(std::string why);

  chain_side& add_side(chain_plan plan, int rank, memory_id window, memory_id own);
  /// The chain is gone once every rank says so.
  void forget_side(memory_id own);

 private:
  std::map<memory_id, std::unique_ptr<chain_sides>> chains_;
  /// Chains that are gone while messages of them may be under way.
  std::vector<std::unique_ptr<chain_sides>> retired_;
};

class transport final : public onehop::transport,
                        private bootstrap,
                        private clock,
                        private failure {
 public:
  transport(std::shared_ptr<job> shared, int rank)
      : onehop::transport({rank, static_cast<int>(shared->members.size()), shared->name, true},
                          *this, *this, *this),
        clock(true),
        job_(std::move(shared)),
        rank_(rank) {}
  ~transport() override;

  const job& shared() const noexcept { return *job_; }

  memory_id expose(std::span<const std::size_t> bytes_of_rank) override;
  void withdraw(memory_id memory) noexcept override;
  std::span<std::byte> local(memory_id memory) const override {
    return job_->memory.share(memory, rank_);
  }

  std::size_t endpoint_bytes(const chain_plan&) const override { return 0; }
  std::unique_ptr<onehop::endpoint> make_endpoint(chain_plan plan, memory_id window,
                                                  memory_id own) override;

  /// The time of real devices is not that of the machine that is computed.
  device_support devices() const override { return {.takes_memory = false, .why = {}}; }

 private:
  std::size_t round_bytes() const noexcept override { return std::size_t{1} << 30; }
  void post(std::uint64_t tag, std::span<const std::byte> message) override {
    job_->talk.enter(rank_, tag, message);
  }
  posting posted(int rank) override { return job_->talk.seen(rank_, rank); }

  void poll() override;
  clock::time_point now() const noexcept override;
  bool idle(int turn, clock::time_point until) override;
  void work(const kernel_cost& cost) override;
  void probe() override;
  bool left(int rank) const noexcept override;
  void abandon(std::string_view reason) noexcept override;
  void throw_if_failed() const;

  std::shared_ptr<job> job_;
  int rank_;
};

}  // namespace onehop::virtual_machine
