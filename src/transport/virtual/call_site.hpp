#pragma once
/// A call_site names a place where a rank's program comes to a virtual machine: what it computes
/// between two of them is recorded by their names.

#include <cstdint>
#include <string>

#include "transport/base/transport.hpp"

namespace onehop::virtual_machine {

/// A call_site is met as often, and in the same order, however long messages take: how often a rank
/// looks for what it waits for is not.
struct call_site {
  enum kind : std::uint32_t {
    start,    ///< the start of an exchange of a chain, or of a put of it that was held back
    wait,     ///< the first look for all of an exchange
    arrival,  ///< the first look for one arrival of an exchange
    round     ///< a round of a collective
  };
  kind what;
  std::uint64_t team = 0;    ///< where the range of a group begins in the segment; 0 for all ranks
  memory_id own = 0;         ///< memory of the chain's own, which names it
  std::uint64_t number = 0;  ///< number of the arrival, or the round's tag

  auto operator<=>(const call_site&) const = default;
};

/// Returns "start of chain 3", "wait for arrival 0 of chain 3" or "a barrier of 0 bytes".
std::string name_of(const call_site& site);

}  // namespace onehop::virtual_machine
