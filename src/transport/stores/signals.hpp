#pragma once
/// Signals are the words by which ranks tell each other of the exchanges of a chain.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "transport/base/chain_plan.hpp"
#include "transport/stores/control_block.hpp"

namespace onehop::stores {

/// Signals lie in exposed memory, one set for each index of a put or an arrival of its rank. All
/// puts from one rank to another share one set: that at the index of the first of them. Words do
/// not share lines, nor pairs of lines that a processor fetches together.
///
/// A Number is a std::atomic<std::uint64_t>, or what the model checker has in its place
/// (tests/model).
template <class Number>
struct signals_of {
  struct alignas(2 * line_bytes) word {
    Number value;
    /// In the words of an arrival of variable size these are the bytes that it has brought in the
    /// last exchange of the word's parity. They are written before the count that tells of the
    /// arrival.
    Number bytes;
  };
  /// Counts the puts that have arrived from one origin since commit; written by the origin, which
  /// fires its puts in order. With n puts per exchange, put k of exchange e is in from (e - 1) n +
  /// k + 1 on. Even exchanges have one word and odd ones the other, so that an origin can have the
  /// line of the next exchange back while its target still looks at this one's.
  std::array<word, 2> arrived;
  /// The credit is the last exchange that a target has started; written by the target.
  word credit;
};
using signals = signals_of<std::atomic<std::uint64_t>>;

/// Returns the bytes of exposed memory for the words of a plan. A part of a plan keeps the numbers
/// of the whole, so that parts on different transports may share them.
inline std::size_t signal_bytes(const chain_plan& plan) {
  int most = 0;
  for (const planned_put& put : plan.puts) most = std::max(most, put.number + 1);
  for (const planned_arrival& from : plan.arrivals) most = std::max(most, from.number + 1);
  return sizeof(signals) * static_cast<std::size_t>(most);
}

}  // namespace onehop::stores
