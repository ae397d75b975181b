#pragma once
/// A machine_description is a machine as plain data: identical nodes, the stages in each, the
/// networks between them, and the paths that messages take. Platform files are converted to it; C++
/// tests write it directly.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "netsim/machine/fabric.hpp"
#include "netsim/machine/time.hpp"

namespace onehop::netsim {

/// A software_step is fixed work of a CPU or controller per message. Closed form: per_message +
/// [first of its chain] per_chain + pieces * per_piece + N / rate.
struct software_step {
  picoseconds per_message = 0;
  picoseconds per_chain = 0;
  picoseconds per_piece = 0;
  double rate = 0;
};

/// A copy_engine is a DMA engine, a memcpy, or a packing kernel. Closed form, per message: setup +
/// pieces * per_piece + N/rate.
struct copy_engine {
  picoseconds setup = 0;
  picoseconds per_piece = 0;
  double rate = 0;
};

/// A gpu_kernel is a GPU kernel that moves the message once. Closed form, per message: launch + N /
/// rate.
struct gpu_kernel {
  picoseconds launch = 0;
  double rate = 0;
};

/// An event_queue_entry is written to a queue that software polls: a delay of write + poll per
/// message. It occupies no unit.
struct event_queue_entry {
  picoseconds write = 0;
  picoseconds poll = 0;
};

/// A dma_engine reads memory (at the origin) or writes it (at the target), per packet. A packet of
/// n bytes occupies the engine for max(n/rate, (n/rate + gap) / channels); its first byte comes
/// `latency` after its request. At the origin `channels` messages take turns, and each row of a
/// strided source after the first takes `per_piece` to start. Closed form of the read: latency +
/// N/rate + (pieces - 1) * per_piece if nothing else limits it. With `window_bytes` W the engine
/// stops once W requested bytes are in flight: until all have come (`drains`: N per (latency +
/// W/rate) * N/W), or until the oldest packet has come (not `drains`: W per latency + n/rate). A W
/// below the packet size splits the packet: latency is paid once per W bytes.
struct dma_engine {
  std::uint32_t channels = 1;
  picoseconds gap = 0;
  picoseconds latency = 0;
  picoseconds per_piece = 0;
  double rate = 0;
  std::uint64_t window_bytes = 0;  ///< 0 for no limit
  bool drains = true;
};

/// A translation turns virtual into physical addresses, per packet: `hit` if the page is among the
/// `entries` most recently used, otherwise `miss`, one packet after another. If entries is 0, every
/// packet misses. With a rate, the packet is also moved before the next lookup (microcontroller).
struct translation {
  picoseconds hit = 0;
  picoseconds miss = 0;
  std::uint32_t entries = 0;
  std::uint32_t page_bytes = 4096;
  double rate = 0;
};

/// A bus_port works per packet: bytes are cut into payloads of `payload_bytes`, each with
/// `overhead_bytes` added, and follow each other at `rate` after `latency`.
struct bus_port {
  picoseconds latency = 0;
  double rate = 0;
  std::uint32_t payload_bytes = 256;
  std::uint32_t overhead_bytes = 0;
};

/// A message passes stages on its way through a node. Each kind of stage has a struct, like the
/// kinds in a platform file.
///
/// For N bytes in P packets of a message on an idle machine, `closed form` is the time that a stage
/// adds. Rates are in bytes per second; 0 means unlimited. Stages served *per message* work on all
/// of it before the next stage sees any (store and forward); stages served *per packet* pass the
/// head of a packet on while the rest follows (cut-through).
using stage_model = std::variant<software_step, copy_engine, gpu_kernel, event_queue_entry,
                                 dma_engine, translation, bus_port>;

/// Stages of one node that name the same unit share one server, such as a CPU or a microcontroller.
/// It serves in order of arrival. Consecutive stages of a message on it form one visit, during
/// which nothing else is served: two per-message stages, two per-packet stages, or at the origin
/// the last per-message and the first per-packet stage, whose visit ends when all packets have been
/// read.
struct stage {
  std::string name;
  std::string unit;  ///< name of the server; if empty, the stage has its own
  stage_model model;
};

/// Returns whether the model is served per message.
bool is_per_message(const stage_model& model) noexcept;

enum class memory : std::uint8_t { host, device };

/// A path lists stages by number, in the order in which they are passed. Per-message stages come
/// before per-packet stages at the origin, and after them at the target. The first per-packet stage
/// at the origin takes messages in turn and paces their packets; without one, packets enter the
/// network at once.
struct path {
  std::string name;
  memory from = memory::host;
  memory to = memory::host;
  std::vector<std::uint32_t> origin;
  std::vector<std::uint32_t> target;
  std::uint32_t fabric = 0;
  picoseconds local = 0;  ///< from reading the last byte until source_free is called
  /// Packets of longer messages rotate over the rails of a fat tree; others stay on one rail.
  std::uint64_t stripe_bytes = UINT64_MAX;
};

/// A source is contiguous, or rows apart from each other.
enum class shape : std::uint8_t { any, contiguous, strided };

/// A protocol says which messages make up a put of a given size; the first that fits is taken. It
/// holds path numbers, -1 for a control message that is not sent. The data are for the code that
/// posts messages; the network ignores them.
struct protocol {
  std::string name;
  std::string variant;
  memory from = memory::host;
  memory to = memory::host;
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = UINT64_MAX;
  std::uint64_t block_bytes = 0;  ///< most bytes of a message; 0: one message
  std::int32_t path = 0;
  std::int32_t grant = -1;    ///< path of a message from target to origin, before the data
  std::int32_t request = -1;  ///< path of a message from origin to target, before the data
  std::int32_t notice = -1;   ///< path of a message from origin to target, after the data
  shape rows = shape::any;
  std::uint32_t within = 0;  ///< for ranks of a block of this length; 0: all ranks
  bool of_node = false;      ///< only for ranks of one node
  std::int32_t credit = -1;  ///< path of the target to itself, before it accepts the data
};

/// collective_software names the schedules of collectives and the software overhead. The network
/// ignores it.
struct collective_software {
  std::string variant;
  std::string broadcast, allgather, allreduce, alltoall, barrier;
  picoseconds entry = 0;  ///< time per call that starts with a rank's own device data
  picoseconds step = 0;   ///< time per step
  double reduce_rate = 0;
  /// These paths lead from a node to itself: for copies between device and host memory, and for
  /// copies of up to `short_most` bytes.
  std::int32_t copy_out = -1, copy_in = -1;
  std::int32_t short_out = -1, short_in = -1;
  std::uint64_t short_most = 0;
  /// The variant of the messages between hosts when collectives of device memory are copied out,
  /// performed on the hosts and copied back. Without `is_staged`, only collectives that request it
  /// are staged.
  std::string staging_variant;
  bool is_staged = false;           ///< all collectives of device memory are staged
  std::uint64_t staging_block = 0;  ///< bytes per copy of a blocked alltoall; 0: all at once
  bool of_host = false;             ///< data are the hosts' own numbers, wherever ranks' memory is
};

/// A collective_algorithm says how a collective of certain sizes is performed, in place of
/// collective_software. The first that fits is taken. The network ignores it.
struct collective_algorithm {
  std::string name, variant, operation, schedule;
  bool of_host = true, of_device = true;  ///< kinds of memory that it serves
  std::uint64_t most_bytes = UINT64_MAX;  ///< most bytes a rank has at the end
  std::uint32_t fan = 2;                  ///< number of parts into which each tree level cuts its
                                          ///< ranks
  std::uint64_t segment_bytes = 0;        ///< bytes that a tree passes on at once; 0: all
  std::string staging;                    ///< staging of device memory: none, whole or parts
  std::uint32_t copies_out = 1;           ///< number of copies of a rank's own data to the host
  /// The paths of its copies between device and host, if they differ from the software's; -1 takes
  /// the software's.
  std::int32_t copy_out = -1, copy_in = -1;
  bool awaits_sources = false;  ///< a step also waits until the rank's own message is sent
};

/// A processor gives the cost of a kernel, launch + max(flops / rate, bytes / rate), and the time
/// until the host sees that its kernels have ended. The network ignores it.
struct processor {
  picoseconds launch = 0;
  double flops_per_second = 0;
  double bytes_per_second = 0;
  picoseconds wait = 0;
};

/// A dead_link is a cable that is cut in both directions: port `port` of `node`. On a torus, ports
/// are 2*axis for the positive and 2*axis+1 for the negative direction; in a fat tree, the links
/// up; in all_to_all, the other node.
struct dead_link {
  std::uint32_t fabric = 0;
  std::uint32_t node = 0;
  std::uint32_t port = 0;
};

/// The stages of a slow_node take `factor` times as long.
struct slow_node {
  std::uint32_t node = 0;
  double factor = 1;
};

struct machine_description {
  std::string name;
  std::uint32_t nodes = 1;
  std::vector<stage> stages;
  std::vector<fabric> fabrics;
  std::vector<path> paths;
  std::vector<protocol> protocols;
  std::vector<collective_software> collectives;
  std::vector<collective_algorithm> algorithms;
  processor host, gpu;
  std::vector<dead_link> dead_links;
  std::vector<slow_node> slow_nodes;
  /// The node of each rank; a node may have several ranks. If empty, rank r is on node r.
  std::vector<std::uint32_t> places;
  std::uint64_t seed = 1;  ///< seed of bit errors
  /// If true, every put of a chain arrives at the address of the first, as far as page tables can
  /// tell.
  bool one_buffer = false;

  /// Throws usage_error for anything that cannot be simulated, and names the part: a path to a
  /// missing stage, a torus whose cycles could deadlock, fewer places than nodes, ...
  void check() const;

  /// Returns the extents of the first fabric's torus in nodes, or {nodes} for other shapes.
  [[nodiscard]] std::vector<std::uint32_t> grid() const;
};

}  // namespace onehop::netsim
