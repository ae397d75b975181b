#pragma once
/// DMA engines read messages at their origins, and each may have some requests on their way.

#include <cstdint>

#include "netsim/engine/servers.hpp"

namespace onehop::netsim {

/// Every node has a reader for each injector; those are used whose stage is a DMA engine.
class dma_readers {
 public:
  dma_readers(const compiled_machine& machine, servers& all_servers);

  /// Reads the message's next `bytes`, not before `at`. Returns when they leave the engine.
  flow read(std::uint32_t injector, const moving_message& from, std::uint32_t bytes,
            picoseconds at);

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return windows_.capacity() * sizeof(request_window) + ends_.capacity() * sizeof(picoseconds);
  }

 private:
  /// A request_window says how much is on its way: the bytes that may still be requested before all
  /// have come back, or a packet in each slot.
  struct request_window {
    std::uint64_t left = 0;
    picoseconds drained = 0;
    std::uint32_t slot = 0;
  };

  picoseconds wait(request_window& used, const packet_stage& stage, std::uint32_t packets,
                   const picoseconds* ends, std::uint32_t bytes, picoseconds at);

  const compiled_machine& machine_;
  servers& servers_;
  big_vector<request_window> windows_;  // by node and injector
  big_vector<picoseconds> ends_;        // by node and slot, when its packet has come
};

}  // namespace onehop::netsim
