#pragma once
/// Servers serve the stages of the nodes: every node, or each of its ranks, has a server for each
/// unit, which one stage has alone or several share. A server serves in the order of arrival.

#include <cstdint>
#include <vector>

#include "netsim/engine/accounts.hpp"
#include "netsim/engine/moving_message.hpp"
#include "netsim/engine/packet.hpp"
#include "netsim/engine/packet_trace.hpp"
#include "netsim/engine/translation_cache.hpp"

namespace onehop::netsim {

class servers {
 public:
  struct server {
    picoseconds free = 0;
    picoseconds busy = 0;
  };

  servers(const compiled_machine& machine, packet_trace& trace);

  /// Returns the server of a rank of the node, or of all of them where they share it.
  server& at(std::uint32_t node, std::uint32_t stage, std::uint32_t slot = 0) {
    const auto& what = machine_.stages[stage];
    const auto owner = node * machine_.ranks_per_node + (what.of_rank ? slot : 0);
    return all_[owner * machine_.unit_names.size() + what.unit];
  }
  /// Serves a message as a whole. Returns when it is done.
  picoseconds serve_whole(std::uint32_t stage, const moving_message& one, picoseconds came);
  /// Serves a packet; a head that comes before its data keeps the server for them.
  flow serve(std::uint32_t stage, std::uint32_t node, flow in, std::uint32_t bytes,
             std::uint64_t address, std::uint64_t token);
  /// Enters in the accounts that the stage served what came at `arrival`, from the head to the tail
  /// of `served`.
  void note(std::uint32_t stage, std::uint32_t node, flow served, picoseconds arrival,
            std::uint64_t token);

  /// Returns the accounts at `now`, without what servers have still to do.
  [[nodiscard]] std::vector<stage_account> accounts(picoseconds now) const;
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return all_.capacity() * sizeof(server) + translations_.memory_bytes();
  }

 private:
  struct stage_sum {
    std::uint64_t served = 0;
    picoseconds busy = 0, waited = 0, longest_wait = 0;
  };

  const compiled_machine& machine_;
  packet_trace& trace_;
  translation_cache translations_;
  big_vector<server> all_;  // by node, rank of it and unit
  std::vector<stage_sum> sums_;
};

}  // namespace onehop::netsim
