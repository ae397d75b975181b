#pragma once
/// Collectives move long messages with a block_exchange: a put chain from every rank to every
/// other, of which each exchange carries a block of any size up to `most` between any two.

#include <cstddef>
#include <onehop/put_chain.hpp>
#include <span>
#include <vector>

namespace onehop {

class block_exchange {
 public:
  /// The constructor is collective. `own` is a context that only this exchange uses, on the
  /// transport that it serves. Throws what window::allocate and put_chain::commit throw.
  explicit block_exchange(const context& own);

  void set_deadline(std::chrono::nanoseconds deadline) const { own_.set_deadline(deadline); }
  /// Returns the bytes of the longest block, which are whole cache lines.
  std::size_t most() const noexcept { return most_; }

  /// Returns the `most` bytes from which the coming exchange sends the block for another rank,
  /// aligned to a cache line. It may be where the last block of that rank is read, which is over
  /// then.
  std::span<std::byte> outgoing(int rank);
  /// Sets how many of the bytes for `rank` are sent, by every exchange until the next call.
  void set_bytes(int rank, std::size_t bytes);
  /// Copies one block to where it is sent from, and sets its size.
  void send(int rank, std::span<const std::byte> block);

  /// Begins an exchange and waits for its end. Collective.
  void carry();

  /// Returns what the last exchange brought from another rank, valid until `outgoing` or `send` is
  /// called for that rank.
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
  std::vector<peer> peers_;  ///< the other ranks; this rank's own entry is not used
};

/// Returns the exchange of this context; the first call is collective, and throws as its
/// constructor does.
block_exchange& exchange_of(const context& ctx);

}  // namespace onehop
