#pragma once
/// The words by which ranks tell each other of the exchanges of a chain.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "transport/base/chain_plan.hpp"
#include "transport/stores/control_block.hpp"

namespace onehop::stores {

/// Lies in exposed memory, one for each index of a put or an arrival of its rank. All puts from one
/// rank to another share one set of words: those at the index of the first of them. Words keep off
/// each other's lines, and off the line that comes along with another's.
struct signals {
  struct alignas(2 * line_bytes) word {
    std::atomic<std::uint64_t> value;
    /// In the words of an arrival of variable size: what it has brought in the last exchange of the
    /// word's parity. Written before the count that tells of the arrival.
    std::atomic<std::uint64_t> bytes;
  };
  /// Puts that have arrived from one origin since commit; written by the origin, which fires its
  /// puts in order. With n puts per exchange, put k of exchange e is in from (e - 1) n + k + 1 on.
  /// Even exchanges have one word and odd ones the other, so that an origin can have the line of
  /// the next back while its target still looks at this one's.
  std::array<word, 2> arrived;
  /// The last exchange that a target has started; written by the target.
  word credit;
};

/// Bytes of exposed memory for the words of a plan. A part of a plan keeps the numbers of the
/// whole, so that parts on different transports may share them.
inline std::size_t signal_bytes(const chain_plan& plan) {
  int most = 0;
  for (const planned_put& put : plan.puts) most = std::max(most, put.number + 1);
  for (const planned_arrival& from : plan.arrivals) most = std::max(most, from.number + 1);
  return sizeof(signals) * static_cast<std::size_t>(most);
}

}  // namespace onehop::stores
