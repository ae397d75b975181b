#pragma once
/// The transport of a job of several machines: stores within each, another transport between them.

#include <memory>
#include <vector>

#include "transport/base/transport.hpp"
#include "transport/mixed/node.hpp"
#include "transport/stores/transport.hpp"

namespace onehop::mixed {

class transport final : public onehop::transport {
 public:
  /// `between` joins all ranks and can expose memory that exists.
  transport(std::shared_ptr<onehop::transport> between, const node& here);

  int rank() const noexcept override { return far_->rank(); }
  int size() const noexcept override { return far_->size(); }
  std::string_view name() const noexcept override { return "mixed"; }
  bool crowded() const noexcept override { return far_->crowded(); }

  std::size_t round_bytes() const noexcept override { return rounds().round_bytes(); }
  void post(std::uint64_t tag, std::span<const std::byte> message) override {
    rounds().post(tag, message);
  }
  posting posted(int rank) override { return rounds().posted(rank); }

  bool begin_sum(std::span<const double> values) override { return rounds().begin_sum(values); }
  std::span<const double> finished_sum() override { return rounds().finished_sum(); }

  memory_id expose(std::span<const std::size_t> bytes_of_rank) override;
  void withdraw(memory_id memory) noexcept override;
  std::span<std::byte> local(memory_id memory) const override;

  std::size_t endpoint_bytes(const chain_plan& plan) const override;
  std::unique_ptr<onehop::endpoint> make_endpoint(chain_plan plan, memory_id window,
                                                  memory_id own) override;

  void set_channels(std::string_view words) override { near_.set_channels(words); }
  std::string channels() const override { return near_.channels(); }
  std::string channels_why() const override { return near_.channels_why(); }
  /// Rounds say how far the ranks of a machine are from each other where there is one only.
  bool settled() const noexcept override { return !whole() || near_.settled(); }
  void settle(const round_time& round) override { near_.settle(round); }

  void poll() override;
  void probe() override;
  void doubt() noexcept override { far_->doubt(); }
  bool left(int rank) const noexcept override;
  void abandon(std::string_view reason) noexcept override;
  bool failed_first() const noexcept override { return far_->failed_first(); }

 private:
  static constexpr int elsewhere = -1;

  /// On one machine nothing has to go between.
  bool whole() const noexcept { return near_.size() == far_->size(); }
  onehop::transport& rounds() noexcept {
    return whole() ? static_cast<onehop::transport&>(near_) : *far_;
  }
  const onehop::transport& rounds() const noexcept {
    return whole() ? static_cast<const onehop::transport&>(near_) : *far_;
  }
  int near_rank(int rank) const { return near_ranks_[static_cast<std::size_t>(rank)]; }

  /// The same memory as its two transports know it.
  struct names {
    memory_id near, far;
  };

  std::shared_ptr<onehop::transport> far_;
  std::vector<int> near_ranks_;  ///< by rank: its number on this machine, or elsewhere
  std::vector<int> ranks_here_;  ///< by number on this machine
  stores::transport near_;
  std::vector<names> by_id_;
};

}  // namespace onehop::mixed
