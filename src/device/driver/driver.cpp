#include "device/driver/driver.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <onehop/error.hpp>
#include <optional>

#include "base/text.hpp"

namespace onehop::device {
namespace {

constexpr const char* library_name = "libcuda.so.1";

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

std::optional<driver> look_up(void* library) {
  driver found{};
  const bool whole = find(library, "cuInit", found.init) &&
                     find(library, "cuGetErrorString", found.get_error_string) &&
                     find(library, "cuDriverGetVersion", found.driver_version) &&
                     find(library, "cuDeviceGetCount", found.device_count) &&
                     find(library, "cuDeviceGetName", found.device_name) &&
                     find(library, "cuDeviceGetPCIBusId", found.device_bus) &&
                     find(library, "cuDeviceTotalMem_v2", found.device_bytes) &&
                     find(library, "cuDeviceGetAttribute", found.device_attribute) &&
                     find(library, "cuDeviceCanAccessPeer", found.reaches_peer) &&
                     find(library, "cuDevicePrimaryCtxRetain", found.retain_primary) &&
                     find(library, "cuPointerGetAttribute", found.pointer_attribute) &&
                     find(library, "cuPointerGetAttributes", found.pointer_attributes) &&
                     find(library, "cuCtxPushCurrent_v2", found.push_context) &&
                     find(library, "cuCtxPopCurrent_v2", found.pop_context) &&
                     find(library, "cuCtxGetDevice", found.context_device) &&
                     find(library, "cuCtxEnablePeerAccess", found.enable_peer) &&
                     find(library, "cuStreamCreate", found.create_stream) &&
                     find(library, "cuStreamDestroy_v2", found.destroy_stream) &&
                     find(library, "cuStreamSynchronize", found.synchronise_stream) &&
                     find(library, "cuStreamWaitEvent", found.wait_event) &&
                     find(library, "cuStreamIsCapturing", found.is_capturing) &&
                     find(library, "cuStreamWriteValue32_v2", found.write_word) &&
                     find(library, "cuStreamWaitValue32_v2", found.wait_word) &&
                     find(library, "cuEventCreate", found.create_event) &&
                     find(library, "cuEventDestroy_v2", found.destroy_event) &&
                     find(library, "cuEventRecord", found.record_event) &&
                     find(library, "cuEventQuery", found.query_event) &&
                     find(library, "cuMemcpyDtoHAsync_v2", found.copy_to_host) &&
                     find(library, "cuMemcpyHtoDAsync_v2", found.copy_to_device) &&
                     find(library, "cuMemcpyAsync", found.copy) &&
                     find(library, "cuMemcpy2DAsync_v2", found.copy_rows) &&
                     find(library, "cuMemAlloc_v2", found.allocate) &&
                     find(library, "cuMemFree_v2", found.free) &&
                     find(library, "cuMemHostAlloc", found.allocate_host) &&
                     find(library, "cuMemFreeHost", found.free_host) &&
                     find(library, "cuMemHostRegister_v2", found.register_host) &&
                     find(library, "cuMemHostUnregister", found.unregister_host) &&
                     find(library, "cuIpcGetMemHandle", found.get_handle) &&
                     find(library, "cuIpcOpenMemHandle_v2", found.open_handle) &&
                     find(library, "cuIpcCloseMemHandle", found.close_handle);
  if (!whole) return std::nullopt;
  return found;
}

/// Returns how many libraries this process has loaded so far.
unsigned long long loads() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* count_of_all) {
        *static_cast<unsigned long long*>(count_of_all) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

/// The library is never closed, because pointers to functions of the driver are kept.
const driver* look_up_once(void* library) {
  static const std::optional<driver> found = look_up(library);
  return found ? &*found : nullptr;
}

}  // namespace

const driver* driver::loaded() {
  static std::atomic<const driver*> known = nullptr;
  static std::atomic<unsigned long long> loads_without = 0;
  if (const driver* const found = known.load(std::memory_order_acquire)) return found;
  // A process that has device memory has loaded the driver, perhaps only just now. Looking for a
  // missing library searches every folder, which takes longer than the commit that asks.
  const unsigned long long before = loads();
  if (before == loads_without.load(std::memory_order_relaxed)) return nullptr;
  void* const library = dlopen(library_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) {
    loads_without.store(before, std::memory_order_relaxed);
    return nullptr;
  }
  const driver* const found = look_up_once(library);
  known.store(found, std::memory_order_release);
  return found;
}

const driver& driver::load() {
  void* const library = dlopen(library_name, RTLD_LAZY);
  if (library == nullptr)
    throw usage_error(text("no CUDA driver on this machine (", library_name,
                           "): install the driver of its device, or use memory of the host"));
  const driver* const found = look_up_once(library);
  if (found == nullptr)
    throw usage_error(text("the CUDA driver of this machine (", library_name,
                           ") is older than CUDA 12: install a newer one"));
  int devices = 0;
  const result ready = found->init(0);
  if (ready != 0 && ready != no_device)
    throw usage_error(
        text("the CUDA driver of this machine does not start: ", found->words_of(ready), " (",
             ready, "): see nvidia-smi, or use memory of the host"));
  if (ready == 0) found->device_count(&devices);
  if (devices == 0)
    throw usage_error(
        "no CUDA device on this machine, or none that is visible: use memory of the host");
  return *found;
}

void driver::require(result outcome, std::string_view call) const {
  if (outcome == 0) return;
  throw resource_error(text(call, ": ", words_of(outcome), " (", outcome,
                            "); see nvidia-smi and the kernel log for what became of the device"));
}

std::string_view driver::words_of(result outcome) const {
  const char* words = nullptr;
  get_error_string(outcome, &words);
  return words == nullptr ? "unknown error" : words;
}

entered::entered(const driver& with, driver::context owner) : driver_(with) {
  driver_.require(driver_.push_context(owner), "cuCtxPushCurrent");
}

entered::~entered() {
  driver::context popped = nullptr;
  driver_.pop_context(&popped);
}

}  // namespace onehop::device
