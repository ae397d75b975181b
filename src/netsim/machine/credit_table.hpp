#pragma once
/// A credit_table says when each credit of a machine's links is back.

#include <algorithm>
#include <cstdint>

#include "netsim/machine/big_vector.hpp"
#include "netsim/machine/time.hpp"

namespace onehop::netsim {

/// The channel_credits are the consecutive credits of one virtual channel.
struct channel_credits {
  std::size_t first = 0;
  std::uint32_t count = 0;
};

/// A credit takes four bytes as long as none comes back more than four milliseconds after now, and
/// eight bytes from then on. Once a credit is back, its return time need not be kept.
class credit_table {
 public:
  /// The index that stands for no credit.
  static constexpr std::uint32_t none = UINT32_MAX;

  struct back {
    std::uint32_t slot = none;
    picoseconds at = never;
  };

  /// All credits are back at the start.
  void resize(std::size_t count) { near_.resize(count); }

  /// Returns the first credit of a channel that is back at `by`, which must not be in the past.
  [[nodiscard]] std::uint32_t back_by(channel_credits of, picoseconds by) const {
    if (is_wide()) return find(&far_[of.first], of.count, by);
    return find(&near_[of.first], of.count, as_near(by));
  }
  /// Returns which credit of a channel is back first, and when; `never` if none has a known time.
  [[nodiscard]] back earliest(channel_credits of) const {
    if (is_wide()) {
      const auto slot = least(&far_[of.first], of.count);
      return {slot, far_[of.first + slot]};
    }
    const auto slot = least(&near_[of.first], of.count);
    const auto found = near_[of.first + slot];
    return {slot, found == taken_near ? never : since_ + found};
  }
  /// Returns how many credits of a channel are still out now.
  [[nodiscard]] std::int64_t out(channel_credits of, picoseconds now) const {
    if (is_wide()) return count_above(&far_[of.first], of.count, now);
    return count_above(&near_[of.first], of.count, as_near(now));
  }

  /// Takes a credit whose return time is not yet known.
  void take(std::size_t index) {
    if (is_wide())
      far_[index] = never;
    else
      near_[index] = taken_near;
  }
  /// Sets, at time `now`, that a credit will be back at `at`.
  void give(std::size_t index, picoseconds at, picoseconds now) {
    if (!is_wide() && at - since_ >= taken_near) count_anew(at, now);
    if (is_wide())
      far_[index] = at;
    else
      near_[index] = static_cast<std::uint32_t>(at - since_);
  }

  void prefetch(channel_credits of) const {
    if (is_wide())
      prefetch_lines(&far_[of.first], of.count);
    else
      prefetch_lines(&near_[of.first], of.count);
  }
  /// Returns the number of credits that were taken and not given back.
  [[nodiscard]] std::uint64_t taken() const {
    return static_cast<std::uint64_t>(std::count(near_.begin(), near_.end(), taken_near) +
                                      std::count(far_.begin(), far_.end(), never));
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return near_.capacity() * sizeof(std::uint32_t) + far_.capacity() * sizeof(picoseconds);
  }

 private:
  static constexpr std::uint32_t taken_near = UINT32_MAX;

  [[nodiscard]] bool is_wide() const noexcept { return !far_.empty(); }
  [[nodiscard]] std::uint32_t as_near(picoseconds at) const {
    return static_cast<std::uint32_t>(std::min<picoseconds>(at - since_, taken_near - 1));
  }
  template <class T>
  static std::uint32_t find(const T* first, std::uint32_t count, T by) {
    for (std::uint32_t slot = 0; slot < count; ++slot)
      if (first[slot] <= by) return slot;
    return none;
  }
  template <class T>
  static std::uint32_t least(const T* first, std::uint32_t count) {
    return static_cast<std::uint32_t>(std::min_element(first, first + count) - first);
  }
  template <class T>
  static std::int64_t count_above(const T* first, std::uint32_t count, T now) {
    return std::count_if(first, first + count, [now](T back) { return back > now; });
  }
  template <class T>
  static void prefetch_lines(const T* first, std::uint32_t count) {
    for (std::uint32_t slot = 0; slot < count; slot += 64 / sizeof(T))
      __builtin_prefetch(first + slot);
  }
  void count_anew(picoseconds at, picoseconds now);

  picoseconds since_ = 0;  // time from which near_ counts
  big_vector<std::uint32_t> near_;
  big_vector<picoseconds> far_;  // replaces near_ once a credit is back too late for it
};

}  // namespace onehop::netsim
