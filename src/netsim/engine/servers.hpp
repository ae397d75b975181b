#pragma once
/// Servers serve the stages of the nodes: every node, or each of its ranks, has one server per
/// unit. A unit belongs to one stage or is shared by several. A server serves in order of arrival.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "netsim/engine/accounts.hpp"
#include "netsim/engine/moving_message.hpp"
#include "netsim/engine/packet.hpp"
#include "netsim/engine/packet_trace.hpp"
#include "netsim/machine/compiled_machine.hpp"

namespace onehop::netsim {

/// A translation_cache holds the page translations that nodes remember. Every translation stage of
/// every node remembers the most recently used pages.
class translation_cache {
 public:
  explicit translation_cache(const compiled_machine& machine)
      : pages_per_node_(machine.pages_per_node),
        pages_(std::size_t{machine.nodes} * pages_per_node_, no_index) {}

  /// Returns how long the stage takes to look up the pages of `bytes` bytes from `address` on, and
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

  /// Returns a short number for a page. Windows lie 2^40 bytes apart, so the upper half of the page
  /// number distinguishes them and is used too.
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

  /// Returns the server of a rank, or of the whole node if its ranks share it.
  server& at(std::uint32_t node, std::uint32_t stage, std::uint32_t slot = 0) {
    const auto& what = machine_.stages[stage];
    const auto owner = node * machine_.ranks_per_node + (what.of_rank ? slot : 0);
    return all_[owner * machine_.unit_names.size() + what.unit];
  }
  /// Serves a message as a whole. Returns when the service ends.
  picoseconds serve_whole(std::uint32_t stage, const moving_message& one, picoseconds came);
  /// Serves a packet; if the head arrives before its data, the server stays busy until they come.
  flow serve(std::uint32_t stage, std::uint32_t node, flow in, std::uint32_t bytes,
             std::uint64_t address, std::uint64_t token);
  /// Records in the accounts that the stage served what arrived at `arrival`, from the head to the
  /// tail of `served`.
  void note(std::uint32_t stage, std::uint32_t node, flow served, picoseconds arrival,
            std::uint64_t token);

  /// Returns the accounts at `now`, without the work that servers have still to do.
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
  big_vector<server> all_;  // by node, rank within it and unit
  std::vector<stage_sum> sums_;
};

}  // namespace onehop::netsim
