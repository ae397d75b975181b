/// Items are passed here by onehop::stream and by a ring of slots in shared memory.

#include <algorithm>
#include <onehop/stream.hpp>

#include "benchmarks/hand_memory.hpp"
#include "benchmarks/make.hpp"
#include "benchmarks/pairs.hpp"
#include "benchmarks/passed_items.hpp"

namespace onehop::bench {
namespace {

class chain_stream {
 public:
  chain_stream(const context& ctx, std::size_t bytes)
      : bytes_(bytes),
        consumer_(partner(ctx)),
        produces_(is_first(ctx)),
        consumes_(!is_first(ctx) || ctx.size() == 1),
        stream_(make(ctx, bytes)) {}

  static std::string name() { return "onehop"; }
  template <class Fill>
  void produce(std::uint64_t, Fill&& fill) {
    const stream::place place = stream_.reserve(bytes_, consumer_);
    fill(place.bytes);
    stream_.publish(place);
  }
  template <class Read>
  void consume(std::uint64_t, Read&& read) {
    const auto item = stream_.next();
    read(item->bytes);
    stream_.release(*item);
  }
  void finish() {
    if (produces_) stream_.flush();
  }

 private:
  static stream make(const context& ctx, std::size_t bytes) {
    std::vector<int> producers, consumers;
    for (int rank = 0; rank < ctx.size(); ++rank)
      (rank % 2 == 0 ? producers : consumers).push_back(rank);
    if (ctx.size() == 1) consumers = producers;
    return {ctx, producers, consumers, {.largest_item = bytes}};
  }

  std::size_t bytes_;
  int consumer_;
  bool produces_, consumes_;
  stream stream_;
};

/// A hand_ring is a ring of slots. Each slot ends with the number of the item that it holds; the
/// consumer reports its progress a few times per round.
class hand_ring {
 public:
  hand_ring(const context& ctx, std::size_t bytes)
      : bytes_(bytes),
        stride_((bytes + sizeof(word) + 63) / 64 * 64),
        slots_(std::max<std::size_t>(2, (std::size_t{1} << 17) / stride_)),
        often_(std::max<std::size_t>(1, slots_ / 4)),
        consumer_(partner(ctx)),
        rank_(ctx.rank()),
        memory_(ctx, 2 * sizeof(flag_line) + slots_ * stride_) {}

  static std::string name() { return "stores"; }
  template <class Fill>
  void produce(std::uint64_t number, Fill&& fill) {
    if (number > room_) {
      const auto& taken = reinterpret_cast<const std::atomic<word>&>(memory_.flag(rank_, 0));
      memory_.await(taken, number - slots_);
      room_ = taken.load(std::memory_order_acquire) + slots_;
    }
    std::byte* const slot = slot_of(consumer_, number);
    fill(std::span(slot, bytes_));
    count_of(slot).store(number, std::memory_order_release);
  }
  template <class Read>
  void consume(std::uint64_t number, Read&& read) {
    std::byte* const slot = slot_of(rank_, number);
    memory_.await(count_of(slot), number);
    read(std::span<const std::byte>(slot, bytes_));
    if (number % often_ == 0)
      reinterpret_cast<std::atomic<word>&>(memory_.flag(consumer_, 0))
          .store(number, std::memory_order_release);
  }
  void finish() {}

 private:
  std::byte* slot_of(int rank, std::uint64_t number) const {
    return memory_.of(rank) + 2 * sizeof(flag_line) + number % slots_ * stride_;
  }
  std::atomic<word>& count_of(std::byte* slot) const {
    return *reinterpret_cast<std::atomic<word>*>(slot + stride_ - sizeof(word));
  }

  std::size_t bytes_, stride_, slots_, often_;
  int consumer_, rank_;  ///< the partner, which consumes what this rank produces or the reverse
  hand_memory memory_;
  std::uint64_t room_ = slots_;
};

template <class Way>
std::unique_ptr<contender> pass_items(const context& ctx, const cell& what) {
  return std::make_unique<passed_items<Way>>(Way(ctx, what.bytes()), ctx.rank(), ctx.size(),
                                             what.bytes());
}

}  // namespace

std::unique_ptr<contender> make_item_stream(const context& ctx, const cell& what) {
  return pass_items<chain_stream>(ctx, what);
}

void add_hand_stream(contenders& list, const context& ctx, const cell& what) {
  list.push_back(pass_items<hand_ring>(ctx, what));
}

}  // namespace onehop::bench
