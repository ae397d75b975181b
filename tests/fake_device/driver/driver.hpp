#pragma once
/// Tests reach a CUDA driver without a device by this header; the driver is a library named as the
/// real one.
///
/// Its memory can be reached by its own copies alone, and with FAKE_DRIVER_OPEN by any code that
/// has its address, as by an MPI that knows devices: any other access ends the program. The work of
/// its streams is done at random moments, often as late as possible: when it is queried, and then a
/// little at a time. Streams that write or wait for words of memory go on by themselves, slowly,
/// since others may wait for them without a query. Giving back memory waits for those.

#include <cstddef>
#include <functional>
#include <vector>

namespace fake_driver {

constexpr int devices = 2;

/// Returns zeroed memory of a device.
void* allocate(std::size_t bytes, int device = 0);
/// Returns such memory that the driver moves between host and devices.
void* allocate_managed(std::size_t bytes);
void release(void* memory);
/// Returns where a test can see the memory; null for memory that is not a device's.
void* reach(const void* memory);
/// Lets the host reach the memory by its own address: for work that stands for a kernel, while it
/// runs.
void open_to_host(void* memory, bool opened);

/// Makes a stream as a program has that uses the device.
void* make_stream();
void drop_stream(void* stream);
/// Does all work of the stream. Returns false where it waits for a word that does not come, after
/// FAKE_DRIVER_PATIENCE_MS.
bool finish(void* stream);
void enqueue(void* stream, std::function<void()> work);
/// Lets what is enqueued on `follower` from now on wait for what `leader` holds now.
void follow(void* follower, void* leader);
/// Returns whether this thread has entered the context of a device.
bool in_context();
/// Returns whether kernels of the device that this thread has entered reach the memory: that of the
/// host, of this device, of other processes where it was opened, and of devices whose context was
/// made a peer.
bool kernels_reach(const void* memory);

/// Records what this thread enqueues on any stream from now on, without doing it.
using recording = std::vector<std::function<bool()>>;
void begin_recording();
recording end_recording();
/// Enqueues a recording, in the order in which it was recorded.
void replay(const recording& what, void* stream);

/// A fault is what goes wrong from now on in this process with words that streams write and wait
/// for.
enum class fault { none, no_write, no_wait, other_value };
void set_fault(fault what);

/// These count what the library under test has now.
struct counts {
  int streams = 0, events = 0, pinned = 0, mapped = 0;
  int copies = 0, rows = 0, words = 0;  ///< numbers that were ever made
};
counts counted();

}  // namespace fake_driver
