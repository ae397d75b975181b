#pragma once
/// A stopwatch measures time intervals with the steady clock, minus the cost of reading the clock.

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace onehop::measure {

using microseconds = std::chrono::duration<double, std::micro>;

class stopwatch {
 public:
  using clock = std::chrono::steady_clock;

  /// The constructor calibrates: it reads the clock a thousand times.
  stopwatch();

  void start() noexcept { begin_ = clock::now(); }
  /// Returns the time since start, never below zero.
  microseconds elapsed() const noexcept {
    const microseconds gross = clock::now() - begin_;
    return gross > overhead_ ? gross - overhead_ : microseconds(0);
  }
  /// Returns the measured length of an empty interval: the median of the calibration.
  microseconds overhead() const noexcept { return overhead_; }

 private:
  clock::time_point begin_;
  microseconds overhead_{0};
};

/// A sample_recorder keeps samples in memory that is allocated and touched before the first sample
/// is taken.
class sample_recorder {
 public:
  explicit sample_recorder(std::size_t most) : values_(most) {}

  /// Adds a sample; samples beyond the capacity are dropped, so the caller checks full() first.
  void add(double value) noexcept {
    if (count_ < values_.size()) values_[count_++] = value;
  }
  bool full() const noexcept { return count_ == values_.size(); }
  std::span<const double> values() const noexcept { return {values_.data(), count_}; }

 private:
  std::vector<double> values_;
  std::size_t count_ = 0;
};

}  // namespace onehop::measure
