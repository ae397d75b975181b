#pragma once
/// A node consists of the ranks of one machine within a larger job, and the memory that they share.

#include <memory>
#include <onehop/context.hpp>
#include <string>
#include <vector>

#include "transport/stores/arena.hpp"

namespace onehop::mixed {

struct node {
  std::vector<int> ranks;                 ///< ranks that reach each other by stores, ascending
  std::shared_ptr<stores::arena> memory;  ///< memory with a control block for these ranks
};

/// Finds the ranks of this machine; collective among `everyone`. Ranks with different `name` count
/// as on different machines, and so do ranks of one machine that cannot open each other's files.
///
/// The first rank of a machine makes a segment without a name, and the others open it through
/// /proc/NUMBER/fd. Nothing needs a listener, a name or a removal. The kernel admits only the same
/// user, and device and number of the opened file must match those told over MPI.
node find_node(const context& everyone, const std::string& name);

}  // namespace onehop::mixed
