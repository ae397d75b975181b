#pragma once
/// The steps of collectives carry blocks that every rank sends and receives. Blocks are written
/// before the step and compared after it.

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/contender.hpp"
#include "benchmarks/page_memory.hpp"
#include "benchmarks/touch.hpp"

namespace onehop::bench {

/// Returns the seed of the block that rank `from` sends to rank `to`, or to all.
inline word seed_between(word step, int from, int to) {
  return seed_of(step, static_cast<std::size_t>(to), from);
}

/// A carried_block is a block that a rank sends or receives, with its bytes.
struct carried_block {
  std::size_t bytes;
  int from, to;
};

/// carried_blocks are the blocks that one rank sends and receives in a step, in the order in which
/// they lie in memory.
struct carried_blocks {
  std::vector<carried_block> sent, received;

  static carried_blocks of_allgather(int rank, int ranks, std::size_t bytes) {
    carried_blocks blocks{{{bytes, rank, 0}}, {}};
    for (int from = 0; from < ranks; ++from) blocks.received.push_back({bytes, from, 0});
    return blocks;
  }
  /// Returns the block of rank 0's broadcast. The blocks of other ranks are overwritten.
  static carried_blocks of_broadcast(int rank, int, std::size_t bytes) {
    return {{{bytes, rank, 0}}, {{bytes, 0, 0}}};
  }
  static carried_blocks of_alltoall(int rank, int ranks, std::size_t bytes) {
    return between(rank, ranks, [bytes](int, int) { return bytes; });
  }
  /// Returns blocks of 0 to 2 `bytes` bytes, `bytes` on average.
  static carried_blocks of_alltoallv(int rank, int ranks, std::size_t bytes) {
    return between(rank, ranks, [bytes](int from, int to) -> std::size_t {
      const word drawn = (static_cast<word>(from) * 40503 + static_cast<word>(to) * 30011 + 7919) *
                         0x9e3779b97f4a7c15ULL;
      return (drawn >> 33) % (2 * bytes + 1);
    });
  }

  static std::size_t total(const std::vector<carried_block>& list) {
    return std::accumulate(list.begin(), list.end(), std::size_t{0},
                           [](std::size_t sum, const carried_block& b) { return sum + b.bytes; });
  }

 private:
  template <class Bytes>
  static carried_blocks between(int rank, int ranks, Bytes&& bytes) {
    carried_blocks blocks;
    for (int other = 0; other < ranks; ++other) {
      blocks.sent.push_back({bytes(rank, other), rank, other});
      blocks.received.push_back({bytes(other, rank), other, rank});
    }
    return blocks;
  }
};

/// `Carry` has name() and carry(send, receive), in each of which the blocks follow each other.
template <class Carry>
class carried final : public contender {
 public:
  carried(Carry carry, carried_blocks blocks, std::size_t bytes, bool check_inside = false)
      : carry_(std::move(carry)),
        blocks_(std::move(blocks)),
        bytes_(bytes),
        check_inside_(check_inside),
        sent_(carried_blocks::total(blocks_.sent)),
        received_(carried_blocks::total(blocks_.received)) {}

  std::string name() const override { return carry_.name(); }
  std::size_t bytes() const override { return bytes_; }
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n)
      if (check_inside_)
        checked_step();
      else
        carry_.carry(sent_.all(), received_.all());
  }
  void run_checked(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n) checked_step();
  }

 private:
  void checked_step() {
    ++step_;
    std::size_t offset = 0;
    for (const carried_block& one : blocks_.sent) {
      fill(sent_.all().subspan(offset, one.bytes), seed_between(step_, one.from, one.to));
      offset += one.bytes;
    }
    carry_.carry(sent_.all(), received_.all());
    offset = 0;
    for (const carried_block& one : blocks_.received) {
      wrong_ += count_wrong(received_.all().subspan(offset, one.bytes),
                            seed_between(step_, one.from, one.to));
      offset += one.bytes;
    }
  }

  Carry carry_;
  carried_blocks blocks_;
  std::size_t bytes_;
  bool check_inside_;
  page_memory sent_, received_;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace onehop::bench
