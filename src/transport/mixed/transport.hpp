#pragma once
/// A mixed transport serves a job on several machines: it uses stores within each machine, and
/// another transport between them.

#include <memory>
#include <vector>

#include "transport/base/transport.hpp"
#include "transport/mixed/node.hpp"
#include "transport/stores/transport.hpp"

namespace onehop::mixed {

class transport final : public onehop::transport, private failure {
 public:
  /// `far` joins all ranks and can expose existing memory; a rank without memory passes a null
  /// address.
  transport(std::string name, std::shared_ptr<onehop::transport> far, const node& here);

  memory_id expose(std::span<const std::size_t> bytes_of_rank) override;
  void withdraw(memory_id memory) noexcept override;
  std::span<std::byte> local(memory_id memory) const override;

  std::size_t endpoint_bytes(const chain_plan& plan) const override;
  std::unique_ptr<onehop::endpoint> make_endpoint(chain_plan plan, memory_id window,
                                                  memory_id own) override;

  memory_id divide(const partition& how) override;
  std::shared_ptr<onehop::transport> join_group(memory_id divided, const partition& how) override;

  channel_choice* channels() noexcept override { return &choice_; }

  /// `near` joins the ranks of this machine, which are `ranks_here` in ascending order.
  transport(std::string name, std::shared_ptr<onehop::transport> far,
            std::shared_ptr<onehop::transport> near, std::vector<int> ranks_here);

 private:
  static constexpr int elsewhere = -1;

  /// On a single machine, rounds show the distance between its cores.
  class near_choice final : public channel_choice {
   public:
    near_choice(channel_choice& near, bool whole) : near_(near), whole_(whole) {}
    void set(std::string_view words) override { near_.set(words); }
    std::string words() const override { return near_.words(); }
    std::string why() const override { return near_.why(); }
    bool is_autotuned() const noexcept override { return !whole_ || near_.is_autotuned(); }
    void autotune(const round_time& round) override { near_.autotune(round); }

   private:
    channel_choice& near_;
    bool whole_;
  };

  void poll() override;
  void probe() override;
  void timed_out(std::string_view what) noexcept override { far_->failures().timed_out(what); }
  bool left(int rank) const noexcept override;
  void abandon(std::string_view reason) noexcept override;
  bool failed_first() const noexcept override { return far_->failures().failed_first(); }

  /// Returns whether all ranks are on one machine, so that nothing travels between machines.
  bool whole() const noexcept { return near_->size() == far_->size(); }
  int near_rank(int rank) const { return near_ranks_[static_cast<std::size_t>(rank)]; }
  partition near_part(const partition& how) const;

  /// A names object holds the ids of one memory on this transport's two transports.
  struct names {
    memory_id near, far;
    bool in_both;  ///< else this transport is whole and there is no `far`
  };

  std::shared_ptr<onehop::transport> far_;
  std::vector<int> near_ranks_;  ///< by rank: its number on this machine, or elsewhere
  std::vector<int> ranks_here_;  ///< by number on this machine
  std::shared_ptr<onehop::transport> near_;
  near_choice choice_;
  std::vector<names> by_id_;
};

}  // namespace onehop::mixed
