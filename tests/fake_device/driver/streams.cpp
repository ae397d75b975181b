// This file has streams and events.

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <new>
#include <set>
#include <thread>

#include "fake_device/driver/state.hpp"

namespace fake_driver {
namespace {

struct fake_event {
  void* stream = nullptr;
  std::uint64_t moment = 0;  ///< how much of the stream's work must be done
  bool recorded = false;

  bool reached() const { return !recorded || stream_at(stream).done >= moment; }
};

thread_local recording* recorded = nullptr;

/// A mover has the streams that go on without being queried, and the process that has a thread for
/// them.
struct mover {
  std::set<fake_stream*> streams;
  pid_t process = 0;
};
mover& moving() {
  static mover& only = *new mover;
  return only;
}

/// Does at most `count` pieces of work.
void advance(fake_stream& stream, std::uint64_t count) {
  while (count-- > 0 && !stream.work.empty()) {
    if (!stream.work.front()()) return;
    stream.work.pop_front();
    ++stream.done;
  }
}

void move_on() {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    const std::scoped_lock held(state().lock);
    for (fake_stream* const stream : moving().streams) advance(*stream, state().dice() % 3);
  }
}

/// A forked child has the streams of its parent but not the thread, and may not unlock what that
/// locked.
void begin_child() {
  new (&state().lock) std::recursive_mutex;
  moving().streams.clear();
}

void wait_for(void* stream, const fake_event& marked) {
  issue(stream, [marked] {
    if (!marked.reached()) advance(stream_at(marked.stream), 1);
    return marked.reached();
  });
}

std::chrono::milliseconds patience() {
  const char* const set = std::getenv("FAKE_DRIVER_PATIENCE_MS");
  return std::chrono::milliseconds(set == nullptr ? 30'000 : std::atoi(set));
}

}  // namespace

fake_stream& stream_at(void* handle) {
  return handle == nullptr ? state().default_stream : *static_cast<fake_stream*>(handle);
}

bool is_recording() { return recorded != nullptr; }

void issue(void* handle, step work) {
  if (recorded != nullptr) return recorded->push_back(std::move(work));
  fake_stream& stream = stream_at(handle);
  stream.work.push_back(std::move(work));
  ++stream.issued;
  // Some work is done at once, since a device may be quick.
  if (state().dice() % 4 == 0) advance(stream, state().dice() % 4);
}

void move_by_itself(void* stream) {
  mover& all = moving();
  all.streams.insert(&stream_at(stream));
  if (all.process == getpid()) return;
  if (all.process == 0) {
    const auto lock = [] { state().lock.lock(); };
    const auto unlock = [] { state().lock.unlock(); };
    pthread_atfork(lock, unlock, begin_child);
  }
  all.process = getpid();
  std::thread(move_on).detach();
}

void await_moving_streams() {
  std::vector<fake_stream*> all;
  {
    const std::scoped_lock held(state().lock);
    all.assign(moving().streams.begin(), moving().streams.end());
  }
  for (fake_stream* const one : all) finish(one);
}

void* make_stream() {
  const std::scoped_lock held(state().lock);
  return &state().streams.emplace_back();
}

void drop_stream(void* stream) {
  finish(stream);
  const std::scoped_lock held(state().lock);
  stream_at(stream).work.clear();
  moving().streams.erase(&stream_at(stream));
}

bool finish(void* stream) {
  const auto end = std::chrono::steady_clock::now() + patience();
  for (;;) {
    {
      const std::scoped_lock held(state().lock);
      fake_stream& whole = stream_at(stream);
      advance(whole, whole.work.size());
      if (whole.work.empty()) return true;
    }
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
}

void enqueue(void* stream, std::function<void()> work) {
  const std::scoped_lock held(state().lock);
  issue(stream, [work = std::move(work)] {
    work();
    return true;
  });
}

void follow(void* follower, void* leader) {
  const std::scoped_lock held(state().lock);
  wait_for(follower, {leader, stream_at(leader).issued, true});
}

void begin_recording() { recorded = new recording; }

recording end_recording() {
  recording whole = std::move(*recorded);
  delete recorded;
  recorded = nullptr;
  return whole;
}

void replay(const recording& what, void* stream) {
  const std::scoped_lock held(state().lock);
  move_by_itself(stream);
  for (const step& one : what) issue(stream, one);
}

}  // namespace fake_driver

using namespace fake_driver;

extern "C" {

int cuStreamCreate(void** stream, unsigned) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  ++state().found.streams;
  *stream = make_stream();
  return success;
}
int cuStreamDestroy_v2(void* stream) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  --state().found.streams;
  stream_at(stream).work.clear();
  moving().streams.erase(&stream_at(stream));
  return success;
}
int cuStreamSynchronize(void* stream) {
  if (entered().empty()) return invalid_context;
  if (is_recording()) return invalid_value;
  return finish(stream) ? success : launch_timeout;
}
int cuStreamIsCapturing(void*, int* status) {
  *status = is_recording() ? 1 : 0;
  return success;
}

int cuEventCreate(void** event, unsigned) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  ++state().found.events;
  *event = new fake_event;
  return success;
}
int cuEventDestroy_v2(void* event) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  --state().found.events;
  delete static_cast<fake_event*>(event);
  return success;
}
int cuEventRecord(void* event, void* stream) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  // A recording is replayed in order, and needs no events.
  if (!is_recording()) *static_cast<fake_event*>(event) = {stream, stream_at(stream).issued, true};
  return success;
}
int cuEventQuery(void* event) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  if (is_recording()) return invalid_value;
  const fake_event& asked = *static_cast<fake_event*>(event);
  if (asked.reached()) return success;
  advance(stream_at(asked.stream), state().dice() % 3);
  return asked.reached() ? success : not_ready;
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  if (is_recording()) return success;
  const fake_event marked = *static_cast<fake_event*>(event);
  wait_for(stream, marked);
  return success;
}

}  // extern "C"
