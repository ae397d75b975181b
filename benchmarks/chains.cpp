/// Pairs of ranks with chains between them measure latency, pingping, put, get, bandwidth and
/// bibandwidth.

#include <algorithm>
#include <cstddef>
#include <onehop/error.hpp>
#include <onehop/put_chain.hpp>
#include <utility>

#include "benchmarks/make.hpp"
#include "benchmarks/pairs.hpp"
#include "benchmarks/touch.hpp"
#include "measure/rotation.hpp"

namespace onehop::bench {
namespace {

constexpr int nobody = -1;

/// A leg is one chain that sends `messages` messages to a rank, receives as many from one, or both.
/// Packed ones are written where the chain wants them and have no source to be copied from.
class leg {
 public:
  leg(const context& ctx, std::size_t bytes, std::size_t rows, std::size_t messages, int to,
      int from, int banks, bool packed)
      : rank_(ctx.rank()),
        from_(from),
        rows_(rows),
        packed_(packed && to != nobody),
        source_(rows_ > 1 ? 2 * bytes : bytes, messages * stride(2 * bytes), messages),
        message_(rows_ > 1 ? bytes : 0),
        window_(window::allocate(ctx, messages * stride(bytes), banks)),
        chain_(ctx, window_) {
    for (std::size_t m = 0; m < messages; ++m) {
      if (to != nobody) slots_.push_back(chain_.push(describe_put(bytes, m, to)));
      if (from != nobody) arrivals_.push_back(chain_.add_origin(from));
    }
    chain_.commit();
    streams_ = packed_ && chain_.streaming(slots_.front());
  }

  void start() { chain_.start(); }
  void wait() { chain_.wait(); }
  std::string describe() const { return chain_.describe(); }
  void write(word step) {
    for (std::size_t m = 0; m < slots_.size(); ++m) {
      const word seed = seed_of(step, m, rank_);
      if (rows_ > 1) {
        fill(message_, seed);
        spread(m);
        continue;
      }
      const std::span<std::byte> place = packed_ ? chain_.target_view(slots_[m]) : source_[m];
      streams_ ? fill_streaming(place, seed) : fill(place, seed);
    }
  }
  template <class Read>
  std::uint64_t wrong(word step, Read&& read) const {
    std::uint64_t count = 0;
    for (std::size_t m = 0; m < arrivals_.size(); ++m)
      count += read(chain_.arrived(arrivals_[m]), seed_of(step, m, from_));
    return count;
  }

 private:
  /// Messages do not share lines or places in a page, as the faces of ring_faces.
  static std::size_t stride(std::size_t bytes) { return (bytes + 127) / 128 * 128 + 128; }

  put describe_put(std::size_t bytes, std::size_t m, int to) {
    const std::size_t offset = m * stride(bytes);
    if (packed_) return put::packed(bytes, to, offset);
    if (rows_ > 1) {
      const std::size_t row = bytes / rows_;
      return {{source_[m].data(), row, rows_, static_cast<std::ptrdiff_t>(2 * row)}, to, offset};
    }
    return {local_view::contiguous(source_[m]), to, offset};
  }
  /// The rows of a message lie a row's length apart in its source.
  void spread(std::size_t m) {
    const std::size_t row = message_.size() / rows_;
    for (std::size_t r = 0; r < rows_; ++r)
      std::ranges::copy(std::span(message_).subspan(r * row, row),
                        source_[m].begin() + static_cast<std::ptrdiff_t>(2 * r * row));
  }

  int rank_, from_;
  std::size_t rows_;
  bool packed_, streams_ = false;
  measure::rotation source_;
  std::vector<std::byte> message_;
  window window_;
  put_chain chain_;
  std::vector<put_slot> slots_;
  std::vector<notification> arrivals_;
};

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
    legs.emplace_back(ctx, what.bytes(), what.rows, messages, sends ? other : nobody,
                      receives ? other : nobody, banks, packed);
  return legs;
}

/// Makes legs from the first of each pair to the second, or, alone, from the rank to itself.
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

/// Into one bank a put is fired when its target has started, which is the request: the second of
/// each pair answers the first.
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
