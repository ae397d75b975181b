#pragma once
/// A program that knows that it runs on a virtual machine can use these to let virtual time pass,
/// and to read it without letting any pass.

#include <cstdint>

extern "C" {

/// Returns the time of the job in nanoseconds.
std::int64_t onehop_program_time();
/// Lets this time pass on the rank's processor. Meanwhile its messages advance as far as they do
/// while any program computes.
void onehop_program_computes(std::int64_t nanoseconds);
}
