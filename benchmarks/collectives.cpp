#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <utility>

#include "base/text.hpp"
#include "benchmarks/hand_memory.hpp"
#include "benchmarks/make.hpp"
#include "benchmarks/touch.hpp"
#include "measure/rotation.hpp"

namespace onehop::bench {
namespace {

/// What rank `rank` brings as number i of step `step`: small whole numbers, whose sum over any
/// ranks is exact in any order.
double contribution(word step, std::size_t i, int rank) {
  return static_cast<double>((step + i) % 1000 + static_cast<std::size_t>(rank));
}
double expected_total(word step, std::size_t i, int ranks) {
  return ranks * contribution(step, i, 0) + ranks * (ranks - 1) / 2;
}

class chain_allreduce {
 public:
  explicit chain_allreduce(const context& ctx) : ctx_(ctx) {}
  std::string name() const { return "onehop"; }
  void sum(std::span<double> values) { allreduce_sum(ctx_, values); }

 private:
  context ctx_;
};

/// Every rank stores its numbers and the step into a place of its own at every other rank and adds
/// what it finds, in rank order. Two places in turns make acknowledgements unnecessary, for nobody
/// enters step n + 2 before all have read step n.
class hand_allreduce {
 public:
  hand_allreduce(const context& ctx, std::size_t bytes)
      : rank_(ctx.rank()),
        ranks_(ctx.size()),
        bytes_(bytes),
        stride_((bytes + sizeof(word) + 127) / 128 * 128),
        memory_(ctx, 2 * stride_ * static_cast<std::size_t>(ranks_)) {}
  std::string name() const { return "stores"; }

  void sum(std::span<double> values) {
    ++step_;
    for (int to = 0; to < ranks_; ++to) {
      std::byte* const place = place_at(to, rank_);
      std::memcpy(place, values.data(), bytes_);
      number(place).store(step_, std::memory_order_release);
    }
    for (int from = 0; from < ranks_; ++from) {
      const std::byte* const place = place_at(rank_, from);
      memory_.await(number(place_at(rank_, from)), step_);
      const auto* const theirs = reinterpret_cast<const double*>(place);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = from == 0 ? theirs[i] : values[i] + theirs[i];
    }
  }

 private:
  std::byte* place_at(int rank, int from) const {
    return memory_.of(rank) + (2 * static_cast<std::size_t>(from) + step_ % 2) * stride_;
  }
  std::atomic<word>& number(std::byte* place) const {
    return *reinterpret_cast<std::atomic<word>*>(place + bytes_);
  }

  int rank_, ranks_;
  std::size_t bytes_, stride_;
  hand_memory memory_;
  word step_ = 0;
};

template <class Reduction>
class allreduce_contender final : public contender {
 public:
  allreduce_contender(Reduction reduction, const context& ctx, const cell& what)
      : reduction_(std::move(reduction)),
        rank_(ctx.rank()),
        ranks_(ctx.size()),
        values_(what.bytes() / sizeof(double)) {}

  std::string name() const override { return reduction_.name(); }
  std::size_t bytes() const override { return values_.size() * sizeof(double); }
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n) {
      fill_values();
      reduction_.sum(values_);
      wrong_ += wrong_at(0);
    }
  }
  void run_checked(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n) {
      fill_values();
      reduction_.sum(values_);
      for (std::size_t i = 0; i < values_.size(); ++i) wrong_ += wrong_at(i);
    }
  }

 private:
  void fill_values() {
    ++step_;
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = contribution(step_, i, rank_);
  }
  std::uint64_t wrong_at(std::size_t i) const {
    return values_[i] == expected_total(step_, i, ranks_) ? 0 : sizeof(double);
  }

  Reduction reduction_;
  int rank_, ranks_;
  std::vector<double> values_;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

class allgather_contender final : public contender {
 public:
  allgather_contender(const context& ctx, const cell& what)
      : ctx_(ctx),
        bytes_(what.bytes()),
        check_inside_(what.check_inside),
        mine_(bytes_, 1),
        all_(bytes_ * static_cast<std::size_t>(ctx.size()), 1) {}

  std::string name() const override { return "onehop"; }
  std::size_t bytes() const override { return bytes_; }
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n)
      if (check_inside_)
        checked_step();
      else
        allgather(ctx_, mine_[0], all_[0]);
  }
  void run_checked(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n) checked_step();
  }

 private:
  void checked_step() {
    ++step_;
    fill(mine_[0], seed_of(step_, 0, ctx_.rank()));
    allgather(ctx_, mine_[0], all_[0]);
    for (int rank = 0; rank < ctx_.size(); ++rank)
      wrong_ += count_wrong(all_[0].subspan(bytes_ * static_cast<std::size_t>(rank), bytes_),
                            seed_of(step_, 0, rank));
  }

  context ctx_;
  std::size_t bytes_;
  bool check_inside_;
  measure::rotation mine_, all_;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace

std::unique_ptr<contender> make_allreduce(const context& ctx, const cell& what) {
  if (what.bytes() % sizeof(double) != 0)
    throw usage_error(text("allreduce sums doubles: ", what.bytes(), " bytes is no multiple of 8"));
  return std::make_unique<allreduce_contender<chain_allreduce>>(chain_allreduce(ctx), ctx, what);
}

void add_hand_allreduce(contenders& list, const context& ctx, const cell& what) {
  list.push_back(std::make_unique<allreduce_contender<hand_allreduce>>(
      hand_allreduce(ctx, what.bytes()), ctx, what));
}

std::unique_ptr<contender> make_allgather(const context& ctx, const cell& what) {
  return std::make_unique<allgather_contender>(ctx, what);
}

}  // namespace onehop::bench
