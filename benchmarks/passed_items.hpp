#pragma once
/// Items are passed from even ranks to odd ranks, one after the other; the producer writes each
/// item and the consumer reads it.

#include <cstdint>
#include <string>
#include <utility>

#include "benchmarks/contender.hpp"
#include "benchmarks/touch.hpp"

namespace onehop::bench {

/// `Way` has name(), produce(number, fill), consume(number, read) and finish(), after which all
/// produced items have left; `fill` and `read` take the memory of an item. Items are counted from
/// 1.
template <class Way>
class passed_items final : public contender {
 public:
  passed_items(Way way, int rank, int ranks, std::size_t bytes)
      : way_(std::move(way)),
        produces_(rank % 2 == 0),
        consumes_(ranks == 1 || !produces_),
        producer_(ranks == 1 ? 0 : rank - 1),
        rank_(rank),
        bytes_(bytes) {}

  std::string name() const override { return way_.name(); }
  std::size_t bytes() const override { return bytes_; }
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override {
    pass(steps, [](auto item, word seed) { return read_face(item, seed); });
  }
  void run_checked(std::uint64_t steps) override {
    pass(steps, [](auto item, word seed) { return count_wrong(item, seed); });
  }

 private:
  template <class Read>
  void pass(std::uint64_t steps, Read&& read) {
    // A single rank consumes each item before it produces the next one, so that it never waits for
    // itself.
    const std::uint64_t most = produces_ && consumes_ ? 1 : steps;
    for (std::uint64_t done = 0; done < steps; done += most) {
      for (std::uint64_t n = 1; produces_ && n <= most; ++n)
        way_.produce(step_ + n,
                     [&](std::span<std::byte> item) { fill(item, seed_of(step_ + n, 0, rank_)); });
      if (produces_) way_.finish();
      for (std::uint64_t n = 1; consumes_ && n <= most; ++n)
        way_.consume(step_ + n, [&](std::span<const std::byte> item) {
          wrong_ += read(item, seed_of(step_ + n, 0, producer_));
        });
      step_ += most;
    }
  }

  Way way_;
  bool produces_, consumes_;
  int producer_, rank_;
  std::size_t bytes_;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace onehop::bench
