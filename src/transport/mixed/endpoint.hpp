#pragma once
/// A mixed endpoint fires one chain on two transports. Each put and each arrival belongs to one of
/// them.

#include <memory>
#include <vector>

#include "transport/base/transport.hpp"

namespace onehop::mixed {

/// A whereabouts says which of the two transports has a put or an arrival, and its index there.
struct whereabouts {
  bool near;
  std::size_t index;
};

struct divided_plan {
  chain_plan near;  ///< plan of the near part, in which ranks have their numbers on this machine
  chain_plan far;
  std::vector<whereabouts> puts, arrivals;  ///< where each put and arrival of the whole plan is
};

/// Divides by whether the other side has a number in `near_ranks`, where -1 means that it has none.
divided_plan divide_plan(const chain_plan& plan, const std::vector<int>& near_ranks);

class endpoint final : public onehop::endpoint {
 public:
  /// If a part has nothing to do, it is null.
  endpoint(std::unique_ptr<onehop::endpoint> near, std::unique_ptr<onehop::endpoint> far,
           std::vector<whereabouts> puts, std::vector<whereabouts> arrivals);

  bool start(std::uint64_t exchange) override;
  bool ready(std::uint64_t exchange) override;
  bool fired(std::size_t put, std::uint64_t exchange) const override;
  bool arrived(std::size_t arrival, std::uint64_t exchange) override;
  std::uint64_t last_arrived(std::size_t arrival) const override;
  std::size_t arrived_bytes(std::size_t arrival, std::uint64_t exchange) const override;
  bool source_free(std::size_t put, std::uint64_t exchange) override;
  std::optional<bool> complete(std::uint64_t exchange) override;
  const std::byte* arrival_memory(std::size_t arrival, std::uint64_t exchange) const override;
  std::byte* packing_memory(std::size_t put, std::uint64_t exchange) override;
  bool direct(std::size_t put) const override;
  bool streaming(std::size_t put) const override;
  std::string describe(std::size_t put) const override;

 private:
  onehop::endpoint& of(const whereabouts& one) const { return one.near ? *near_ : *far_; }

  std::unique_ptr<onehop::endpoint> near_, far_;
  std::vector<whereabouts> puts_, arrivals_;
};

}  // namespace onehop::mixed
