#pragma once
/// This endpoint fires a chain's puts as inconveniently as transport/base/transport.hpp allows.

#include "transport/adversary/transfer.hpp"
#include "transport/adversary/transport.hpp"

namespace onehop::adversary {

class endpoint final : public onehop::endpoint {
 public:
  endpoint(std::shared_ptr<job> shared, chain_plan plan, int rank, memory_id window, memory_id own);
  ~endpoint() override { outbox_->alive = false; }

  bool start(std::uint64_t exchange) override;
  bool ready(std::uint64_t exchange) override;
  bool fired(std::size_t put, std::uint64_t exchange) const override {
    return outgoing_[put].fired == exchange;
  }
  bool arrived(std::size_t arrival, std::uint64_t exchange) override;
  std::uint64_t last_arrived(std::size_t arrival) const override;
  std::size_t arrived_bytes(std::size_t arrival, std::uint64_t exchange) const override {
    return side(rank_).bytes[arrival][exchange % 2];
  }
  bool source_free(std::size_t put, std::uint64_t exchange) override;
  std::byte* packing_memory(std::size_t put, std::uint64_t exchange) override;
  const std::byte* arrival_memory(std::size_t arrival, std::uint64_t exchange) const override;
  bool direct(std::size_t put) const override { return outgoing_[put].direct; }
  std::string describe(std::size_t put) const override;

 private:
  struct outgoing {
    bool direct = false;
    /// The arrival with which this put takes turns, if there is one.
    std::optional<std::size_t> back = {};
    std::array<std::vector<std::byte>, 2> staging;  ///< staging memory of a packed put, used in
                                                    ///< turn
    std::uint64_t fired = 0;
  };

  board::side& side(int rank) const {
    return job_->boards.at(own_).sides[static_cast<std::size_t>(rank)];
  }
  /// Returns where a put of `exchange` is written, and where the target reads it.
  std::span<std::byte> target_of(std::size_t put, std::uint64_t exchange) const;
  std::span<std::byte> place_of(std::size_t arrival, std::uint64_t exchange) const;
  void begin(std::uint64_t exchange);
  bool ready(std::size_t put, std::uint64_t exchange) const;
  void fire(std::size_t put, std::uint64_t exchange);

  std::shared_ptr<job> job_;
  chain_plan plan_;
  int rank_;
  memory_id window_, own_;
  std::vector<outgoing> outgoing_;
  std::vector<std::optional<std::size_t>>
      forth_;  ///< by arrival, the put with which it takes turns
  std::shared_ptr<outbox> outbox_ = std::make_shared<outbox>();
};

}  // namespace onehop::adversary
