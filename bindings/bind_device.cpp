#include "bind.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <onehop/error.hpp>

#include <cstdint>

#include "device/cuda_module.hpp"
#include "device/driver/foreign.hpp"
#include "device/driver/location.hpp"
#include "device/driver/peer_memory.hpp"
#include "device/driver/report.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

int count_devices() {
  int devices = 0;
  onehop::device::driver::load().device_count(&devices);
  return devices;
}

void bind_driver(nb::module_& m) {
  using onehop::device::device_report;
  using onehop::device::driver_report;
  nb::class_<device_report>(m, "DriverDevice", "A device, and what puts can do with it.")
      .def_ro("name", &device_report::name)
      .def_ro("major", &device_report::major, "Major number of its compute capability.")
      .def_ro("minor", &device_report::minor)
      .def_ro("memory_bytes", &device_report::memory_bytes)
      .def_ro("bus", &device_report::bus)
      .def_ro("peers", &device_report::peers, "Devices whose memory it can access directly.")
      .def_prop_ro(
          "stream_words", [](const device_report& device) { return device.words.write_and_wait; },
          "True if its streams can write and wait for words of memory.")
      .def_prop_ro(
          "flushes_words", [](const device_report& device) { return device.words.flush; },
          "True if such a wait can also guarantee that earlier writes of other devices are "
          "visible.");
  nb::class_<driver_report>(m, "DriverReport", "What the CUDA driver reports about this machine.")
      .def_ro("problem", &driver_report::problem, "Why no device can be used; empty if one can.")
      .def_ro("version", &driver_report::version,
              "Newest CUDA version that the driver supports; empty without a driver.")
      .def_ro("devices", &driver_report::devices)
      .def_ro("kernels_problem", &driver_report::kernels_problem,
              "Why there are no kernels for puts; empty if there are.");
  m.def("inspect_driver", &onehop::device::inspect_driver,
        "Returns a report of the CUDA driver; needs no CUDA module and uses no device.");
}

}  // namespace

void bind_device(nb::module_& m) {
  bind_driver(m);
  using onehop::device::cuda_report;
  nb::class_<cuda_report>(m, "CudaReport",
                          "What this installation and this machine provide for CUDA.")
      .def_ro("problem", &cuda_report::problem, "Why no device can be used; empty if one can.")
      .def_ro("runtime", &cuda_report::runtime,
              "CUDA version of the module; empty without a module.")
      .def_ro("driver", &cuda_report::driver,
              "Newest CUDA version that the driver supports; empty without a driver.")
      .def_ro("devices", &cuda_report::devices);
  m.def(
      "device_of",
      [](std::uintptr_t address) {
        const auto found = onehop::device::location_of(reinterpret_cast<const void*>(address));
        return found ? std::optional(found->device) : std::nullopt;
      },
      "address"_a, "Returns the device to which this memory belongs; None if no device knows it.");
  m.def(
      "order_streams",
      [](std::uintptr_t follower, std::uintptr_t leader, std::uintptr_t address) {
        onehop::device::order_streams(reinterpret_cast<void*>(follower),
                                      reinterpret_cast<void*>(leader),
                                      reinterpret_cast<const void*>(address));
      },
      "follower"_a, "leader"_a, "address"_a,
      "Makes the work enqueued on one stream from now on wait for what the other stream holds now; "
      "both belong to the device of the memory.");
  m.def(
      "copy_from_device",
      [](nb::ndarray<nb::c_contig, nb::device::cpu> to, std::uintptr_t address,
         std::uintptr_t stream) {
        const nb::gil_scoped_release released;
        onehop::device::copy_from_device(to.data(), reinterpret_cast<const void*>(address),
                                         to.nbytes(), reinterpret_cast<void*>(stream));
      },
      "to"_a.noconvert(), "address"_a, "stream"_a,
      "Copies to a host array in the order of a stream, and waits for the copy.");
  m.def("count_devices", &count_devices,
        "Returns the number of devices. Raises UsageError unless this machine has a CUDA driver "
        "and a device.");
  nb::class_<onehop::device::device_memory>(m, "DeviceMemory",
                                            "Zero-initialised memory of a device.")
      .def(
          "__init__",
          [](onehop::device::device_memory* self, int device, std::size_t bytes) {
            const int devices = count_devices();
            if (device < 0 || device >= devices)
              throw onehop::usage_error("there is no CUDA device " + std::to_string(device) +
                                        ": this machine has " + std::to_string(devices) +
                                        ", counted from 0");
            onehop::device::driver::context owner = nullptr;
            const onehop::device::driver& known = onehop::device::driver::load();
            known.require(known.retain_primary(&owner, device), "cuDevicePrimaryCtxRetain");
            new (self) onehop::device::device_memory(owner, bytes);
          },
          "device"_a, "bytes"_a)
      .def_prop_ro("address", [](const onehop::device::device_memory& memory) {
        return reinterpret_cast<std::uintptr_t>(memory.data());
      });
  m.def("inspect_cuda", &onehop::device::inspect_cuda, "Returns a report of CUDA; uses no device.");
}
