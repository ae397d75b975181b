#pragma once
/// The packet dispatcher of a virtual machine carries the packets of its ranks: it has each as a
/// message of the machine under way, and keeps it until the target takes it.

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "netsim/workload/handshake.hpp"
#include "transport/base/modelled_message.hpp"
#include "transport/virtual/job.hpp"

namespace onehop::virtual_machine {

class packet_dispatcher final : public netsim::recipient {
 public:
  /// A rank has no room for more once so many bytes that it sent were not taken.
  static constexpr std::size_t most_bytes_of_rank = std::size_t{4} << 20;

  struct packet {
    int from, to;
    std::vector<std::byte> bytes;
    bool here = false;
  };

  explicit packet_dispatcher(job& shared);

  void send(int from, int to, std::span<const std::byte> head, std::span<const std::byte> body,
            const modelled_message& stands_for);
  /// Returns the packet that the rank is to take next; null where none has come.
  const packet* next(int rank) const;
  /// The rank takes that packet.
  void take(int rank);

  /// Returns the bytes that the rank has sent and no rank has taken.
  std::size_t under_way(int rank) const { return at(rank).under_way; }
  /// Wakes the rank once no more than `bytes` of it are under way.
  void wake_below(int rank, std::size_t bytes);

  void left(std::uint64_t) override {}
  void came(std::uint64_t key) override;

 private:
  struct box {
    std::deque<std::unique_ptr<packet>> come;
    std::size_t under_way = 0;
    std::size_t wakes_below = never_below;
  };
  static constexpr std::size_t never_below = ~std::size_t{0};

  box& at(int rank) { return boxes_[static_cast<std::size_t>(rank)]; }
  const box& at(int rank) const { return boxes_[static_cast<std::size_t>(rank)]; }
  void wake_if_below(int rank);
  std::uint64_t key_of(packet* one);
  netsim::parcel parcel_of(const packet& one, const modelled_message& stands_for);
  const netsim::protocol& alone(modelled_message::part what, const netsim::protocol& way);

  job& job_;
  netsim::handshakes handshakes_;
  std::vector<box> boxes_;
  /// By origin and target, what a rank has sent to another that has not come or that something
  /// sent before has not come.
  std::unordered_map<std::uint64_t, std::deque<std::unique_ptr<packet>>> under_way_;
  std::vector<packet*> by_key_;
  std::vector<std::uint64_t> unused_keys_;
  std::map<std::pair<modelled_message::part, const netsim::protocol*>, netsim::protocol> alone_;
};

}  // namespace onehop::virtual_machine
