#pragma once
/// A latency_histogram counts times in buckets whose widths are less than a hundredth of the times.

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace event_stream {

class latency_histogram {
 public:
  void add(std::uint64_t time_ns) {
    ++counts_[bucket_of(time_ns)];
    ++total_;
    sum_ns_ += static_cast<double>(time_ns);
    if (time_ns > most_ns_) most_ns_ = time_ns;
  }

  std::uint64_t total() const noexcept { return total_; }
  std::uint64_t most_ns() const noexcept { return most_ns_; }
  double mean_ns() const noexcept;
  /// Returns the time that this share of the counted times does not exceed: the upper end of its
  /// bucket, but at most the longest time, and 0 if no time was counted.
  std::uint64_t percentile_ns(double share) const noexcept;

  struct bucket {
    std::uint64_t end_ns, count;  ///< times below end_ns that are in no earlier bucket
  };
  /// Returns the buckets that are not empty.
  std::vector<bucket> buckets() const;

 private:
  static constexpr unsigned fine_bits = 7;
  static constexpr std::uint64_t fine = std::uint64_t{1} << fine_bits;
  static constexpr std::size_t bucket_of(std::uint64_t time_ns) {
    if (time_ns < fine) return time_ns;
    const auto shift = static_cast<unsigned>(std::bit_width(time_ns)) - fine_bits - 1;
    return (shift + 1) * fine + (time_ns >> shift) - fine;
  }
  static constexpr std::uint64_t end_of(std::size_t bucket) {
    if (bucket < fine) return bucket + 1;
    const std::size_t shift = bucket / fine - 1;
    return (bucket % fine + fine + 1) << shift;
  }

  std::array<std::uint64_t, (64 - fine_bits + 1) * fine> counts_{};
  std::uint64_t total_ = 0, most_ns_ = 0;
  double sum_ns_ = 0;
};

}  // namespace event_stream
