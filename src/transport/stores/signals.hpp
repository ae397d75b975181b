#pragma once
/// Signals are the words by which ranks inform each other about the exchanges of a chain.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "transport/base/chain_plan.hpp"
#include "transport/stores/control_block.hpp"

namespace onehop::stores {

/// Signals lie in exposed memory, one set for each index of a put or an arrival of its rank. All
/// puts from one rank to another share the set at the index of the first of them. No two words
/// share a line, or a pair of lines that a processor fetches together.
///
/// A Number is a std::atomic<std::uint64_t>, or its replacement in the model checker (tests/model).
template <class Number>
struct signals_of {
  struct alignas(2 * line_bytes) word {
    Number value;
    /// For an arrival of variable size, these are the bytes that it brought in the last exchange of
    /// the word's parity. They are written before the count that announces the arrival.
    Number bytes;
  };
  /// Counts the puts that have arrived from one origin since commit. The origin writes it and fires
  /// its puts in order. With n puts per exchange, put k of exchange e has arrived once the count is
  /// at least (e - 1) n + k + 1. Even and odd exchanges have separate words, so that an origin can
  /// fetch the line of the next exchange while its target still looks at the current one.
  std::array<word, 2> arrived;
  /// The credit is the last exchange that a target has started; written by the target.
  word credit;
};
using signals = signals_of<std::atomic<std::uint64_t>>;

/// Returns the bytes of exposed memory for the words of a plan. A part of a plan keeps the numbers
/// of the whole, so parts on different transports may share the words.
inline std::size_t signal_bytes(const chain_plan& plan) {
  int most = 0;
  for (const planned_put& put : plan.puts) most = std::max(most, put.number + 1);
  for (const planned_arrival& from : plan.arrivals) most = std::max(most, from.number + 1);
  return sizeof(signals) * static_cast<std::size_t>(most);
}

}  // namespace onehop::stores
