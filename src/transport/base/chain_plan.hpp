#pragma once
/// What one rank has to know of a chain once every rank's description has been checked.

#include <cstddef>
#include <cstdint>
#include <onehop/put.hpp>
#include <vector>

namespace onehop {

struct planned_put {
  local_view source;
  int target;
  std::size_t target_offset;  ///< within a bank of the target's window
  int arrival;                ///< index among the arrivals of the target
  int number;                 ///< index among the puts of this rank, also in a part of the plan
  /// The target must say that its bank may be overwritten before this put is fired.
  bool needs_credit;
  bool asked_by_chain = true;  ///< as the put was described
};

struct planned_arrival {
  int origin;
  int put;     ///< index among the puts of the origin
  int number;  ///< index among the arrivals of this rank, also in a part of the plan
  std::size_t offset, bytes;
  bool gives_credit;
};

struct chain_plan {
  int banks;
  /// Distance between the banks of each rank's window.
  std::vector<std::size_t> bank_stride;
  std::vector<planned_put> puts;
  std::vector<planned_arrival> arrivals;

  /// Exchanges are numbered from 1.
  std::size_t bank_offset(int rank, std::uint64_t exchange) const noexcept {
    // One bank or two; a division would take longer than a short exchange deserves.
    const bool second = banks == 2 && exchange % 2 == 0;
    return second ? bank_stride[static_cast<std::size_t>(rank)] : 0;
  }
};

}  // namespace onehop
