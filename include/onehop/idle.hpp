#pragma once
/// A loop that polls for actions of other ranks calls idle between two polls.

#include <onehop/context.hpp>

#include <chrono>

namespace onehop {

/// Lets some time pass between two polls; it may return at any moment before `until`. `turn` counts
/// the unsuccessful polls, from 0: the call first spins, later yields the core, and finally sleeps
/// for up to 100 us. On a virtual machine, the rank sleeps until something arrives for it, or until
/// `until`.
void idle(const context& ctx, int turn, std::chrono::steady_clock::time_point until);

}  // namespace onehop
