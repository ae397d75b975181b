#pragma once
/// Collectives move long messages with a block_exchange. This is a put chain from every rank to
/// every other; each exchange carries a block of any size up to `most` between any two ranks.

#include <cstddef>
#include <onehop/put_chain.hpp>
#include <span>
#include <vector>

namespace onehop {

class block_exchange {
 public:
  /// The constructor is collective. `own` is a context that only this exchange uses, on the
  /// transport that the exchange serves. Throws whatever window::allocate and put_chain::commit
  /// throw.
  explicit block_exchange(const context& own);

  void set_deadline(std::chrono::nanoseconds deadline) const { own_.set_deadline(deadline); }
  /// Returns the bytes of the longest block, a multiple of the cache line.
  std::size_t most() const noexcept { return most_; }

  /// Returns the `most` bytes from which the coming exchange sends the block for another rank,
  /// aligned to a cache line. They may overlap the last block that arrived from that rank, which is
  /// no longer valid then.
  std::span<std::byte> outgoing(int rank);
  /// Sets how many bytes are sent to `rank` by every exchange until the next call.
  void set_bytes(int rank, std::size_t bytes);
  /// Copies a block to the memory from which it is sent, and sets its size.
  void send(int rank, std::span<const std::byte> block);

  /// Starts an exchange and waits until it is complete. Collective.
  void carry();

  /// Returns what the last exchange brought from another rank. It is valid until `outgoing` or
  /// `send` is called for that rank.
  std::span<const std::byte> incoming(int rank);

 private:
  struct peer {
    put_slot slot;
    notification arrival;
  };
  peer& at(int rank) { return peers_[static_cast<std::size_t>(rank)]; }

  context own_;
  std::size_t most_;
  window memory_;
  put_chain chain_;
  std::vector<peer> peers_;  ///< one per rank; this rank's own entry is not used
};

/// Returns the exchange of this context. The first call is collective and throws whatever the
/// constructor throws.
block_exchange& exchange_of(const context& ctx);

}  // namespace onehop
