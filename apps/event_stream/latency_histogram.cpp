#include "latency_histogram.hpp"

#include <algorithm>

namespace event_stream {

double latency_histogram::mean_ns() const noexcept {
  return total_ == 0 ? 0 : sum_ns_ / static_cast<double>(total_);
}

std::uint64_t latency_histogram::percentile_ns(double share) const noexcept {
  const double wanted = share * static_cast<double>(total_);
  std::uint64_t counted = 0;
  for (std::size_t k = 0; k < counts_.size() && total_ > 0; ++k) {
    counted += counts_[k];
    if (static_cast<double>(counted) >= wanted) return std::min(end_of(k) - 1, most_ns_);
  }
  return 0;
}

std::vector<latency_histogram::bucket> latency_histogram::buckets() const {
  std::vector<bucket> found;
  for (std::size_t k = 0; k < counts_.size(); ++k)
    if (counts_[k] > 0) found.push_back({end_of(k), counts_[k]});
  return found;
}

}  // namespace event_stream
