#pragma once
/// Programs that know that they are on a virtual machine may let its time pass, and look at it for
/// nothing.

#include <cstdint>

extern "C" {

/// Returns the nanoseconds of the job's time.
std::int64_t onehop_program_time();
/// Lets these nanoseconds pass on the rank's processor; its messages go on meanwhile as far as
/// they do while any program computes.
void onehop_program_computes(std::int64_t nanoseconds);
}
