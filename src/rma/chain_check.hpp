#pragma once
/// Commit makes one rank's plan of a chain here from what this rank and its partners described, or
/// says what does not fit.

#include <cstdint>
#include <memory>
#include <onehop/error.hpp>
#include <string>
#include <vector>

#include "rma/arrival_layout.hpp"
#include "transport/base/chain_plan.hpp"

namespace onehop {

/// A chain_entry is one push or add_origin as it travels at commit.
struct chain_entry {
  enum class kind : std::uint64_t { put, origin };
  kind what;
  std::int64_t peer;
  std::uint64_t bytes, offset;  ///< bytes of a put, and its offset in the target's bank
  /// These say of a put: its source lies in a device's memory; it can be sent in pieces of any
  /// size; its device writes the target's window itself.
  std::uint16_t on_device, divisible, by_peer;
  std::uint16_t variable;  ///< `bytes` is the most that the put sends
  strided_layout remote;   ///< layout of a put whose bytes lie apart in the target's window
  std::uint64_t starts;    ///< length of its share of the rank's list of starts
};

/// A chain_edge is one put and, once paired, the arrival it makes; indices count within their rank.
struct chain_edge {
  int origin, target;
  int put, arrival;
  std::size_t offset, bytes;
  bool variable = false;
  std::shared_ptr<const arrival_layout> layout = {};  ///< null where the bytes lie without gaps
};

/// A chain_description is the chain as the ranks described it: element r is rank r's.
struct chain_description {
  static constexpr int everyone = -1;
  std::vector<std::vector<chain_entry>> ranks;
  std::vector<std::size_t> window_bytes;  ///< bytes of one bank, by rank
  int banks;
  std::vector<std::uint8_t>
      window_on_device;  ///< by rank, whether its window lies in a device's memory
  bool registered;
  /// The starts of the runs of each rank's puts, one put behind the other; empty without any.
  std::vector<std::vector<std::uint64_t>> starts = {};
  /// With a rank here only the lists of this rank and of its partners are there, and only puts from
  /// it and to it count; with `everyone` all do.
  int seen_by = everyone;

  bool counts(int origin, int target) const noexcept {
    return seen_by == everyone || origin == seen_by || target == seen_by;
  }
};

/// A chain_refusal says what does not fit, and how early all lists of a chain, read in order, would
/// have shown it: a rank sees but its own part, and of the refusals of all the first counts.
struct chain_refusal final : chain_error {
  chain_refusal(const std::string& message, std::uint32_t rank_among_refusals)
      : chain_error(message), order(rank_among_refusals) {}
  std::uint32_t order;
};

/// Pairs the k-th put from A to B with the k-th arrival from A at B, in order of origin and put.
/// Throws chain_refusal where one of them is not there.
std::vector<chain_edge> pair_up(const chain_description& chain);

/// Throws chain_refusal naming both sides of the first mismatch. Of what the ranks throw, that of
/// the lowest order, and of these the lowest rank's, is what a description by everyone gives.
void check_chain(const chain_description& chain);

/// Describes the chain with its puts into the landing zone: memory of two banks that is made for
/// the chain, in which each put lies without gaps and begins a cache line.
chain_description landing_of(const chain_description& chain);

/// Makes the plan of `rank` for paired puts into windows of `bank_bytes` per bank; `sources` are
/// those of its puts, in order.
chain_plan plan_edges(const std::vector<chain_edge>& edges, int banks,
                      const std::vector<std::size_t>& bank_bytes, int rank,
                      const std::vector<local_view>& sources);

/// Makes the plan of `rank` for a checked chain; `sources` are those of its puts, in order.
chain_plan plan_chain(const chain_description& chain, int rank,
                      const std::vector<local_view>& sources);

/// Returns whether any window, or any put's source, lies in a device's memory.
bool touches_devices(const chain_description& chain);

/// Puts arrive in memory of the chain, from where their targets copy them to their windows.
bool lands(const chain_description& chain);

/// Some put lists the starts of its runs.
bool has_starts(const chain_description& chain);

/// Throws usage_error naming the first put that no transport of devices' memory carries: one of
/// variable size, or one whose bytes lie apart at its target.
void refuse_on_devices(const chain_description& chain);

}  // namespace onehop
