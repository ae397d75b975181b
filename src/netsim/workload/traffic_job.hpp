#pragma once
/// In a traffic_job every node sends messages at random times, to measure a network or to load it.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "netsim/machine/machine_description.hpp"
#include "netsim/workload/dispatcher.hpp"

namespace onehop::netsim {

/// A traffic_pattern says to which node the messages of a node go.
enum class traffic_pattern : std::uint8_t {
  uniform,         ///< any other node, drawn for every message
  shift,           ///< the node `distance` further
  bit_complement,  ///< from node i to nodes - 1 - i
  permutation,     ///< a permutation drawn once: one cycle through all nodes
  adversarial      ///< the worst case for the topology's minimal routing
};

/// The targets of a machine's nodes are on its first fabric. The adversarial pattern depends on the
/// shape. Dragonfly and dragonfly+: a node of the next group, drawn for every message (Kim et al.).
/// HyperX: the node at the same place on the next switch along the first axis. Torus and rings:
/// tornado, (extent - 1) / 2 further along the first axis (Singh et al., 2003). Mesh: the node
/// opposite through the middle. Fat tree: the node half of the machine further. All pairs: the next
/// node.
class traffic_targets {
 public:
  /// Throws usage_error for fewer than two nodes, for a distance that is a multiple of their
  /// number, and for the adversarial pattern of a graph, because none is known.
  traffic_targets(const machine_description& machine, traffic_pattern pattern,
                  std::uint32_t distance, std::uint64_t seed);

  /// Returns the target of a message from a node. If it is the node itself, nothing is sent. `draw`
  /// is a random number of the message.
  [[nodiscard]] std::uint32_t operator()(std::uint32_t origin, std::uint32_t draw) const;

 private:
  [[nodiscard]] std::uint32_t worst(std::uint32_t origin, std::uint32_t draw) const;
  void permute(std::uint64_t seed);

  topology shape_;
  traffic_pattern pattern_;
  std::uint32_t nodes_, distance_;
  std::vector<std::uint32_t> permuted_;
};

/// A load of 1 keeps the first link of every node busy. The times between a node's messages are
/// drawn from an exponential distribution; its mean is the time of a message on that link, framing
/// included, divided by the load.
struct traffic {
  traffic_pattern pattern = traffic_pattern::uniform;
  std::uint32_t distance = 1;  ///< how far a shift goes
  double load = 0.1;
  std::uint32_t bytes = 0;   ///< bytes of a message; 0: one packet
  picoseconds warm_up = 0;   ///< time before the window
  picoseconds window = 0;    ///< time in which messages are counted; 0: no count, and no end before
                             ///< stop()
  std::uint32_t slices = 1;  ///< equal parts of the window, to show link use over time
  std::uint64_t seed = 1;
  std::uint32_t path = 0;  ///< the machine's path that messages take
};

/// link_use says how busy the links of one class were in a slice, as fractions of its time.
struct link_use {
  std::uint32_t axis = 0;
  double mean = 0, most = 0;
};

struct traffic_times {
  double offered = 0;                  ///< load of the messages that were made in the window
  double accepted = 0;                 ///< load of the messages that arrived in the window
  bool is_saturated = false;           ///< some messages had not arrived one window later
  std::uint64_t made = 0;              ///< messages made in the window
  std::vector<picoseconds> latencies;  ///< latencies of those that arrived, since they were made
  std::vector<std::vector<link_use>> use;  ///< by slice
  picoseconds message = 0;                 ///< time of a message on a node's first link
  machine_accounts network;
};

/// Messages wait at their nodes in unbounded queues, of which only the time of the next message is
/// kept: a node hands the network two at once, and the next one whenever one has been read. After
/// the window, nodes go on sending until all messages of the window have arrived, or another window
/// has passed.
class traffic_job final : public receiver {
 public:
  /// Throws usage_error for a load that is not in (0, 100], for negative times, for a path that is
  /// not on the machine's first network, and for the same reasons as traffic_targets.
  traffic_job(const machine_description& machine, dispatcher& messages, const traffic& what);

  /// Starts all nodes; `when_over` is called when they are to stop sending.
  void begin(std::function<void()> when_over = [] {});
  /// Stops the sending of all nodes.
  void stop() noexcept { is_stopped_ = true; }
  /// Returns the results for the messages of the window, without the accounts of the network.
  [[nodiscard]] traffic_times times() const;

  void source_free(std::uint32_t index) override;
  void delivered(std::uint32_t index) override;
  void reminded(std::uint32_t name) override;

 private:
  static constexpr std::uint8_t most_open = 2;

  struct source {
    picoseconds next = 0;  ///< when its next message is made
    std::uint32_t count = 0;
    std::uint8_t open = 0;  ///< number of messages in the network not yet read
  };
  struct flight {
    picoseconds made = 0;
    std::uint32_t origin = 0;
    std::uint32_t next = no_index;  ///< for the pool
    std::uint8_t to_tell = 2;
  };

  [[nodiscard]] picoseconds end() const { return what_.warm_up + what_.window; }
  [[nodiscard]] bool is_of_window(picoseconds made) const {
    return made >= what_.warm_up && made < end();
  }
  [[nodiscard]] picoseconds now() const { return dispatcher_.net().now(); }
  [[nodiscard]] bool is_over() const;
  void tell_if_over();
  void draw_next(source& of, std::uint32_t node);
  void send(std::uint32_t node);
  void pass(source& of, std::uint32_t node);
  void close(std::uint32_t index);
  void end_slice();

  traffic what_;
  std::uint32_t nodes_;
  traffic_targets targets_;
  dispatcher& dispatcher_;
  std::vector<source> sources_;
  pool<flight> flights_;
  std::uint64_t begun_ = 0;    // nodes whose next message is still within the window
  std::uint64_t awaited_ = 0;  // messages of the window in flight
  std::uint64_t came_ = 0;     // messages that arrived in the window
  bool is_late_ = false;       // one of them arrived after nodes had given up
  bool is_stopped_ = false;
  std::function<void()> when_over_;
  std::vector<picoseconds> busy_;  // by link, at the end of the last slice
  traffic_times found_;
};

}  // namespace onehop::netsim
