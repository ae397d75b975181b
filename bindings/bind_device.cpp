#include "bind.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "device/cuda_module.hpp"

namespace nb = nanobind;

void bind_device(nb::module_& m) {
  using onehop::device::cuda_card;
  using onehop::device::cuda_report;
  nb::class_<cuda_card>(m, "CudaCard", "A card as its driver describes it.")
      .def_ro("name", &cuda_card::name)
      .def_ro("major", &cuda_card::major, "Of its compute capability.")
      .def_ro("minor", &cuda_card::minor)
      .def_ro("memory_bytes", &cuda_card::memory_bytes)
      .def_ro("bus", &cuda_card::bus)
      .def_ro("peers", &cuda_card::peers, "Cards whose memory it can reach itself.");
  nb::class_<cuda_report>(m, "CudaReport", "What this installation and this machine have of CUDA.")
      .def_ro("problem", &cuda_report::problem, "Why no card can be used; empty when one can.")
      .def_ro("runtime", &cuda_report::runtime, "CUDA of the module; empty without a module.")
      .def_ro("driver", &cuda_report::driver, "Newest CUDA of the driver; empty without one.")
      .def_ro("cards", &cuda_report::cards);
  m.def("inspect_cuda", &onehop::device::inspect_cuda, "Makes no use of any card.");
}
