#include "netsim/engine/ladder_queue.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace onehop::netsim {

namespace {
constexpr std::size_t radix_bits = 8;
}  // namespace

ladder_queue::ladder_queue()
    : first_chunk_(bucket_count, no_index), last_chunk_(bucket_count, no_index) {}

void ladder_queue::add_chunk(std::size_t bucket) {
  std::uint32_t added = 0;
  if (free_chunks_.empty()) {
    added = static_cast<std::uint32_t>(chunks_.add());
  } else {
    added = free_chunks_.back();
    free_chunks_.pop_back();
  }
  chunks_[added].next = no_index;
  chunks_[added].count = 0;
  if (last_chunk_[bucket] == no_index)
    first_chunk_[bucket] = added;
  else
    chunks_[last_chunk_[bucket]].next = added;
  last_chunk_[bucket] = added;
  occupied_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
}

void ladder_queue::refill() {
  for (;;) {
    for (std::size_t word = bucket_ / 64; word < occupied_.size(); ++word) {
      auto bits = occupied_[word];
      if (word == bucket_ / 64) bits &= ~std::uint64_t{0} << (bucket_ % 64);
      if (bits == 0) continue;
      take_bucket(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      return;
    }
    open_window();
  }
}

void ladder_queue::empty_bucket(std::size_t bucket, big_vector<kept_event>& into) {
  for (auto index = first_chunk_[bucket]; index != no_index; index = chunks_[index].next) {
    const auto& part = chunks_[index];
    into.insert(into.end(), part.events.begin(), part.events.begin() + part.count);
    free_chunks_.push_back(index);
  }
  first_chunk_[bucket] = last_chunk_[bucket] = no_index;
  occupied_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
}

void ladder_queue::take_bucket(std::size_t bucket) {
  run_.clear();
  next_ = 0;
  empty_bucket(bucket, run_);
  window_events_ += run_.size();
  bucket_ = bucket + 1;
  run_end_ = window_start_ + (static_cast<picoseconds>(bucket_) << shift_);
  sort_run();
}

// If buckets are too narrow, events go to `far` and are moved twice; if they are too wide, events
// go to the heap.
void ladder_queue::adapt_width() {
  const auto all = window_events_ + late_pushes_;
  if (late_pushes_ > all / 8)
    shift_ = std::max(shift_ - 1, least_shift);
  else if (far_pushes_ > all / 4)
    shift_ = std::min(shift_ + 1, most_shift);
  else if (far_pushes_ < all / 32 && window_events_ > bucket_count * most_late)
    shift_ = std::max(shift_ - 1, least_shift);
  window_events_ = late_pushes_ = far_pushes_ = 0;
}

void ladder_queue::open_window() {
  adapt_width();
  window_start_ = std::min_element(far_.begin(), far_.end())->time();
  window_end_ = window_start_ + (static_cast<picoseconds>(bucket_count) << shift_);
  run_end_ = window_start_;
  bucket_ = 0;
  auto kept = far_.begin();
  for (const auto& one : far_) {
    if (one.time() < window_end_)
      push_to_bucket(one);
    else
      *kept++ = one;
  }
  far_.erase(kept, far_.end());
}

// A burst fell into one bucket, so all events are redistributed over narrower buckets.
void ladder_queue::narrow() {
  shift_ = std::max(shift_ - 4, least_shift);
  far_.insert(far_.end(), run_.begin() + static_cast<std::ptrdiff_t>(next_), run_.end());
  while (late_.size() != 0) far_.emplace_back(late_.pop());
  run_.clear();
  next_ = 0;
  for (std::size_t bucket = 0; bucket < bucket_count; ++bucket) empty_bucket(bucket, far_);
  bucket_ = bucket_count;
  window_end_ = run_end_ = std::min_element(far_.begin(), far_.end())->time();
  window_events_ = late_pushes_ = far_pushes_ = 0;
}

void ladder_queue::sort_run() {
  if (std::is_sorted(run_.begin(), run_.end())) return;
  if (run_.size() < 256) return std::stable_sort(run_.begin(), run_.end());
  const auto start = run_end_ - (picoseconds{1} << shift_);
  sorting_.resize(run_.size());
  for (std::size_t bit = 0; bit < static_cast<std::size_t>(shift_); bit += radix_bits) {
    const auto digit = [=](const kept_event& one) {
      return static_cast<std::size_t>((one.time() - start) >> bit) & ((1U << radix_bits) - 1);
    };
    std::array<std::uint32_t, (1U << radix_bits)> place{};
    for (const auto& one : run_) ++place[digit(one)];
    std::uint32_t sum = 0;
    for (auto& count : place) sum += std::exchange(count, sum);
    for (const auto& one : run_) sorting_[place[digit(one)]++] = one;
    run_.swap(sorting_);
  }
}

std::size_t ladder_queue::memory_bytes() const noexcept {
  return chunks_.memory_bytes() + late_.memory_bytes() +
         (run_.capacity() + sorting_.capacity() + far_.capacity()) * sizeof(kept_event);
}

}  // namespace onehop::netsim
