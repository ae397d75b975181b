#pragma once
/// Schedulers that src/netsim does not use, to compare with those it does.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "netsim/engine/event.hpp"

namespace onehop::bench {

/// A heap with four children per node: half as deep as a binary one, and siblings share a line.
class four_ary_heap {
 public:
  void push(const netsim::event& one) {
    auto place = heap_.size();
    heap_.push_back(one);
    while (place != 0 && one < heap_[(place - 1) / 4]) {
      heap_[place] = heap_[(place - 1) / 4];
      place = (place - 1) / 4;
    }
    heap_[place] = one;
  }

  netsim::event pop() {
    const auto first = heap_.front();
    const auto last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return first;
  }

 private:
  void sink(const netsim::event& one) {
    std::size_t place = 0;
    for (;;) {
      const auto begin = 4 * place + 1;
      if (begin >= heap_.size()) break;
      const auto end = std::min(begin + 4, heap_.size());
      const auto least = static_cast<std::size_t>(
          std::min_element(heap_.begin() + static_cast<std::ptrdiff_t>(begin),
                           heap_.begin() + static_cast<std::ptrdiff_t>(end)) -
          heap_.begin());
      if (!(heap_[least] < one)) break;
      heap_[place] = heap_[least];
      place = least;
    }
    heap_[place] = one;
  }
  std::vector<netsim::event> heap_;
};

/// Days of a year as sorted lists, as many as events, as wide as they lie apart: R. Brown,
/// "Calendar queues", Comm. ACM 31 (1988) 1220.
class calendar_queue {
 public:
  calendar_queue() { resize(2); }

  void push(const netsim::event& one) {
    insert(one);
    if (++size_ > 2 * days_.size()) resize(2 * days_.size());
  }

  netsim::event pop() {
    for (std::size_t passed = 0; passed < days_.size(); ++passed) {
      const auto& day = days_[today_];
      if (!day.empty() && day.first().time < end_of_day_) return take(today_);
      today_ = (today_ + 1) % days_.size();
      end_of_day_ += width_;
    }
    // A whole year without an event: go to the next one directly.
    std::size_t earliest = days_.size();
    for (std::size_t k = 0; k < days_.size(); ++k)
      if (!days_[k].empty() &&
          (earliest == days_.size() || days_[k].first() < days_[earliest].first()))
        earliest = k;
    start_at(days_[earliest].first().time);
    return take(today_);
  }

 private:
  // Sorted; what has been popped stays in front until the day is over, so that ties are appended.
  struct day_list {
    std::vector<netsim::event> events;
    std::size_t popped = 0;

    [[nodiscard]] bool empty() const { return popped == events.size(); }
    [[nodiscard]] const netsim::event& first() const { return events[popped]; }
    void insert(const netsim::event& one) {
      const auto begin = events.begin() + static_cast<std::ptrdiff_t>(popped);
      events.insert(std::upper_bound(begin, events.end(), one), one);
    }
    netsim::event take() {
      const auto one = events[popped++];
      if (empty()) {
        events.clear();
        popped = 0;
      }
      return one;
    }
  };

  void insert(const netsim::event& one) {
    days_[static_cast<std::size_t>(one.time / width_) % days_.size()].insert(one);
  }
  netsim::event take(std::size_t from) {
    const auto first = days_[from].take();
    now_ = first.time;
    if (--size_ < days_.size() / 2 && days_.size() > 2) resize(days_.size() / 2);
    return first;
  }
  void start_at(netsim::picoseconds time) {
    today_ = static_cast<std::size_t>(time / width_) % days_.size();
    end_of_day_ = (time / width_ + 1) * width_;
  }
  void resize(std::size_t count) {
    std::vector<netsim::event> all;
    for (const auto& day : days_)
      all.insert(all.end(), day.events.begin() + static_cast<std::ptrdiff_t>(day.popped),
                 day.events.end());
    // Three times the mean distance of the next events, as Brown advises.
    const auto sample = std::min<std::size_t>(all.size(), 64);
    if (sample > 2) {
      std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(sample), all.end());
      const auto span = all[sample - 1].time - all.front().time;
      width_ =
          std::max<netsim::picoseconds>(1, 3 * span / static_cast<netsim::picoseconds>(sample));
    }
    days_.assign(count, {});
    for (const auto& one : all) insert(one);
    start_at(now_);
  }
  std::vector<day_list> days_;
  netsim::picoseconds width_ = 1, end_of_day_ = 1, now_ = 0;
  std::size_t today_ = 0, size_ = 0;
};

}  // namespace onehop::bench
