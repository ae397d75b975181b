#pragma once
/// If `onehop run` has started a program with libonehop_clock.so, a library that is loaded before
/// the C library, the system's clocks show the program the time of the virtual machine, and its
/// host has the name of the virtual node.

#include <cstdint>

extern "C" {

/// Returns the nanoseconds since the clocks began to follow it, or -1 if the caller should see the
/// system's own time.
using onehop_time_to_follow = std::int64_t (*)();

/// Makes clock_gettime, gettimeofday and time advance by `time` from their present values. If
/// `time` is null, they advance with the system's clocks again. Clocks of processor time do not
/// change.
void onehop_follow_time(onehop_time_to_follow time);

/// Makes gethostname return this name.
void onehop_take_host_name(const char* name);
}
