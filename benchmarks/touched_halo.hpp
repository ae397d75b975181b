#pragma once
/// In the halo step every byte of every face is written just before the exchange and read just
/// after it. An exchange of memory that is not touched measures nothing, because the memory stays
/// in the caches where the last exchange left it.

#include <utility>

#include "benchmarks/contender.hpp"
#include "benchmarks/ring_faces.hpp"
#include "benchmarks/touch.hpp"

namespace onehop::bench {

/// `Exchange` has: faces(), name(), describe(), sending(f) valid before start, start(), wait(),
/// received(f) valid after wait, release() after reading, and streams(), which is true if its
/// memory should be written with streaming stores. It may have begin(), called before the first
/// face is written, and written(f), called after each face. Several exchanges are used in turns.
template <class Exchange>
class touched_halo final : public contender {
 public:
  explicit touched_halo(std::vector<Exchange> exchanges) : exchanges_(std::move(exchanges)) {}

  std::string name() const override { return exchanges_.front().name(); }
  std::string describe() const override { return exchanges_.front().describe(); }
  std::size_t bytes() const override { return exchanges_.front().faces().total_bytes(); }
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override {
    for (std::uint64_t i = 0; i < steps; ++i) step(read_face);
  }
  void run_checked(std::uint64_t steps) override {
    for (std::uint64_t i = 0; i < steps; ++i) step(count_wrong);
  }

 private:
  template <class Read>
  void step(Read&& read) {
    Exchange& exchange = exchanges_[turn_];
    turn_ = turn_ + 1 == exchanges_.size() ? 0 : turn_ + 1;
    const ring_faces& faces = exchange.faces();
    ++step_;
    if constexpr (requires { exchange.begin(); }) exchange.begin();
    for (std::size_t f = 0; f < faces.count(); ++f) {
      write(exchange.sending(f), exchange.streams(), seed_of(step_, f, faces.rank));
      if constexpr (requires { exchange.written(f); }) exchange.written(f);
    }
    exchange.start();
    exchange.wait();
    for (std::size_t f = 0; f < faces.count(); ++f)
      wrong_ += read(exchange.received(f), seed_of(step_, f, faces.origin(f)));
    exchange.release();
  }

  static void write(std::span<std::byte> face, bool streams, word seed) {
    if (streams)
      fill_streaming(face, seed);
    else
      fill(face, seed);
  }

  std::vector<Exchange> exchanges_;
  std::size_t turn_ = 0;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace onehop::bench
