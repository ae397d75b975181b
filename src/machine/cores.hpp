#pragma once
/// Threads may run on some of the machine's cores, their affinity.

#include <sys/types.h>

#include <span>
#include <vector>

namespace onehop::cores {

/// Returns the cores on which a thread of this process may run, 0 being the calling one; empty if
/// the system does not say, with errno set.
std::vector<int> allowed(pid_t thread = 0);
/// Lets a thread run on these cores alone. Returns false, with errno set, if the system refuses.
bool allow(pid_t thread, std::span<const int> cores);
/// Returns the cores of this process: those of its main thread.
std::vector<int> of_process();

}  // namespace onehop::cores
