#pragma once
/// These functions read and set a thread's affinity: the cores of the machine on which it may run.

#include <sys/types.h>

#include <span>
#include <vector>

namespace onehop::cores {

/// Returns the cores on which a thread of this process may run; 0 is the calling thread. The list
/// is empty, with errno set, if the system does not tell.
std::vector<int> allowed(pid_t thread = 0);
/// Restricts a thread to these cores. Returns false, with errno set, if the system refuses.
bool allow(pid_t thread, std::span<const int> cores);
/// Returns the cores of this process, which are those of its main thread.
std::vector<int> of_process();

}  // namespace onehop::cores
