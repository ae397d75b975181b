#pragma once
/// The tests' side of a CUDA driver without a device, which is a library named as the real one.
///
/// Its memory can be reached by its own copies alone, and with FAKE_DRIVER_OPEN by whoever has its
/// address, as by an MPI that knows devices: any other access ends the program. What its
/// streams hold is done at random moments, often as late as can be: when somebody asks whether it
/// is done, and then a little at a time. Streams that write or wait for words of memory go on by
/// themselves, slowly, since others may wait for them without asking.

#include <cstddef>
#include <functional>
#include <vector>

namespace fake_driver {

constexpr int devices = 2;

/// Zeroed memory of a device.
void* allocate(std::size_t bytes, int device = 0);
void release(void* memory);
/// Where a test can see it; null for what is not a device's.
void* reach(const void* memory);
/// The host may reach it by its own address: for work that stands for a kernel, while it runs.
void open_to_host(void* memory, bool opened);

/// A stream as a program that uses the device has.
void* make_stream();
void drop_stream(void* stream);
/// Does all that it holds. False where that waits for a word that does not come, after
/// FAKE_DRIVER_PATIENCE_MS.
bool finish(void* stream);
void enqueue(void* stream, std::function<void()> work);
/// What is enqueued on `follower` from now on waits for what `leader` holds now.
void follow(void* follower, void* leader);
/// This thread has entered the context of a device.
bool in_context();

/// What is enqueued by this thread on any stream is recorded, and not done.
using recording = std::vector<std::function<bool()>>;
void begin_recording();
recording end_recording();
/// Enqueues it, in the order in which it was recorded.
void replay(const recording& what, void* stream);

/// What goes wrong from now on in this process with words that streams write and wait for.
enum class fault { none, no_write, no_wait, other_value };
void set_fault(fault what);

/// Of the library under test, that are there.
struct counts {
  int streams = 0, events = 0, pinned = 0, mapped = 0;
  int copies = 0, rows = 0, words = 0;  ///< ever made
};
counts counted();

}  // namespace fake_driver
