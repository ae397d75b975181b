#include <atomic>
#include <onehop/alltoall.hpp>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <utility>

#include "base/text.hpp"
#include "benchmarks/carried.hpp"
#include "benchmarks/common_page.hpp"
#include "benchmarks/hand_memory.hpp"
#include "benchmarks/make.hpp"
#include "benchmarks/summed.hpp"

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

/// In a hand_allreduce every rank stores its numbers and the step into its own place at every other
/// rank and adds the numbers that it finds, in rank order. Two places in turns make
/// acknowledgements unnecessary, because no rank begins step n + 2 before all have read step n.
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

struct carry_allgather {
  context ctx;
  std::string name() const { return "onehop"; }
  void carry(std::span<const std::byte> send, std::span<std::byte> receive) const {
    allgather(ctx, send, receive);
  }
};

struct carry_broadcast {
  context ctx;
  std::string name() const { return "onehop"; }
  void carry(std::span<const std::byte> send, std::span<std::byte> receive) const {
    if (ctx.rank() == 0) std::memcpy(receive.data(), send.data(), send.size());
    broadcast(ctx, receive);
  }
};

struct carry_alltoall {
  alltoall chains;
  std::string name() const { return "onehop"; }
  void carry(std::span<const std::byte> send, std::span<std::byte> receive) {
    chains.run(send, receive);
  }
};

/// In this alltoallv the receivers learn the sizes as the blocks arrive.
class carry_alltoallv {
 public:
  carry_alltoallv(const context& ctx, const carried_blocks& blocks) : ctx_(ctx) {
    for (const carried_block& one : blocks.sent) sent_bytes_.push_back(one.bytes);
    std::size_t offset = 0;
    for (const carried_block& one : blocks.received) {
      offsets_.push_back(offset);
      offset += one.bytes;
    }
    send_.resize(sent_bytes_.size());
  }
  std::string name() const { return "onehop"; }
  void carry(std::span<const std::byte> send, std::span<std::byte> receive) {
    std::size_t offset = 0;
    for (std::size_t to = 0; to < send_.size(); offset += sent_bytes_[to++])
      send_[to] = send.subspan(offset, sent_bytes_[to]);
    alltoallv(ctx_, send_, [&](int origin, std::size_t bytes) {
      return receive.subspan(offsets_[static_cast<std::size_t>(origin)], bytes);
    });
  }

 private:
  context ctx_;
  std::vector<std::size_t> sent_bytes_, offsets_;
  std::vector<std::span<const std::byte>> send_;
};

struct chain_reduce_scatter {
  context ctx;
  std::string name() const { return "onehop"; }
  void sum(std::span<const double> all, std::span<double> mine) const {
    reduce_scatter(ctx, all, mine);
  }
};

template <class Carry>
std::unique_ptr<contender> make_carried(Carry carry, carried_blocks blocks, const cell& what) {
  return std::make_unique<carried<Carry>>(std::move(carry), std::move(blocks), what.bytes(),
                                          what.check_inside);
}

void require_doubles(const cell& what) {
  if (what.bytes() % sizeof(double) != 0)
    throw usage_error(
        text(what.pattern, " sums doubles: ", what.bytes(), " bytes is not a multiple of 8"));
}

/// A barrier is checked by a count: each rank increments it on arrival in memory that all can see,
/// and no rank may leave before all have arrived.
class barrier_contender final : public contender {
 public:
  explicit barrier_contender(const context& ctx)
      : ctx_(ctx), page_(ctx), came_(reinterpret_cast<std::atomic<word>*>(page_.data())) {}

  std::string name() const override { return "onehop"; }
  std::size_t bytes() const override { return 0; }
  /// Returns the number of barriers that a rank left too early.
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
  require_doubles(what);
  const sum_order order = what.fast_order ? sum_order::fast : sum_order::fixed;
  return std::make_unique<summed<chain_allreduce>>(chain_allreduce(ctx, order), ctx.rank(),
                                                   ctx.size(), what.bytes());
}

void add_hand_allreduce(contenders& list, const context& ctx, const cell& what) {
  list.push_back(std::make_unique<summed<hand_allreduce>>(hand_allreduce(ctx, what.bytes()),
                                                          ctx.rank(), ctx.size(), what.bytes()));
}

std::unique_ptr<contender> make_reduce_scatter(const context& ctx, const cell& what) {
  require_doubles(what);
  return std::make_unique<scattered_sum<chain_reduce_scatter>>(
      chain_reduce_scatter{ctx}, ctx.rank(), ctx.size(), what.bytes());
}

std::unique_ptr<contender> make_allgather(const context& ctx, const cell& what) {
  return make_carried(carry_allgather{ctx},
                      carried_blocks::of_allgather(ctx.rank(), ctx.size(), what.bytes()), what);
}
std::unique_ptr<contender> make_broadcast(const context& ctx, const cell& what) {
  return make_carried(carry_broadcast{ctx},
                      carried_blocks::of_broadcast(ctx.rank(), ctx.size(), what.bytes()), what);
}
std::unique_ptr<contender> make_alltoall(const context& ctx, const cell& what) {
  const alltoall_schedule how = alltoall_schedule_named(what.schedule);
  return make_carried(carry_alltoall{alltoall(ctx, what.bytes(), how)},
                      carried_blocks::of_alltoall(ctx.rank(), ctx.size(), what.bytes()), what);
}
std::unique_ptr<contender> make_alltoallv(const context& ctx, const cell& what) {
  carried_blocks blocks = carried_blocks::of_alltoallv(ctx.rank(), ctx.size(), what.bytes());
  carry_alltoallv carry(ctx, blocks);
  return make_carried(std::move(carry), std::move(blocks), what);
}
std::unique_ptr<contender> make_barrier(const context& ctx) {
  return std::make_unique<barrier_contender>(ctx);
}

}  // namespace onehop::bench
