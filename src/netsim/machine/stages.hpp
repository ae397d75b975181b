#pragma once
/// A message passes stages on its way through a node; each kind has a struct, as a platform states
/// it.
///
/// With N bytes in P packets of a message that meets an idle machine, a stage adds what `closed
/// form` says. Rates are bytes per second and 0 means without limit. Kinds served *per message*
/// work on all of it before the next stage sees any (store and forward); kinds served *per packet*
/// pass the head of a packet on while the rest follows (cut-through).

#include <cstdint>
#include <string>
#include <variant>

#include "netsim/machine/time.hpp"

namespace onehop::netsim {

/// A software_step is a fixed piece of work of a CPU or controller, per message. Closed form:
/// per_message + [first of its chain] per_chain + pieces * per_piece + N / rate.
struct software_step {
  picoseconds per_message = 0;
  picoseconds per_chain = 0;
  picoseconds per_piece = 0;
  double rate = 0;
};

/// A copy_engine is a DMA engine, a memcpy, or a kernel that packs. Closed form, per message: setup
/// + pieces * per_piece + N/rate.
struct copy_engine {
  picoseconds setup = 0;
  picoseconds per_piece = 0;
  double rate = 0;
};

/// A gpu_kernel is a kernel on a GPU that moves the message once. Closed form, per message: launch
/// + N / rate.
struct gpu_kernel {
  picoseconds launch = 0;
  double rate = 0;
};

/// An event_queue_entry is written to a queue that software polls: per message, a delay of write +
/// poll. Nothing is occupied meanwhile.
struct event_queue_entry {
  picoseconds write = 0;
  picoseconds poll = 0;
};

/// A dma_engine reads (at the origin) or writes (at the target) memory, per packet. A packet of n
/// bytes occupies the engine for max(n/rate, (n/rate + gap) / channels); its first byte comes
/// `latency` after its request. At the origin `channels` messages take turns, and each row of a
/// strided source after the first takes `per_piece` to start. Closed form of the read: latency +
/// N/rate + (pieces - 1) * per_piece if only those limit. With `window_bytes` W the engine stops
/// with W requested bytes on their way: until all have come (`drains`: N per (latency + W/rate) *
/// N/W), or until the oldest packet has come (not `drains`: W per latency + n/rate). A W below the
/// size of a packet splits it: latency is paid once per W bytes.
struct dma_engine {
  std::uint32_t channels = 1;
  picoseconds gap = 0;
  picoseconds latency = 0;
  picoseconds per_piece = 0;
  double rate = 0;
  std::uint64_t window_bytes = 0;  ///< 0 for no limit
  bool drains = true;
};

/// A translation turns virtual into physical addresses, per packet: `hit` when the page is among
/// the `entries` used last, `miss` otherwise, one packet after the other. With entries 0 every
/// packet misses. With a rate, the packet is also moved before the next one is looked up
/// (microcontroller).
struct translation {
  picoseconds hit = 0;
  picoseconds miss = 0;
  std::uint32_t entries = 0;
  std::uint32_t page_bytes = 4096;
  double rate = 0;
};

/// A bus_port works per packet: bytes are cut into `payload_bytes`, each with `overhead_bytes`
/// more, and follow each other at `rate` after `latency`.
struct bus_port {
  picoseconds latency = 0;
  double rate = 0;
  std::uint32_t payload_bytes = 256;
  std::uint32_t overhead_bytes = 0;
};

using stage_model = std::variant<software_step, copy_engine, gpu_kernel, event_queue_entry,
                                 dma_engine, translation, bus_port>;

/// Stages of one node that name the same unit share one server: a CPU, a microcontroller. It serves
/// in the order of arrival, and stages of a message that follow each other on it in one visit,
/// between which nothing else is served: two per message, two per packet, and at the origin a last
/// one per message with the first one per packet, whose visit ends when all packets have been read.
struct stage {
  std::string name;
  std::string unit;  ///< name of the server; empty: a server of its own
  stage_model model;
};

/// Returns whether the model is served per message.
bool is_per_message(const stage_model& model) noexcept;

}  // namespace onehop::netsim
