#pragma once
/// This transport serves one rank of a virtual machine.

#include <algorithm>
#include <memory>
#include <string>

#include "transport/base/transport.hpp"
#include "transport/virtual/chain_record.hpp"
#include "transport/virtual/conductor.hpp"

namespace onehop::virtual_machine {

class transport final : public onehop::transport,
                        private bootstrap,
                        private clock,
                        private failure {
 public:
  transport(std::shared_ptr<conductor> machine, int rank)
      : onehop::transport({rank, machine->size(), machine->name(), true}, *this, *this, *this),
        clock(true),
        machine_(std::move(machine)),
        rank_(rank) {}
  ~transport() override;

  const conductor& machine() const noexcept { return *machine_; }

  memory_id expose(std::span<const std::size_t> bytes_of_rank) override {
    return machine_->expose(rank_, bytes_of_rank);
  }
  void withdraw(memory_id memory) noexcept override { machine_->withdraw(rank_, memory); }
  std::span<std::byte> local(memory_id memory) const override {
    return machine_->share(memory, rank_);
  }

  std::size_t endpoint_bytes(const chain_plan& plan) const override {
    return chain_record::bytes_for(plan);
  }
  std::unique_ptr<onehop::endpoint> make_endpoint(chain_plan plan, memory_id window,
                                                  memory_id own) override;

  memory_id divide(const partition& how) override { return machine_->divide(rank_, how); }
  std::shared_ptr<onehop::transport> join_group(memory_id divided, const partition& how) override {
    return std::make_shared<transport>(machine_->join_group(rank_, divided, how),
                                       how.number_of(rank_));
  }

  std::unique_ptr<mail> open_mail() override { return machine_->open_mail(rank_); }
  void free_rounds(bool are_free) noexcept override { rounds_are_free_ = are_free; }
  std::optional<std::uint64_t> least_granted_bytes() const override {
    return machine_->least_granted_bytes();
  }
  std::optional<int> node_of(int rank) const override { return machine_->node_of(rank); }

  /// The time of real devices is not that of the machine that is computed.
  device_support devices() const override { return {.takes_memory = false, .why = {}}; }

 private:
  std::size_t round_bytes() const noexcept override { return machine_->round_bytes(); }
  void post(std::uint64_t tag, std::span<const std::byte> message) override;
  posting posted(int rank, int) override { return machine_->posted(rank_, rank); }

  void poll() override;
  clock::time_point now() const noexcept override;
  const char* second() const noexcept override { return "s of virtual time"; }
  bool idle(int turn, clock::time_point until) override;
  /// A look costs every waiting rank a turn, so they get rarer and rarer: where nothing is under
  /// way, a few pass before the deadline.
  clock::duration look_interval(clock::duration waited) const noexcept override {
    return std::max(waited, clock::look_interval(waited));
  }
  void work(const kernel_cost& cost) override;
  void probe() override { machine_->throw_if_failed(); }
  bool left(int rank) const noexcept override { return machine_->left(rank); }
  void abandon(std::string_view reason) noexcept override { machine_->abandon(rank_, reason); }
  void timed_out(std::string_view what) noexcept override { machine_->timed_out(rank_, what); }

  std::shared_ptr<conductor> machine_;
  int rank_;
  bool rounds_are_free_ = false;
  int looks_ = 0;  ///< looks since the rank last waited
};

}  // namespace onehop::virtual_machine
