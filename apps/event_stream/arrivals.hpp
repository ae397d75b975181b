#pragma once
/// Arrivals are the moments at which events happen, the same for every source.

#include <array>
#include <cstdint>
#include <string_view>

namespace event_stream {

enum class arrival_pattern {
  poisson,   ///< independent of each other
  constant,  ///< at equal distances
  bunches    ///< eight at once; bunches are independent of each other
};
/// Returns the pattern of this name; throws onehop::usage_error.
arrival_pattern arrival_pattern_named(std::string_view name);

class arrivals {
 public:
  arrivals(arrival_pattern pattern, double events_per_s, std::uint64_t seed);

  /// Returns when the next event happens, in nanoseconds from the beginning.
  std::uint64_t next();

 private:
  void fill();

  static constexpr std::size_t at_once = 64;
  arrival_pattern pattern_;
  double mean_gap_ns_;
  std::uint64_t seed_;
  double last_ns_ = 0;
  std::uint64_t drawn_ = 0;  ///< number of gaps drawn so far
  std::size_t used_ = at_once;
  std::array<std::uint64_t, at_once> times_{};
};

}  // namespace event_stream
