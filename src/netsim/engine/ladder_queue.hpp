#pragma once
/// A ladder_queue keeps events in unsorted buckets of equal width; only the bucket in use is
/// sorted. It follows Tang, Goh and Thng, "Ladder queue: an O(1) priority queue structure for
/// large-scale discrete event simulation", ACM TOMACS 15 (2005), with one rung, whose width adapts
/// to how far ahead events are pushed.
///
///     far (unsorted)  |  buckets of the window (unsorted)  |  run (sorted)   late (heap)
///
/// `late` takes the few events that are pushed into the time of the run. Storage is kept, so a run
/// that has reached its largest number of events allocates no more.
///
/// Events of equal time are always kept in the order in which they were caused; those in `late`
/// were caused after those in the run.

#include <array>
#include <cstddef>
#include <vector>

#include "netsim/engine/event.hpp"
#include "netsim/engine/heap_queue.hpp"
#include "netsim/machine/growing_array.hpp"

namespace onehop::netsim {

/// A kept_event is a ladder's copy of an event; its position says which event was caused first.
class kept_event {
 public:
  kept_event() = default;
  explicit kept_event(const event& one) noexcept
      : low_(static_cast<std::uint32_t>(one.time)),
        high_(static_cast<std::uint32_t>(one.time >> 32)),
        what_(one.what) {}

  [[nodiscard]] picoseconds time() const noexcept {
    return static_cast<picoseconds>(std::uint64_t{high_} << 32 | low_);
  }
  [[nodiscard]] event_kind kind() const noexcept { return whole().kind(); }
  [[nodiscard]] std::uint32_t index() const noexcept { return whole().index(); }
  [[nodiscard]] event whole() const noexcept { return {time(), 0, what_}; }
  /// Orders events by their time alone.
  friend bool operator<(const kept_event& a, const kept_event& b) noexcept {
    return a.time() < b.time();
  }

 private:
  std::uint32_t low_ = 0, high_ = 0, what_ = 0;
};
static_assert(sizeof(kept_event) == 12);

class ladder_queue {
 public:
  ladder_queue();

  void push(const event& one) {
    ++size_;
    if (one.time < run_end_)
      push_late(one);
    else if (one.time < window_end_)
      push_to_bucket(kept_event(one));
    else
      push_far(one);
  }

  /// Pops the first event; the queue must not be empty.
  event pop() {
    if (next_ == run_.size() && late_.size() == 0) refill();
    --size_;
    if (late_.size() != 0 && (next_ == run_.size() || late_.first().time < run_[next_].time()))
      return late_.pop();
    return run_[next_++].whole();
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Returns an event that will probably be popped after `ahead` others, or null if none is known.
  [[nodiscard]] const kept_event* glimpse(std::size_t ahead) const noexcept {
    return next_ + ahead < run_.size() ? &run_[next_ + ahead] : nullptr;
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  static constexpr std::size_t bucket_count = 1024;
  static constexpr std::size_t most_late = 2048;
  static constexpr int least_shift = 4, most_shift = 44;
  static constexpr std::size_t chunk_events = 84;

  struct chunk {
    std::uint32_t next = no_index;
    std::uint32_t count = 0;
    std::array<kept_event, chunk_events> events;
  };

  void push_to_bucket(const kept_event& one) {
    const auto bucket = static_cast<std::size_t>((one.time() - window_start_) >> shift_);
    const auto last = last_chunk_[bucket];
    if (last == no_index || chunks_[last].count == chunk_events) add_chunk(bucket);
    auto& room = chunks_[last_chunk_[bucket]];
    room.events[room.count++] = one;
  }
  void push_late(const event& one) {
    late_.push(one);
    ++late_pushes_;
    if (late_.size() > most_late && shift_ > least_shift) narrow();
  }
  void push_far(const event& one) {
    far_.emplace_back(one);
    ++far_pushes_;
  }
  void add_chunk(std::size_t bucket);
  void empty_bucket(std::size_t bucket, big_vector<kept_event>& into);
  void narrow();
  void adapt_width();
  void refill();
  void take_bucket(std::size_t bucket);
  void open_window();
  void sort_run();

  picoseconds window_start_ = 0, window_end_ = 0, run_end_ = 0;
  int shift_ = 16;  // a bucket is 2^shift_ picoseconds wide
  std::size_t bucket_ = bucket_count;
  std::size_t size_ = 0, next_ = 0;
  std::size_t window_events_ = 0, late_pushes_ = 0, far_pushes_ = 0;  // counts of this window
  big_vector<kept_event> run_, sorting_, far_;
  heap_queue late_;
  growing_array<chunk> chunks_;
  std::vector<std::uint32_t> free_chunks_;
  std::vector<std::uint32_t> first_chunk_, last_chunk_;
  std::array<std::uint64_t, bucket_count / 64> occupied_{};
};

}  // namespace onehop::netsim
