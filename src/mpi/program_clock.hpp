#pragma once
/// The clocks of the system go on in a virtual machine's time for a program that `onehop run` has
/// started with libonehop_clock.so, a library that is loaded before the C library, and its host has
/// the name of the virtual node.

#include <cstdint>

extern "C" {

/// Returns the nanoseconds since the clocks follow it, or -1 where whoever looks at them shall see
/// the system's own.
using onehop_time_to_follow = std::int64_t (*)();

/// From now on clock_gettime, gettimeofday and time go on by `time` from what they show; with null
/// they go on as the system's do. Clocks of processor time are left alone.
void onehop_follow_time(onehop_time_to_follow time);

/// Makes gethostname return this name from now on.
void onehop_take_host_name(const char* name);
}
