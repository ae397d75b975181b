#pragma once
/// What collectives move long messages with: a put chain from every rank to every other, of which
/// each exchange carries a block of any size up to `most` between any two.

#include <cstddef>
#include <onehop/put_chain.hpp>
#include <span>
#include <vector>

namespace onehop {

class block_exchange {
 public:
  /// Collective. `own` is a context of the exchange's own on the transport that it serves. Throws
  /// what window::allocate and put_chain::commit throw.
  explicit block_exchange(const context& own);

  void set_deadline(std::chrono::nanoseconds deadline) const { own_.set_deadline(deadline); }
  /// The longest block; whole cache lines.
  std::size_t most() const noexcept { return most_; }

  /// `most` bytes where the coming exchange takes the block for another rank from; aligned to a
  /// cache line.
  std::span<std::byte> outgoing(int rank);
  /// So many of them go. Until it is said anew, every exchange sends as many.
  void set_bytes(int rank, std::size_t bytes);
  /// Copies one block and says its size.
  void send(int rank, std::span<const std::byte> block);

  /// Collective. Begins an exchange and waits for its end.
  void carry();

  /// What the last exchange brought from another rank, until the next one has begun. It lies in
  /// this rank's own memory and may be overwritten.
  std::span<std::byte> incoming(int rank);

 private:
  struct peer {
    put_slot slot;
    notification arrival;
    std::byte* place[2];  ///< of its blocks, by bank
  };
  peer& at(int rank) { return peers_[static_cast<std::size_t>(rank)]; }

  context own_;
  std::size_t most_;
  window memory_;
  put_chain chain_;
  std::vector<peer> peers_;  ///< by rank; this rank's own is not used
};

/// The one of this context; the first call is collective, and throws as its constructor does.
block_exchange& exchange_of(const context& ctx);

}  // namespace onehop
