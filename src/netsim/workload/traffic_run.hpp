#pragma once
/// A traffic_run measures a network by messages that every node sends at random times.

#include <cstdint>
#include <vector>

#include "netsim/engine/network.hpp"
#include "netsim/workload/traffic_pattern.hpp"

namespace onehop::netsim {

/// A load of 1 keeps the first link of every node busy: times between the messages of a node are
/// drawn from an exponential distribution whose mean is the time of a message on that link, its
/// framing included, over the load.
struct traffic {
  traffic_pattern pattern = traffic_pattern::uniform;
  std::uint32_t distance = 1;  ///< how far a shift goes
  double load = 0.1;
  std::uint32_t bytes = 0;   ///< bytes of a message; 0: a packet
  picoseconds warm_up = 0;   ///< time before the window
  picoseconds window = 0;    ///< time in which messages are counted
  std::uint32_t slices = 1;  ///< equal parts of the window, for the use of links over time
  std::uint64_t seed = 1;
};

/// link_use says how busy links of one class were in a slice: shares of its time.
struct link_use {
  std::uint32_t axis = 0;
  double mean = 0, most = 0;
};

struct traffic_times {
  double offered = 0;                  ///< load of the messages that were made in the window
  double accepted = 0;                 ///< load of the messages that came in the window
  bool is_saturated = false;           ///< messages of the window were not all here a window later
  std::uint64_t made = 0;              ///< messages of the window
  std::vector<picoseconds> latencies;  ///< times of those that came, from when each was made
  std::vector<std::vector<link_use>> use;  ///< by slice
  picoseconds message = 0;                 ///< time of a message on a node's first link
  machine_accounts network;
};

/// Messages wait at their nodes in queues without end, of which nothing is kept but the time of the
/// next message: a node gives the network two at once, and the next when one has been read. After
/// the window nodes go on sending until all messages of the window are here, or another window has
/// passed.
class traffic_run final : public listener {
 public:
  /// Messages go by the machine's first path. Throws usage_error for a load that is not in
  /// (0, 100], for times that are not positive, and as traffic_targets.
  traffic_run(const machine_description& machine, const traffic& what,
              queue_kind how = queue_kind::ladder);

  /// Runs once, until the network is empty, and checks conservation.
  traffic_times run();
  [[nodiscard]] network& net() noexcept { return network_; }

  void source_free(std::uint64_t token) override;
  void delivered(std::uint64_t token) override;
  void alarm(std::uint64_t token) override;

 private:
  static constexpr std::uint8_t most_open = 2;

  struct source {
    picoseconds next = 0;  ///< when its next message is made
    std::uint32_t count = 0;
    std::uint8_t open = 0;  ///< number of messages in the network that have not been read
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
  [[nodiscard]] bool is_over() const;
  void draw_next(source& of, std::uint32_t node);
  void send(std::uint32_t node);
  void pass(source& of, std::uint32_t node);
  void close(std::uint32_t index);
  void end_slice();

  traffic what_;
  std::uint32_t nodes_;
  traffic_targets targets_;
  network network_;
  std::vector<source> sources_;
  pool<flight> flights_;
  std::uint64_t begun_ = 0;        // nodes whose next message is not past the window
  std::uint64_t awaited_ = 0;      // messages of the window under way
  std::uint64_t came_ = 0;         // messages that came in the window
  bool is_late_ = false;           // one of them came when nodes had given up
  std::vector<picoseconds> busy_;  // by link, at the end of the last slice
  traffic_times found_;
};

}  // namespace onehop::netsim
