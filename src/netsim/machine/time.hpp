#pragma once
/// Virtual time counts whole picoseconds, and rates convert to the same picoseconds on every
/// machine.

#include <cstdint>

namespace onehop::netsim {

using picoseconds = std::int64_t;

/// `never` is a moment that does not come.
inline constexpr picoseconds never = INT64_MAX;

/// A pace gives the time that bytes take, as a fixed-point number, so that equal bytes take equal
/// picoseconds on every machine.
class pace {
 public:
  constexpr pace() = default;
  /// A rate of 0 bytes/s means that bytes take no time.
  constexpr explicit pace(double bytes_per_second)
      : scaled_(bytes_per_second > 0 ? static_cast<std::uint64_t>(scale / bytes_per_second) : 0) {}

  [[nodiscard]] constexpr picoseconds operator()(std::uint64_t bytes) const noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<picoseconds>((static_cast<wide>(bytes) * scaled_ + (1U << 19)) >> 20);
  }

 private:
  static constexpr double scale = 1e12 * (1 << 20);
  std::uint64_t scaled_ = 0;  // picoseconds per byte, times 2^20
};

}  // namespace onehop::netsim
