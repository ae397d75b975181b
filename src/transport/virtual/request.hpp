#pragma once
/// Calls of a rank that take no time on a virtual machine are requests to its conductor.

#include <cstdint>

#include "transport/base/transport.hpp"

namespace onehop::virtual_machine {

/// A fired_put is what a rank says of a put that it fires.
struct fired_put {
  std::uint64_t put = 0, exchange = 0, bytes = 0;
  std::uint64_t address = 0;  ///< address at the target
  bool first = false;         ///< it is the first put of its start
};

/// A request is something that the conductor does for a rank, at once or at the end of the rank's
/// turn.
struct request {
  enum kind : std::uint32_t {
    add_chain,       ///< the rank's record of the chain is there
    forget,          ///< the rank has withdrawn `own`, which may be a chain's
    begin_exchange,  ///< the exchange that the chain's record says
    fire,            ///< a put of the chain
    enter_round,     ///< the round that the rank's record says
    leave_team,
    open_mail,
    close_mail
  };
  std::uint32_t what = add_chain;
  std::int32_t rank = 0;   ///< within its team
  std::uint64_t team = 0;  ///< where the range of a group begins in the segment; 0 for all ranks
  memory_id own = 0;       ///< memory of the chain's own, which names it
  std::uint64_t own_offset = 0;  ///< offset in the segment of the rank's share of `own`, or of its
                                 ///< mailbox; only ranks that are processes have one
  fired_put put = {};
};

}  // namespace onehop::virtual_machine
