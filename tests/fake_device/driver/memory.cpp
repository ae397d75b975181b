// This file has memory of devices, memory that devices share with other processes, and memory of
// the host.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "fake_device/driver/state.hpp"

namespace fake_driver {
namespace {

struct allocation {
  std::size_t bytes;
  char* alias;  ///< address at which the memory can be reached
  int device;
  int file;                              ///< file behind the memory
  bool opened = false, managed = false;  ///< it is another process's; the driver moves it
};

struct all_memory {
  std::map<char*, allocation> allocations;
  std::map<char*, std::size_t> pinned_pages;
  std::set<void*> pinned_memory;
};
all_memory& parts() {
  static all_memory& only = *new all_memory;
  return only;
}

const allocation* allocation_at(address memory, char** begin = nullptr) {
  if (alias_of(memory, 1) == nullptr) return nullptr;
  auto next = --parts().allocations.upper_bound(reinterpret_cast<char*>(memory));
  if (begin != nullptr) *begin = next->first;
  return &next->second;
}

void* map(int file, std::size_t bytes, int device, int way = MAP_SHARED) {
  const int access =
      std::getenv("FAKE_DRIVER_OPEN") != nullptr ? PROT_READ | PROT_WRITE : PROT_NONE;
  auto* memory = static_cast<char*>(mmap(nullptr, bytes, access, MAP_SHARED, file, 0));
  auto* alias = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, way, file, 0));
  parts().allocations[memory] = {bytes, alias, device, file, false, false};
  return memory;
}

}  // namespace

char* alias_of(address memory, std::size_t bytes) {
  auto* at = reinterpret_cast<char*>(memory);
  auto next = parts().allocations.upper_bound(at);
  if (next == parts().allocations.begin()) return nullptr;
  --next;
  const auto offset = static_cast<std::size_t>(at - next->first);
  return offset + bytes <= next->second.bytes ? next->second.alias + offset : nullptr;
}

void* allocate(std::size_t bytes, int device) {
  const std::scoped_lock held(state().lock);
  const std::size_t whole = (bytes + 4096) / 4096 * 4096;
  const int file = memfd_create("device", MFD_CLOEXEC);
  if (ftruncate(file, static_cast<off_t>(whole)) != 0) return nullptr;
  return map(file, whole, device);
}

void* allocate_managed(std::size_t bytes) {
  void* const memory = allocate(bytes, 0);
  const std::scoped_lock held(state().lock);
  parts().allocations[static_cast<char*>(memory)].managed = true;
  return memory;
}

bool kernels_reach(const void* memory) {
  const std::scoped_lock held(state().lock);
  const allocation* const at = allocation_at(reinterpret_cast<address>(memory));
  return at == nullptr || at->opened || entered().back()->reaches[at->device];
}

void release(void* memory) {
  const std::scoped_lock held(state().lock);
  const auto gone = parts().allocations.find(static_cast<char*>(memory));
  close(gone->second.file);
  munmap(gone->second.alias, gone->second.bytes);
  munmap(memory, gone->second.bytes);
  parts().allocations.erase(gone);
}

void* reach(const void* memory) {
  const std::scoped_lock held(state().lock);
  return alias_of(reinterpret_cast<address>(memory), 0);
}

void open_to_host(void* memory, bool opened) {
  const std::scoped_lock held(state().lock);
  const auto found = parts().allocations.find(static_cast<char*>(memory));
  mprotect(memory, found->second.bytes, opened ? PROT_READ | PROT_WRITE : PROT_NONE);
}

}  // namespace fake_driver

using namespace fake_driver;

extern "C" {

int cuPointerGetAttribute(void* value, int attribute, address of) {
  const std::scoped_lock held(state().lock);
  char* begin = nullptr;
  const allocation* const at = allocation_at(of, &begin);
  if (at == nullptr) return invalid_value;
  switch (attribute) {
    case 1:
      *static_cast<void**>(value) = &state().contexts[at->device];
      return success;
    case 2:
      *static_cast<unsigned*>(value) = 2;
      return success;
    case 8:
      *static_cast<unsigned*>(value) = at->managed ? 1 : 0;
      return success;
    case 9:
      *static_cast<int*>(value) = at->device;
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
/// Says zeros of memory that it does not know. The values asked for are pointers or of four bytes.
int cuPointerGetAttributes(unsigned count, const int* attributes, void** values, address of) {
  for (unsigned k = 0; k < count; ++k)
    if (cuPointerGetAttribute(values[k], attributes[k], of) != success)
      std::memset(values[k], 0, attributes[k] == 1 ? sizeof(void*) : sizeof(int));
  return success;
}
int cuMemAlloc_v2(address* memory, std::size_t bytes) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  *memory = reinterpret_cast<address>(allocate(bytes, entered().back()->device));
  return success;
}
int cuMemFree_v2(address memory) {
  if (entered().empty()) return invalid_context;
  await_moving_streams();
  release(reinterpret_cast<void*>(memory));
  return success;
}
/// A handle says whose the memory is, the descriptor there, its bytes and device.
struct handle {
  std::int64_t process, file, bytes, device;
  char unused[32];
};
int cuIpcGetMemHandle(handle* name, address memory) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  const auto shared = parts().allocations.find(reinterpret_cast<char*>(memory));
  if (shared == parts().allocations.end() || std::getenv("FAKE_DRIVER_NO_IPC") != nullptr)
    return not_supported;
  *name = {getpid(),
           shared->second.file,
           static_cast<std::int64_t>(shared->second.bytes),
           shared->second.device,
           {}};
  return success;
}
int cuIpcOpenMemHandle_v2(address* memory, handle name, unsigned) {
  const std::scoped_lock held(state().lock);
  // A process must not open its own memory.
  if (entered().empty() || name.process == getpid()) return invalid_context;
  const std::string path =
      "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return invalid_value;
  const int way = std::getenv("FAKE_DRIVER_LOSES_IPC") != nullptr ? MAP_PRIVATE : MAP_SHARED;
  *memory = reinterpret_cast<address>(
      map(file, static_cast<std::size_t>(name.bytes), static_cast<int>(name.device), way));
  parts().allocations[reinterpret_cast<char*>(*memory)].opened = true;
  ++state().found.mapped;
  return success;
}
int cuIpcCloseMemHandle(address memory) {
  if (entered().empty()) return invalid_context;
  release(reinterpret_cast<void*>(memory));
  const std::scoped_lock held(state().lock);
  --state().found.mapped;
  return success;
}
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  *memory = new char[bytes];
  parts().pinned_memory.insert(*memory);
  ++state().found.pinned;
  return success;
}
int cuMemFreeHost(void* memory) {
  await_moving_streams();
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  if (parts().pinned_memory.erase(memory) == 0) return invalid_value;
  delete[] static_cast<char*>(memory);
  --state().found.pinned;
  return success;
}
int cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  if (std::getenv("FAKE_DRIVER_PINS_NOTHING") != nullptr) return not_supported;
  auto* const begin = static_cast<char*>(memory);
  if (reinterpret_cast<std::uintptr_t>(memory) % 4096 != 0 || bytes == 0) return invalid_value;
  for (const auto& [other, length] : parts().pinned_pages)
    if (begin < other + length && other < begin + bytes) return pinned_before;
  parts().pinned_pages[begin] = bytes;
  ++state().found.pinned;
  return success;
}
int cuMemHostUnregister(void* memory) {
  const std::scoped_lock held(state().lock);
  if (entered().empty()) return invalid_context;
  if (parts().pinned_pages.erase(static_cast<char*>(memory)) == 0) return invalid_value;
  --state().found.pinned;
  return success;
}

}  // extern "C"
