#pragma once
/// A chain_plan holds what one rank must know of a chain once the descriptions of all ranks have
/// been checked.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <onehop/put.hpp>
#include <optional>
#include <vector>

namespace onehop {

struct planned_put {
  local_view source;
  int target;
  std::size_t target_offset;  ///< offset within a bank of the target's window
  std::size_t target_stride;  ///< banks of the target's window lie this far apart, in bytes
  int arrival;                ///< index among the arrivals of the target
  int number;                 ///< index among the puts of this rank, also in a part of the plan
  /// Before this put is fired, the target must say that its bank may be overwritten.
  bool needs_credit;
  bool variable = false;  ///< `source` is the most that it sends
};

struct planned_arrival {
  int origin;
  int put;     ///< index among the puts of the origin
  int number;  ///< index among the arrivals of this rank, also in a part of the plan
  std::size_t offset, bytes;
  bool gives_credit;
  bool variable = false;  ///< `bytes` is the most that the arrival may bring
};

/// These are the puts of a partly started exchange that the caller has not made ready yet, by their
/// numbers among the rank's puts. The chain writes them; parts and copies of a plan share them.
struct held_puts {
  std::size_t count = 0;
  std::vector<char> marks;  ///< by put, 1 where it is held; of no meaning while none is

  bool any() const noexcept { return count > 0; }
  bool has(int put) const noexcept { return any() && marks[static_cast<std::size_t>(put)] != 0; }
};

struct chain_plan {
  int banks;
  std::size_t own_stride;  ///< banks of this rank's window lie this far apart, in bytes
  std::vector<planned_put> puts;
  std::vector<planned_arrival> arrivals;
  /// These are the bytes that the coming start sends, by the numbers of this rank's puts. The chain
  /// writes them between exchanges; parts and copies of a plan share them.
  std::shared_ptr<std::vector<std::size_t>> sizes;
  std::shared_ptr<held_puts> held = std::make_shared<held_puts>();
  /// A put may be written where this rank has read an earlier arrival from the put's target,
  /// because the caller no longer reads that by then. The value is the same on all ranks.
  bool in_turns = false;

  const std::size_t& size_of(const planned_put& put) const {
    return (*sizes)[static_cast<std::size_t>(put.number)];
  }
  /// Returns what the coming start reads from the source if the put is not packed.
  local_view sent_by(const planned_put& put) const {
    if (!put.variable) return put.source;
    return {put.source.data, size_of(put), 1, 0};
  }

  /// Returns where a bank of the target's window begins. Exchanges are numbered from 1.
  std::size_t bank_offset(const planned_put& put, std::uint64_t exchange) const noexcept {
    return is_second(exchange) ? put.target_stride : 0;
  }
  /// Returns where a bank of this rank's own window begins.
  std::size_t own_bank_offset(std::uint64_t exchange) const noexcept {
    return is_second(exchange) ? own_stride : 0;
  }

 private:
  // There are only one or two banks, so this avoids a division, which is slow for a short exchange.
  bool is_second(std::uint64_t exchange) const noexcept { return banks == 2 && exchange % 2 == 0; }
};

/// Returns, for each put of `rank` in the plan, the arrival with which it takes turns: the k-th put
/// to another rank pairs with the k-th arrival from there. There is none if the plan does not allow
/// it, a credit is needed, or a different number of bytes comes back.
std::vector<std::optional<std::size_t>> turns_of(const chain_plan& plan, int rank);

}  // namespace onehop
