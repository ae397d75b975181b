#pragma once
/// How the ranks of a job reach each other before there are chains: rounds of short messages, of
/// which collectives are made. Nothing here blocks.

#include <cstddef>
#include <cstdint>
#include <span>

namespace onehop {

class bootstrap {
 public:
  virtual ~bootstrap();

  /// One rank's contribution to a round; `data` is null until it is in.
  struct posting {
    std::uint64_t tag = 0;
    const std::byte* data = nullptr;
  };
  /// The longest message that a round takes.
  virtual std::size_t round_bytes() const noexcept = 0;
  /// Collective. Enters the next round with a message for every other rank. The messages of the
  /// round before must all have been seen; they stay readable until the post after this one.
  virtual void post(std::uint64_t tag, std::span<const std::byte> message) = 0;
  /// What another rank posted to the round that this rank entered last. Acquires.
  virtual posting posted(int rank) = 0;

  /// Collective. Begins to sum these values over all ranks, in any order, where that can be quicker
  /// than a round; false, the same on all ranks, where it cannot.
  virtual bool begin_sum(std::span<const double>) { return false; }
  /// The sum that has begun, once it is there; empty before.
  virtual std::span<const double> finished_sum() { return {}; }
};

}  // namespace onehop
