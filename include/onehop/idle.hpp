#pragma once
/// A loop that looks, by calls that do not wait, for what other ranks do passes the time here.

#include <onehop/context.hpp>

#include <chrono>

namespace onehop {

/// Passes some time between two looks and may come back at any moment before `until`. `turn` counts
/// the looks in vain, from 0: after the first ones it spins, later it yields the core, then it
/// sleeps for up to 100 us. On a virtual machine the rank has nothing to do before something comes
/// for it, or `until`.
void idle(const context& ctx, int turn, std::chrono::steady_clock::time_point until);

}  // namespace onehop
