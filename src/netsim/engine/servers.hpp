#pragma once
/// Servers serve the stages of the nodes: every node, or each of its ranks, has a server for each
/// unit, which one stage has alone or several share. A server serves in the order of arrival.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "netsim/engine/accounts.hpp"
#include "netsim/engine/moving_message.hpp"
#include "netsim/engine/packet.hpp"
#include "netsim/engine/packet_trace.hpp"
#include "netsim/machine/compiled_machine.hpp"

namespace onehop::netsim {

/// A translation_cache has the translations of pages that nodes remember.
/// Every translation stage of every node remembers some pages, the one used last first.
class translation_cache {
 public:
  explicit translation_cache(const compiled_machine& machine)
      : pages_per_node_(machine.pages_per_node),
        pages_(std::size_t{machine.nodes} * pages_per_node_, no_index) {}

  /// Returns how long the stage looks up the pages of `bytes` bytes from `address` on, and
  /// remembers these pages.
  picoseconds look_up(const packet_stage& stage, std::uint32_t node, std::uint64_t address,
                      std::uint32_t bytes) {
    if (stage.entries == 0) return stage.miss;
    const auto first = pages_.begin() + static_cast<std::ptrdiff_t>(
                                            std::size_t{node} * pages_per_node_ + stage.pages_at);
    const auto last = first + stage.entries;
    picoseconds cost = 0;
    const auto end = (address + std::max(bytes, 1U) - 1) / stage.page;
    for (auto page = address / stage.page; page <= end; ++page) {
      const auto wanted = short_of(page);
      auto found = std::find(first, last, wanted);
      cost += found == last ? stage.miss : stage.hit;
      if (found == last) --found;
      std::copy_backward(first, found, found + 1);
      *first = wanted;
    }
    return cost;
  }

  /// Returns what stands for a page. Windows lie 2^40 bytes apart, so that the upper half of the
  /// number tells them apart, too.
  static std::uint32_t short_of(std::uint64_t page) noexcept {
    constexpr std::uint32_t odd = 0x9e3779b1;
    return static_cast<std::uint32_t>(page) ^ static_cast<std::uint32_t>(page >> 32) * odd;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return pages_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::size_t pages_per_node_;
  big_vector<std::uint32_t> pages_;
};

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
