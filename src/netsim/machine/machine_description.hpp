#pragma once
/// A machine_description is a machine as plain data: equal nodes, the stages in each, the networks
/// between them, and the paths that messages take. Platform files become this; C++ tests write it
/// directly.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "netsim/machine/fabric.hpp"
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

/// A message passes stages on its way through a node; each kind has a struct, as a platform states
/// it.
///
/// With N bytes in P packets of a message that meets an idle machine, a stage adds what `closed
/// form` says. Rates are bytes per second and 0 means without limit. Kinds served *per message*
/// work on all of it before the next stage sees any (store and forward); kinds served *per packet*
/// pass the head of a packet on while the rest follows (cut-through).
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

enum class memory : std::uint8_t { host, device };

/// A path lists stages by their number, in the order in which they are passed. At the origin those
/// served per message come before those served per packet, at the target after. The first one per
/// packet at the origin takes messages in turn and paces their packets; without one they enter the
/// network at once.
struct path {
  std::string name;
  memory from = memory::host;
  memory to = memory::host;
  std::vector<std::uint32_t> origin;
  std::vector<std::uint32_t> target;
  std::uint32_t fabric = 0;
  picoseconds local = 0;  ///< from the last byte read until source_free is told
  /// Packets of longer messages take turns on the rails of a fat tree; others stay on one rail.
  std::uint64_t stripe_bytes = UINT64_MAX;
};

/// A source is one piece, or rows apart from each other.
enum class shape : std::uint8_t { any, contiguous, strided };

/// A protocol says how puts of a size are made of messages; the first that fits is taken. It has
/// numbers of paths, -1 for a control message that is not sent. These are data for whoever posts
/// messages: the network ignores them.
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
  std::uint32_t within = 0;  ///< ranks of a block of this length take it; 0: all ranks
  bool of_node = false;      ///< ranks of one node take it, and no others
  std::int32_t credit = -1;  ///< path of the target to itself, before it takes the data in
};

/// collective_software has the schedules of collectives by name, and what software adds. The
/// network ignores it.
struct collective_software {
  std::string variant;
  std::string broadcast, allgather, allreduce, alltoall, barrier;
  picoseconds entry = 0;  ///< time per call that begins with a rank's own data in device memory
  picoseconds step = 0;   ///< time per step
  double reduce_rate = 0;
  /// These are paths of a node to itself: for copies between the memory of its device and of its
  /// host, and for copies of up to `short_most` bytes.
  std::int32_t copy_out = -1, copy_in = -1;
  std::int32_t short_out = -1, short_in = -1;
  std::uint64_t short_most = 0;
  /// The variant of the messages between the hosts, where collectives of device memory are copied
  /// out, done there and copied back. Without `is_staged` only those are that ask for it.
  std::string staging_variant;
  bool is_staged = false;           ///< all collectives of device memory are staged
  std::uint64_t staging_block = 0;  ///< bytes of a copy of an alltoall in blocks; 0: all at once
  bool of_host = false;  ///< data are numbers of the hosts, wherever the ranks' memory is
};

/// A collective_algorithm says how a collective of some sizes is done, instead of
/// collective_software. The first that fits is taken. The network ignores it.
struct collective_algorithm {
  std::string name, variant, operation, schedule;
  bool of_host = true, of_device = true;  ///< the kinds of memory that it is for
  std::uint64_t most_bytes = UINT64_MAX;  ///< most bytes that a rank has at the end
  std::uint32_t fan = 2;                  ///< number of parts that a level of a tree cuts its ranks
                                          ///< into
  std::uint64_t segment_bytes = 0;        ///< bytes that a tree passes on at once; 0: all
  std::string staging;                    ///< staging of device memory: none, whole or parts
  std::uint32_t copies_out = 1;           ///< number of copies to the host of a rank's own data
  /// The paths of its copies between device and host, where they differ from the software's; -1
  /// takes the software's.
  std::int32_t copy_out = -1, copy_in = -1;
  bool awaits_sources = false;  ///< a step ends when the rank's own message has been sent too
};

/// A processor says what a kernel costs: launch + max(flops / rate, bytes / rate), and what it
/// takes until the host sees that its kernels are over. The network ignores it.
struct processor {
  picoseconds launch = 0;
  double flops_per_second = 0;
  double bytes_per_second = 0;
  picoseconds wait = 0;
};

/// A dead_link is a cable that is cut in both directions: port `port` of `node`. Ports of a torus
/// are 2*axis for the positive and 2*axis+1 for the negative direction; of a fat tree the links up;
/// of all_to_all the other node.
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
  /// The node of each rank, which may have several; empty: rank r is on node r.
  std::vector<std::uint32_t> places;
  std::uint64_t seed = 1;  ///< seed of bit errors
  /// True makes every put of a chain arrive where the first did, as far as page tables can tell.
  bool one_buffer = false;

  /// Throws usage_error for anything that cannot be simulated, naming the part: a path to a stage
  /// that is not there, a torus whose cycles could deadlock, fewer places than nodes, ...
  void check() const;

  /// Returns the nodes along each axis of the first fabric's torus, or {nodes}.
  [[nodiscard]] std::vector<std::uint32_t> grid() const;
};

}  // namespace onehop::netsim
