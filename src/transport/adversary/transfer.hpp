#pragma once
/// A transfer is one put under way. Its events may come after the endpoint that fired it has gone.

#include <functional>
#include <memory>
#include <vector>

#include "transport/adversary/transport.hpp"

namespace onehop::adversary {

/// An outbox holds what an endpoint's transfers report to it; it lives as long as the endpoint.
struct outbox {
  bool alive = true;
  std::uint64_t under_way = 0;
  std::vector<std::uint64_t> free;  ///< by put, the last exchange whose source may be reused
};

class transfer : public std::enable_shared_from_this<transfer> {
 public:
  struct route {
    int origin, target;
    std::size_t put, arrival;
    std::uint64_t exchange;
    memory_id window, chain;
    std::size_t bytes;
  };

  /// `packed_in_place` means that the bytes, if any, are already at the target. `staging` is
  /// poisoned once it has been read.
  transfer(job& shared, const route& way, std::shared_ptr<outbox> origin, const local_view& source,
           std::span<std::byte> target, bool packed_in_place, std::span<std::byte> staging);

  /// Schedules all events of the transfer, or completes it at once.
  void begin();

 private:
  void cut(std::uint64_t most_pieces);
  void read(std::size_t piece);
  void deliver(std::size_t piece);
  void finish_reading();
  void notify();
  /// Runs the step after an ordinary delay, or immediately if the put is complete at once.
  void then(moment longest, void (transfer::*step)());

  job& job_;
  route way_;
  std::shared_ptr<outbox> origin_;
  local_view source_;
  std::span<std::byte> target_, staging_;
  bool in_place_, at_once_;
  std::vector<std::size_t> ends_;  ///< ends of the pieces
  std::vector<std::byte> bytes_;
  std::size_t unread_ = 0, undelivered_ = 0;
};

}  // namespace onehop::adversary
