#include "bind.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <onehop/error.hpp>

#include <cstdint>

#include "device/cuda_module.hpp"
#include "gpu/peer_memory.hpp"
#include "gpu/report.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

int count_cards() {
  int cards = 0;
  onehop::gpu::driver::load().device_count(&cards);
  return cards;
}

void bind_driver(nb::module_& m) {
  using onehop::gpu::card_report;
  using onehop::gpu::driver_report;
  nb::class_<card_report>(m, "DriverCard", "A card, and what puts can do with it.")
      .def_ro("name", &card_report::name)
      .def_ro("major", &card_report::major, "Of its compute capability.")
      .def_ro("minor", &card_report::minor)
      .def_ro("memory_bytes", &card_report::memory_bytes)
      .def_ro("bus", &card_report::bus)
      .def_ro("peers", &card_report::peers, "Cards whose memory it can reach itself.")
      .def_prop_ro(
          "stream_words", [](const card_report& card) { return card.words.write_and_wait; },
          "Its streams write and wait for words of memory.")
      .def_prop_ro(
          "flushes_words", [](const card_report& card) { return card.words.flush; },
          "Such a wait can make sure of what other cards wrote before.");
  nb::class_<driver_report>(m, "DriverReport", "What the CUDA driver says of this machine.")
      .def_ro("problem", &driver_report::problem, "Why no card can be used; empty when one can.")
      .def_ro("version", &driver_report::version, "Newest CUDA that it knows; empty without one.")
      .def_ro("cards", &driver_report::cards)
      .def_ro("kernels_problem", &driver_report::kernels_problem,
              "Why puts have no kernels; empty when they have.");
  m.def("inspect_driver", &onehop::gpu::inspect_driver,
        "Needs no CUDA module and makes no use of any card.");
}

}  // namespace

void bind_device(nb::module_& m) {
  bind_driver(m);
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
  m.def(
      "card_of",
      [](std::uintptr_t address) {
        return onehop::device::card_of(reinterpret_cast<const void*>(address));
      },
      "address"_a, "The card whose memory this is; None where no card knows of it.");
  m.def(
      "order_streams",
      [](std::uintptr_t follower, std::uintptr_t leader, std::uintptr_t address) {
        onehop::device::order_streams(reinterpret_cast<void*>(follower),
                                      reinterpret_cast<void*>(leader),
                                      reinterpret_cast<const void*>(address));
      },
      "follower"_a, "leader"_a, "address"_a,
      "What is enqueued on one stream from now on waits for what the other holds now; of the card "
      "where the memory lies.");
  m.def(
      "copy_from_card",
      [](nb::ndarray<nb::c_contig, nb::device::cpu> to, std::uintptr_t address,
         std::uintptr_t stream) {
        const nb::gil_scoped_release released;
        onehop::device::copy_from_card(to.data(), reinterpret_cast<const void*>(address),
                                       to.nbytes(), reinterpret_cast<void*>(stream));
      },
      "to"_a.noconvert(), "address"_a, "stream"_a,
      "Fills an array of the host in the order of a stream, and waits for that.");
  m.def("count_cards", &count_cards,
        "Raises UsageError unless this machine has a CUDA driver and a card.");
  nb::class_<onehop::gpu::card_memory>(m, "CardMemory", "Zeroed memory of a card.")
      .def(
          "__init__",
          [](onehop::gpu::card_memory* self, int card, std::size_t bytes) {
            const int cards = count_cards();
            if (card < 0 || card >= cards)
              throw onehop::usage_error("there is no CUDA card " + std::to_string(card) +
                                        ": this machine has " + std::to_string(cards) +
                                        ", counted from 0");
            onehop::gpu::driver::context owner = nullptr;
            const onehop::gpu::driver& known = onehop::gpu::driver::load();
            known.require(known.retain_primary(&owner, card), "cuDevicePrimaryCtxRetain");
            new (self) onehop::gpu::card_memory(owner, bytes);
          },
          "card"_a, "bytes"_a)
      .def_prop_ro("address", [](const onehop::gpu::card_memory& memory) {
        return reinterpret_cast<std::uintptr_t>(memory.data());
      });
  m.def("inspect_cuda", &onehop::device::inspect_cuda, "Makes no use of any card.");
}
