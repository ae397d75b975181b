// A CUDA driver without a card: memory, streams and events as the tests want them.

#include "gpu/fake_driver.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

enum result {
  success = 0,
  invalid_value = 1,
  invalid_context = 201,
  not_ready = 600,
  pinned_before = 712
};

struct allocation {
  std::size_t bytes;
  char* alias;  ///< the same memory, where it can be reached
  int card;
  int file;  ///< behind it
};

struct fake_context {
  int card;
};

struct fake_stream {
  /// Each returns false when it has to wait for another stream.
  std::deque<std::function<bool()>> work;
  std::uint64_t issued = 0, done = 0;
};

struct fake_event {
  fake_stream* stream = nullptr;
  std::uint64_t moment = 0;  ///< how much of the stream's work must be done

  bool reached() const { return stream == nullptr || stream->done >= moment; }
};

std::recursive_mutex lock;
std::map<char*, allocation> allocations;
std::map<char*, std::size_t> pinned_pages;
std::set<void*> pinned_memory;
fake_driver::counts found;
fake_context contexts[fake_driver::cards] = {{0}, {1}};
thread_local std::vector<fake_context*> entered;
fake_stream default_stream;
std::mt19937 dice(1);

fake_stream& stream_at(void* handle) {
  return handle == nullptr ? default_stream : *static_cast<fake_stream*>(handle);
}

char* alias_of(unsigned long long address, std::size_t bytes) {
  auto* at = reinterpret_cast<char*>(address);
  auto next = allocations.upper_bound(at);
  if (next == allocations.begin()) return nullptr;
  --next;
  const auto offset = static_cast<std::size_t>(at - next->first);
  return offset + bytes <= next->second.bytes ? next->second.alias + offset : nullptr;
}

const allocation* allocation_at(unsigned long long address, char** begin = nullptr) {
  if (alias_of(address, 1) == nullptr) return nullptr;
  auto next = --allocations.upper_bound(reinterpret_cast<char*>(address));
  if (begin != nullptr) *begin = next->first;
  return &next->second;
}

/// Does at most so many pieces of work.
void advance(fake_stream& stream, std::uint64_t count) {
  while (count-- > 0 && !stream.work.empty()) {
    if (!stream.work.front()()) return;
    stream.work.pop_front();
    ++stream.done;
  }
}

void issue(fake_stream& stream, std::function<bool()> work) {
  stream.work.push_back(std::move(work));
  ++stream.issued;
  // A card may be quick.
  if (dice() % 4 == 0) advance(stream, dice() % 4);
}

int copy(void* to, const void* from, std::size_t bytes, void* stream) {
  if (to == nullptr || from == nullptr) return invalid_value;
  ++found.copies;
  issue(stream_at(stream), [=] {
    std::memcpy(to, from, bytes);
    return true;
  });
  return success;
}

void* map(int file, std::size_t bytes, int card, int way = MAP_SHARED) {
  auto* memory = static_cast<char*>(mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, file, 0));
  auto* alias = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, way, file, 0));
  allocations[memory] = {bytes, alias, card, file};
  return memory;
}

}  // namespace

namespace fake_driver {

void* allocate(std::size_t bytes, int card) {
  const std::scoped_lock held(lock);
  const std::size_t whole = (bytes + 4096) / 4096 * 4096;
  const int file = memfd_create("card", MFD_CLOEXEC);
  if (ftruncate(file, static_cast<off_t>(whole)) != 0) return nullptr;
  return map(file, whole, card);
}

void release(void* memory) {
  const std::scoped_lock held(lock);
  const auto gone = allocations.find(static_cast<char*>(memory));
  close(gone->second.file);
  munmap(gone->second.alias, gone->second.bytes);
  munmap(memory, gone->second.bytes);
  allocations.erase(gone);
}

void* reach(void* memory) {
  const std::scoped_lock held(lock);
  return alias_of(reinterpret_cast<unsigned long long>(memory), 0);
}

void* make_stream() { return new fake_stream; }
void drop_stream(void* stream) { finish(stream); }

void finish(void* stream) {
  const std::scoped_lock held(lock);
  fake_stream& whole = stream_at(stream);
  while (!whole.work.empty()) advance(whole, whole.work.size());
}

void enqueue(void* stream, std::function<void()> work) {
  const std::scoped_lock held(lock);
  issue(stream_at(stream), [work = std::move(work)] {
    work();
    return true;
  });
}

counts counted() {
  const std::scoped_lock held(lock);
  return found;
}

}  // namespace fake_driver

