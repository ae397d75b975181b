#pragma once
/// Stores need no progress from their targets. A shm transport only has to check which processes
/// live.

#include "transport/stores/control_block.hpp"

namespace onehop::shm {

/// Throws peer_error if any rank other than `rank` has ended without leaving. Sees only processes
/// of its own process namespace.
void check_processes(stores::control_block& control, int rank);

/// Throws peer_error if the process that made the segment has ended. Sees only processes of its own
/// process namespace.
void check_launcher(const stores::control_block& control);

/// Makes this process die with its parent. Throws peer_error if the launcher has already ended.
void die_with_parent(const stores::control_block& control);

}  // namespace onehop::shm
