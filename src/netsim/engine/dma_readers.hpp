#pragma once
/// DMA engines read messages at their origins; the number of requests in flight may be limited.

#include <cstdint>
#include <vector>

#include "netsim/engine/servers.hpp"

namespace onehop::netsim {

/// Every node has one reader per injector; only readers whose stage is a DMA engine are used.
class dma_readers {
 public:
  dma_readers(const compiled_machine& machine, servers& all_servers);

  /// Reads the message's next `bytes`, not before `at`. Returns when they leave the engine.
  flow read(std::uint32_t injector, const moving_message& from, std::uint32_t bytes,
            picoseconds at);

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    std::size_t sum = ends_.capacity() * sizeof(picoseconds);
    for (const auto& of_nodes : windows_) sum += of_nodes.capacity() * sizeof(request_window);
    return sum;
  }

 private:
  /// A request_window tracks what is in flight: the bytes that may still be requested before
  /// everything must come back, or one packet per slot.
  struct request_window {
    std::uint64_t left = 0;
    picoseconds drained = 0;
    std::uint32_t slot = 0;
  };

  request_window& window_of(std::uint32_t injector, std::uint32_t node);
  picoseconds wait(request_window& used, const packet_stage& stage, std::uint32_t packets,
                   const picoseconds* ends, std::uint32_t bytes, picoseconds at);

  const compiled_machine& machine_;
  servers& servers_;
  std::vector<big_vector<request_window>> windows_;  // by injector (if it used a window) and node
  big_vector<picoseconds> ends_;                     // by node and slot: when its packet came
};

}  // namespace onehop::netsim