extern "C" {

int cuInit(unsigned) { return success; }
int cuGetErrorString(int, const char** words) {
  *words = "what fake cards say";
  return success;
}
int cuDeviceGetCount(int* count) {
  *count = fake_driver::cards;
  return success;
}
int cuDevicePrimaryCtxRetain(void** context, int card) {
  if (card < 0 || card >= fake_driver::cards) return 101;
  *context = &contexts[card];
  return success;
}
int cuPointerGetAttribute(void* value, int attribute, unsigned long long of) {
  const std::scoped_lock held(lock);
  char* begin = nullptr;
  const allocation* const at = allocation_at(of, &begin);
  if (at == nullptr) return invalid_value;
  switch (attribute) {
    case 1:
      *static_cast<void**>(value) = &contexts[at->card];
      return success;
    case 2:
      *static_cast<unsigned*>(value) = 2;
      return success;
    case 8:
      *static_cast<unsigned*>(value) = 0;
      return success;
    case 9:
      *static_cast<int*>(value) = at->card;
      return success;
    case 11:
      *static_cast<void**>(value) = begin;
      return success;
    case 12:
      *static_cast<std::size_t*>(value) = at->bytes;
      return success;
    default:
      return invalid_value;
  }
}
int cuCtxPushCurrent_v2(void* context) {
  if (context != &contexts[0] && context != &contexts[1]) return invalid_context;
  entered.push_back(static_cast<fake_context*>(context));
  return success;
}
int cuCtxPopCurrent_v2(void** context) {
  if (entered.empty()) return invalid_context;
  *context = entered.back();
  entered.pop_back();
  return success;
}

int cuStreamCreate(void** stream, unsigned) {
  const std::scoped_lock held(lock);
  if (entered.empty()) return invalid_context;
  ++found.streams;
  *stream = new fake_stream;
  return success;
}
/// Streams stay, as events may still ask for them.
int cuStreamDestroy_v2(void*) {
  const std::scoped_lock held(lock);
  --found.streams;
  return success;
}
int cuStreamSynchronize(void* stream) {
  fake_driver::finish(stream);
  return success;
}
int cuEventCreate(void** event, unsigned) {
  const std::scoped_lock held(lock);
  if (entered.empty()) return invalid_context;
  ++found.events;
  *event = new fake_event;
  return success;
}
int cuEventDestroy_v2(void* event) {
  const std::scoped_lock held(lock);
  --found.events;
  delete static_cast<fake_event*>(event);
  return success;
}
int cuEventRecord(void* event, void* stream) {
  const std::scoped_lock held(lock);
  *static_cast<fake_event*>(event) = {&stream_at(stream), stream_at(stream).issued};
  return success;
}
int cuEventQuery(void* event) {
  const std::scoped_lock held(lock);
  const fake_event& asked = *static_cast<fake_event*>(event);
  if (asked.reached()) return success;
  advance(*asked.stream, dice() % 3);
  return asked.reached() ? success : not_ready;
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  const std::scoped_lock held(lock);
  const fake_event marked = *static_cast<fake_event*>(event);
  issue(stream_at(stream), [marked] {
    if (!marked.reached()) advance(*marked.stream, 1);
    return marked.reached();
  });
  return success;
}

int cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, std::size_t bytes, void* stream) {
  const std::scoped_lock held(lock);
  return copy(to, alias_of(from, bytes), bytes, stream);
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, std::size_t bytes, void* stream) {
  const std::scoped_lock held(lock);
  return copy(alias_of(to, bytes), from, bytes, stream);
}
int cuMemcpyAsync(unsigned long long to, unsigned long long from, std::size_t bytes, void* stream) {
  const std::scoped_lock held(lock);
  return copy(alias_of(to, bytes), alias_of(from, bytes), bytes, stream);
}

