#include <atomic>
#include <onehop/alltoall.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <utility>

#include "base/text.hpp"
#include "benchmarks/common_page.hpp"
#include "benchmarks/hand_memory.hpp"
#include "benchmarks/make.hpp"
#include "benchmarks/summed.hpp"
#include "benchmarks/touch.hpp"
#include "measure/rotation.hpp"

namespace onehop::bench {
namespace {

class chain_allreduce {
 public:
  chain_allreduce(const context& ctx, sum_order order) : ctx_(ctx), order_(order) {}
  std::string name() const { return "onehop"; }
  void sum(std::span<double> values) { allreduce_sum(ctx_, values, order_); }

 private:
  context ctx_;
  sum_order order_;
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

/// What rank `from` sends to rank `to`, or to all.
word seed_between(word step, int from, int to) {
  return seed_of(step, static_cast<std::size_t>(to), from);
}

/// Blocks that a rank sends and receives in a collective. `Carry` has sent_blocks, received_blocks,
/// carry(send, receive), and the seeds of what this rank sends as block i and must receive as it.
template <class Carry>
class carrying_contender final : public contender {
 public:
  carrying_contender(Carry carry, const cell& what)
      : carry_(std::move(carry)),
        bytes_(what.bytes()),
        check_inside_(what.check_inside),
        sent_(bytes_ * carry_.sent_blocks(), 1),
        received_(bytes_ * carry_.received_blocks(), 1) {}

  std::string name() const override { return "onehop"; }
  std::size_t bytes() const override { return bytes_; }
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n)
      if (check_inside_)
        checked_step();
      else
        carry_.carry(sent_[0], received_[0]);
  }
  void run_checked(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n) checked_step();
  }

 private:
  void checked_step() {
    ++step_;
    for (std::size_t i = 0; i < carry_.sent_blocks(); ++i)
      fill(sent_[0].subspan(bytes_ * i, bytes_), carry_.sent_seed(step_, static_cast<int>(i)));
    carry_.carry(sent_[0], received_[0]);
    for (std::size_t i = 0; i < carry_.received_blocks(); ++i)
      wrong_ += count_wrong(received_[0].subspan(bytes_ * i, bytes_),
                            carry_.received_seed(step_, static_cast<int>(i)));
  }

  Carry carry_;
  std::size_t bytes_;
  bool check_inside_;
  measure::rotation sent_, received_;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

struct carry_allgather {
  context ctx;
  std::size_t sent_blocks() const { return 1; }
  std::size_t received_blocks() const { return static_cast<std::size_t>(ctx.size()); }
  word sent_seed(word step, int) const { return seed_between(step, ctx.rank(), 0); }
  word received_seed(word step, int block) const { return seed_between(step, block, 0); }
  void carry(std::span<const std::byte> send, std::span<std::byte> receive) const {
    allgather(ctx, send, receive);
  }
};

/// Of rank 0; the others' blocks are overwritten.
struct carry_broadcast {
  context ctx;
  std::size_t sent_blocks() const { return 1; }
  std::size_t received_blocks() const { return 1; }
  word sent_seed(word step, int) const { return seed_between(step, ctx.rank(), 0); }
  word received_seed(word step, int) const { return seed_between(step, 0, 0); }
  void carry(std::span<const std::byte> send, std::span<std::byte> receive) const {
    if (ctx.rank() == 0) std::memcpy(receive.data(), send.data(), send.size());
    broadcast(ctx, receive);
  }
};

struct carry_alltoall {
  context ctx;
  alltoall chains;
  std::size_t sent_blocks() const { return static_cast<std::size_t>(ctx.size()); }
  std::size_t received_blocks() const { return static_cast<std::size_t>(ctx.size()); }
  word sent_seed(word step, int to) const { return seed_between(step, ctx.rank(), to); }
  word received_seed(word step, int from) const { return seed_between(step, from, ctx.rank()); }
  void carry(std::span<const std::byte> send, std::span<std::byte> receive) {
    chains.run(send, receive);
  }
};

template <class Carry>
std::unique_ptr<contender> make_carrying(Carry carry, const cell& what) {
  return std::make_unique<carrying_contender<Carry>>(std::move(carry), what);
}

/// Nobody leaves before all have come: each counts itself in where all can see it.
class barrier_contender final : public contender {
 public:
  explicit barrier_contender(const context& ctx)
      : ctx_(ctx), page_(ctx), came_(reinterpret_cast<std::atomic<word>*>(page_.data())) {}

  std::string name() const override { return "onehop"; }
  std::size_t bytes() const override { return 0; }
  /// Barriers that were left too early.
  std::uint64_t wrong() const override { return wrong_; }

  void run(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n) barrier(ctx_);
  }
  void run_checked(std::uint64_t steps) override {
    if (came_ == nullptr) return run(steps);
    for (std::uint64_t n = 0; n < steps; ++n) {
      ++step_;
      came_->fetch_add(1);
      barrier(ctx_);
      wrong_ += came_->load() < step_ * static_cast<word>(ctx_.size());
    }
  }

 private:
  context ctx_;
  common_page page_;
  std::atomic<word>* came_;
  word step_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace

std::unique_ptr<contender> make_allreduce(const context& ctx, const cell& what) {
  if (what.bytes() % sizeof(double) != 0)
    throw usage_error(text("allreduce sums doubles: ", what.bytes(), " bytes is no multiple of 8"));
  const sum_order order = what.fast_order ? sum_order::fast : sum_order::fixed;
  return std::make_unique<summed<chain_allreduce>>(chain_allreduce(ctx, order), ctx.rank(),
                                                   ctx.size(), what.bytes());
}

void add_hand_allreduce(contenders& list, const context& ctx, const cell& what) {
  list.push_back(std::make_unique<summed<hand_allreduce>>(hand_allreduce(ctx, what.bytes()),
                                                          ctx.rank(), ctx.size(), what.bytes()));
}

std::unique_ptr<contender> make_allgather(const context& ctx, const cell& what) {
  return make_carrying(carry_allgather{ctx}, what);
}
std::unique_ptr<contender> make_broadcast(const context& ctx, const cell& what) {
  return make_carrying(carry_broadcast{ctx}, what);
}
std::unique_ptr<contender> make_alltoall(const context& ctx, const cell& what) {
  const alltoall_schedule how = alltoall_schedule_named(what.schedule);
  return make_carrying(carry_alltoall{ctx, alltoall(ctx, what.bytes(), how)}, what);
}
std::unique_ptr<contender> make_barrier(const context& ctx) {
  return std::make_unique<barrier_contender>(ctx);
}

}  // namespace onehop::bench
