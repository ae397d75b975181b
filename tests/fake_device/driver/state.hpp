#pragma once
/// The parts of the driver share this state.

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <vector>

#include "fake_device/driver/driver.hpp"

namespace fake_driver {

enum result {
  success = 0,
  invalid_value = 1,
  invalid_device = 101,
  invalid_context = 201,
  not_ready = 600,
  launch_timeout = 702,
  peer_enabled_before = 704,
  pinned_before = 712,
  not_supported = 801,
  system_not_ready = 802
};

using address = unsigned long long;
/// A step does its work, or returns false when it has to wait for something.
using step = std::function<bool()>;

struct fake_context {
  int device;
  bool reaches[devices];  ///< contexts of which devices were made peers
};

struct fake_stream {
  std::deque<step> work;
  std::uint64_t issued = 0, done = 0;
};

/// The state is never destroyed: a thread of the driver may outlive whatever ends with the program.
struct driver_state {
  std::recursive_mutex lock;
  counts found;
  fake_context contexts[devices] = {{0, {true, false}}, {1, {false, true}}};
  fake_stream default_stream;
  std::deque<fake_stream> streams;  ///< those dropped stay, since events may still ask for them
  std::mt19937 dice{1};
};
driver_state& state();

/// A context_stack has the contexts that a thread is in, innermost last. It has no destructor: a
/// job that ends with its process enters a context after the thread's own variables have gone.
class context_stack {
 public:
  bool empty() const { return count_ == 0; }
  fake_context* back() const { return contexts_.at(count_ - 1); }
  void push_back(fake_context* context) { contexts_.at(count_++) = context; }
  void pop_back() { --count_; }

 private:
  std::array<fake_context*, 32> contexts_{};
  std::size_t count_ = 0;
};
context_stack& entered();
/// Returns where memory of a device can be reached; null where there are not as many bytes.
char* alias_of(address memory, std::size_t bytes);
fake_stream& stream_at(void* handle);
/// Puts work on a stream, or into the recording of this thread.
void issue(void* stream, step work);
bool is_recording();
/// Lets the stream go on from now on without being queried.
void move_by_itself(void* stream);
/// Waits until those streams have done their work, as a driver may before it takes memory back.
void await_moving_streams();

}  // namespace fake_driver
