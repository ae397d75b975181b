#pragma once
/// A chain_record is what a rank and the conductor of its machine both know of the rank's side of a
/// chain. It lies in memory that they share, also as processes; one of the two runs at a time, so
/// it needs no lock.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/base/chain_plan.hpp"

namespace onehop::virtual_machine {

struct put_record {
  std::int32_t target, arrival;
  std::uint64_t bytes, rows;  ///< bytes and rows of its source: the most that it sends
  std::uint64_t needs_credit;
  std::uint64_t credit;       ///< the last exchange that its target said it has started
  std::uint64_t fired, free;  ///< the last exchanges in which it was fired, and in which its source
                              ///< was free
};

struct arrival_record {
  std::int32_t origin, put;
  std::uint64_t gives_credit;
  std::array<std::uint64_t, 2> exchange;  ///< the last even and odd exchange that has arrived
  std::array<std::uint64_t, 2> bytes;     ///< bytes that the last even and odd exchange has brought
};

/// A chain_record is one rank's side of one chain; the records of its puts and arrivals follow it
/// in memory.
class chain_record {
 public:
  static std::size_t bytes_for(const chain_plan& plan);
  /// Writes the record of `plan` into zeroed memory of bytes_for(plan).
  static chain_record& write(std::span<std::byte> memory, const chain_plan& plan);
  /// Returns the record that has been written there.
  static chain_record& at(std::span<std::byte> memory) {
    return *reinterpret_cast<chain_record*>(memory.data());
  }

  std::span<put_record> puts() noexcept { return {first_put(), put_count_}; }
  std::span<const put_record> puts() const noexcept {
    return const_cast<chain_record*>(this)->puts();
  }
  std::span<arrival_record> arrivals() noexcept {
    return {reinterpret_cast<arrival_record*>(first_put() + put_count_), arrival_count_};
  }
  std::span<const arrival_record> arrivals() const noexcept {
    return const_cast<chain_record*>(this)->arrivals();
  }

  /// The rank calls this: from here on the bank of `exchange` may be overwritten.
  void begin(std::uint64_t exchange) noexcept;
  std::uint64_t begun() const noexcept { return begun_; }
  /// The rank calls this when it looks at single puts, so that from now on each is to wake it.
  void watch() noexcept { watched_ = 1; }

  /// The conductor calls these.
  void note_free(std::size_t put, std::uint64_t exchange);
  void note_arrival(std::size_t arrival, std::uint64_t exchange, std::uint64_t bytes);
  /// Returns whether a rank that waits is to be woken.
  bool is_due() const noexcept { return watched_ != 0 || complete(begun_); }

  bool complete(std::uint64_t exchange) const noexcept {
    return begun_ == exchange && free_ == put_count_ && here_[exchange % 2] == arrival_count_;
  }

 private:
  put_record* first_put() noexcept { return reinterpret_cast<put_record*>(this + 1); }

  std::uint64_t put_count_, arrival_count_;
  std::uint64_t begun_;
  std::uint64_t free_;  ///< number of puts of the exchange under way whose sources may be reused
  std::array<std::uint64_t, 2> here_;  ///< number of arrivals of the last even and odd exchange
  std::uint64_t watched_;
};

}  // namespace onehop::virtual_machine
