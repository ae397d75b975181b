/// Pairs of ranks with chains between them measure latency, pingping, put, get, bandwidth and
/// bibandwidth.

#include <algorithm>
#include <onehop/error.hpp>
#include <utility>

#include "benchmarks/leg.hpp"
#include "benchmarks/make.hpp"
#include "benchmarks/pairs.hpp"

namespace onehop::bench {
namespace {

/// A phase has legs that are in flight together; the phases of a step follow each other.
using phase = std::vector<leg>;
using phases = std::vector<phase>;

class leg_contender final : public contender {
 public:
  leg_contender(std::vector<phases> turns, std::size_t bytes, bool check_inside)
      : turns_(std::move(turns)), bytes_(bytes), check_inside_(check_inside) {}

  std::string name() const override { return "onehop"; }
  std::string describe() const override { return turns_.front().front().front().describe(); }
  std::size_t bytes() const override { return bytes_; }
  int hops() const override { return static_cast<int>(turns_.front().size()); }
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override {
    if (check_inside_) return run_with(steps, read_face);
    for (std::uint64_t i = 0; i < steps; ++i)
      for (phase& legs : next_turn()) move(legs);
  }
  void run_checked(std::uint64_t steps) override { run_with(steps, count_wrong); }

 private:
  template <class Read>
  void run_with(std::uint64_t steps, Read&& read) {
    for (std::uint64_t i = 0; i < steps; ++i) {
      ++step_;
      for (phase& legs : next_turn()) {
        for (leg& one : legs) one.write(step_);
        move(legs);
        for (const leg& one : legs) wrong_ += one.wrong(step_, read);
      }
    }
  }

  phases& next_turn() {
    phases& now = turns_[turn_];
    turn_ = turn_ + 1 == turns_.size() ? 0 : turn_ + 1;
    return now;
  }
  static void move(phase& legs) {
    for (leg& one : legs) one.start();
    for (leg& one : legs) one.wait();
  }

  std::vector<phases> turns_;
  std::size_t turn_ = 0;
  std::size_t bytes_;
  bool check_inside_;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

phase make_phase(const context& ctx, const cell& what, std::size_t messages, bool sends,
                 bool receives, int banks = 2, bool packed = false) {
  const int other = partner(ctx);
  phase legs;
  for (int channel = 0; channel < what.channels; ++channel)
    legs.emplace_back(ctx, what.bytes(), what.rows, messages, sends ? other : leg::nobody,
                      receives ? other : leg::nobody, banks, packed);
  return legs;
}

/// Makes legs from the first rank of each pair to the second or, for a single rank, from the rank
/// to itself.
phase make_forth(const context& ctx, const cell& what, std::size_t messages) {
  const bool alone = ctx.size() == 1;
  return make_phase(ctx, what, messages, is_first(ctx), alone || !is_first(ctx));
}

template <class MakePhases>
std::unique_ptr<contender> make_legs(const cell& what, std::size_t messages, MakePhases&& make) {
  std::vector<phases> turns(what.turns());
  for (phases& turn : turns) make(turn);
  const std::size_t bytes = what.bytes() * messages * static_cast<std::size_t>(what.channels);
  return std::make_unique<leg_contender>(std::move(turns), bytes, what.check_inside);
}

}  // namespace

std::unique_ptr<contender> make_ping_pong(const context& ctx, const cell& what) {
  return make_legs(what, 1, [&](phases& turn) {
    turn.push_back(make_forth(ctx, what, 1));
    if (ctx.size() > 1) turn.push_back(make_phase(ctx, what, 1, !is_first(ctx), is_first(ctx)));
  });
}

std::unique_ptr<contender> make_ping_ping(const context& ctx, const cell& what) {
  if (what.packed && !what.check_inside)
    throw usage_error("packed messages are written in every step; compare them there too");
  const std::size_t messages = std::max<std::size_t>(1, what.messages);
  return make_legs(what, messages, [&](phases& turn) {
    turn.push_back(make_phase(ctx, what, messages, true, true, 2, what.packed));
  });
}

std::unique_ptr<contender> make_put(const context& ctx, const cell& what) {
  return make_legs(what, 1, [&](phases& turn) { turn.push_back(make_forth(ctx, what, 1)); });
}

/// With one bank, a put is fired when its target has started. The start is the request: the second
/// of each pair answers the first.
std::unique_ptr<contender> make_get(const context& ctx, const cell& what) {
  const bool alone = ctx.size() == 1;
  return make_legs(what, 1, [&](phases& turn) {
    turn.push_back(make_phase(ctx, what, 1, alone || !is_first(ctx), is_first(ctx), 1));
  });
}

std::unique_ptr<contender> make_stream(const context& ctx, const cell& what, bool both_ways) {
  const std::size_t messages = messages_of(what);
  return make_legs(what, both_ways ? 2 * messages : messages, [&](phases& turn) {
    turn.push_back(both_ways ? make_phase(ctx, what, messages, true, true)
                             : make_forth(ctx, what, messages));
  });
}

}  // namespace onehop::bench
