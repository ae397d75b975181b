// This file has devices and contexts.

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "fake_device/driver/state.hpp"

namespace fake_driver {

driver_state& state() {
  static driver_state& only = *new driver_state;
  return only;
}

context_stack& entered() {
  static thread_local context_stack contexts;
  return contexts;
}

bool in_context() { return !entered().empty(); }

counts counted() {
  const std::scoped_lock held(state().lock);
  return state().found;
}

}  // namespace fake_driver

using namespace fake_driver;

extern "C" {

int cuInit(unsigned) {
  return std::getenv("FAKE_DRIVER_DOES_NOT_START") != nullptr ? system_not_ready : success;
}
int cuDriverGetVersion(int* version) {
  *version = 13000;
  return success;
}
int cuGetErrorString(int, const char** words) {
  *words = "what fake devices say";
  return success;
}
int cuDeviceGetCount(int* count) {
  *count = devices;
  return success;
}
int cuDeviceGetName(char* words, int length, int device) {
  std::snprintf(words, static_cast<std::size_t>(length), "Fake %d", device);
  return success;
}
int cuDeviceGetPCIBusId(char* words, int length, int device) {
  std::snprintf(words, static_cast<std::size_t>(length), "0000:%02X:00.0", device + 1);
  return success;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{1} << 30;
  return success;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  const bool words = std::getenv("FAKE_DRIVER_NO_WORDS") == nullptr;
  switch (attribute) {
    case 75:
      *value = 9;
      return success;
    case 76:
      *value = 0;
      return success;
    case 92:
    case 98:
    case 122:
      *value = words ? 1 : 0;
      return success;
    default:
      return invalid_value;
  }
}
int cuDeviceCanAccessPeer(int* value, int device, int peer) {
  *value = device != peer ? 1 : 0;
  return success;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (device < 0 || device >= devices) return invalid_device;
  *context = &state().contexts[device];
  return success;
}
int cuCtxPushCurrent_v2(void* context) {
  if (context != &state().contexts[0] && context != &state().contexts[1]) return invalid_context;
  entered().push_back(static_cast<fake_context*>(context));
  return success;
}
int cuCtxPopCurrent_v2(void** context) {
  if (entered().empty()) return invalid_context;
  *context = entered().back();
  entered().pop_back();
  return success;
}
int cuCtxEnablePeerAccess(void* peer, unsigned flags) {
  const std::scoped_lock held(state().lock);
  if (entered().empty() || flags != 0) return invalid_context;
  bool& reaches = entered().back()->reaches[static_cast<fake_context*>(peer)->device];
  return std::exchange(reaches, true) ? peer_enabled_before : success;
}
int cuCtxGetDevice(int* device) {
  if (entered().empty()) return invalid_context;
  *device = entered().back()->device;
  return success;
}

}  // extern "C"
