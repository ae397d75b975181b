#pragma once
/// Stores need no progress from their targets; a shm transport has only to look which processes
/// live.

#include "transport/stores/control_block.hpp"

namespace onehop::shm {

/// Throws peer_error when a rank other than `rank` that has not left has ended. Sees only processes
/// of its own process namespace.
void check_processes(stores::control_block& control, int rank);

/// Throws peer_error when the process that made the segment has ended. Sees only processes of its
/// own process namespace.
void check_launcher(const stores::control_block& control);

/// Makes this process die with its parent. Throws peer_error when the launcher has ended already.
void die_with_parent(const stores::control_block& control);

}  // namespace onehop::shm
