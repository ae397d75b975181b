#pragma once
/// A node is the ranks of one machine within a job of several, and the memory that they share.

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

/// Finds the ranks of this machine; collective among `everyone`. Ranks whose `name` differs count
/// as on different machines; so do those of one machine that cannot open each other's files there.
///
/// The first rank of a machine makes a segment without a name, and the others open it through
/// /proc/NUMBER/fd. Nothing has to be listened to, named or removed; the kernel lets in the same
/// user only, and the file's device and number, told over MPI, must be those of the file opened.
node find_node(const context& everyone, const std::string& name);

}  // namespace onehop::mixed