/// CUDA_MEMCPY2D.
struct rows {
  std::size_t source_x, source_y;
  unsigned source_type;
  const void* source_host;
  unsigned long long source;
  void* source_array;
  std::size_t source_pitch;
  std::size_t target_x, target_y;
  unsigned target_type;
  void* target_host;
  unsigned long long target;
  void* target_array;
  std::size_t target_pitch;
  std::size_t width, height;
};
int cuMemcpy2DAsync_v2(const rows* copied, void* stream) {
  const std::scoped_lock held(lock);
  if (copied->width > copied->source_pitch || copied->width > copied->target_pitch)
    return invalid_value;
  for (std::size_t row = 0; row < copied->height; ++row) {
    const unsigned long long from = copied->source + row * copied->source_pitch;
    char* const host = static_cast<char*>(copied->target_host) + row * copied->target_pitch;
    char* const to = copied->target_type == 1
                         ? host
                         : alias_of(copied->target + row * copied->target_pitch, copied->width);
    if (const int refused = copy(to, alias_of(from, copied->width), copied->width, stream))
      return refused;
  }
  return success;
}

int cuMemAlloc_v2(unsigned long long* memory, std::size_t bytes) {
  const std::scoped_lock held(lock);
  if (entered.empty()) return invalid_context;
  *memory =
      reinterpret_cast<unsigned long long>(fake_driver::allocate(bytes, entered.back()->card));
  return success;
}
int cuMemFree_v2(unsigned long long memory) {
  fake_driver::release(reinterpret_cast<void*>(memory));
  return success;
}
/// What a handle says: whose it is, the descriptor there, its bytes and card.
struct handle {
  std::int64_t process, file, bytes, card;
  char unused[32];
};
int cuIpcGetMemHandle(handle* name, unsigned long long memory) {
  const std::scoped_lock held(lock);
  const auto shared = allocations.find(reinterpret_cast<char*>(memory));
  if (shared == allocations.end() || std::getenv("FAKE_DRIVER_NO_IPC") != nullptr) return 801;
  *name = {getpid(),
           shared->second.file,
           static_cast<std::int64_t>(shared->second.bytes),
           shared->second.card,
           {}};
  return success;
}
int cuIpcOpenMemHandle_v2(unsigned long long* memory, handle name, unsigned) {
  const std::scoped_lock held(lock);
  // A process must not open its own.
  if (entered.empty() || name.process == getpid()) return invalid_context;
  const std::string path =
      "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return invalid_value;
  const int way = std::getenv("FAKE_DRIVER_LOSES_IPC") != nullptr ? MAP_PRIVATE : MAP_SHARED;
  *memory = reinterpret_cast<unsigned long long>(
      map(file, static_cast<std::size_t>(name.bytes), static_cast<int>(name.card), way));
  ++found.mapped;
  return success;
}
int cuIpcCloseMemHandle(unsigned long long memory) {
  fake_driver::release(reinterpret_cast<void*>(memory));
  const std::scoped_lock held(lock);
  --found.mapped;
  return success;
}
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  const std::scoped_lock held(lock);
  if (entered.empty()) return invalid_context;
  *memory = new char[bytes];
  pinned_memory.insert(*memory);
  ++found.pinned;
  return success;
}
int cuMemFreeHost(void* memory) {
  const std::scoped_lock held(lock);
  if (pinned_memory.erase(memory) == 0) return invalid_value;
  delete[] static_cast<char*>(memory);
  --found.pinned;
  return success;
}
int cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned) {
  const std::scoped_lock held(lock);
  auto* const begin = static_cast<char*>(memory);
  if (reinterpret_cast<std::uintptr_t>(memory) % 4096 != 0 || bytes == 0) return invalid_value;
  for (const auto& [other, length] : pinned_pages)
    if (begin < other + length && other < begin + bytes) return pinned_before;
  pinned_pages[begin] = bytes;
  ++found.pinned;
  return success;
}
int cuMemHostUnregister(void* memory) {
  const std::scoped_lock held(lock);
  if (pinned_pages.erase(static_cast<char*>(memory)) == 0) return invalid_value;
  --found.pinned;
  return success;
}

}  // extern "C"
