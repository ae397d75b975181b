#pragma once
/// A loop that polls for what other ranks do calls idle between two polls.

#include <onehop/context.hpp>

#include <chrono>

namespace onehop {

/// Passes some time between two polls and may return at any moment before `until`. `turn` counts
/// the polls in vain, from 0: at first it spins, later it yields the core, then it sleeps for up to
/// 100 us. On a virtual machine the rank has nothing to do before something comes for it, or
/// `until`.
void idle(const context& ctx, int turn, std::chrono::steady_clock::time_point until);

}  // namespace onehop
