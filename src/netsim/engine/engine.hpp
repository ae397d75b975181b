#pragma once
/// The inside of a network. One packet crossing one link is one event: when a packet's head comes
/// to a router, its start on the next link is known as soon as the credit for it is (the link
/// serves in order of arrival), so neither the start nor the end of a transmission is an event.
/// Only packets that wait for a credit nobody has promised yet are queued, and are sent when the
/// packet before them in the next router is.

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "netsim/engine/event_queue.hpp"
#include "netsim/engine/network.hpp"
#include "netsim/engine/pool.hpp"
#include "netsim/machine/compiled_machine.hpp"
#include "netsim/machine/route.hpp"

namespace onehop::netsim {

/// 32 bytes; one per packet between DMA and the target's first stage.
struct packet {
  picoseconds tail = 0;  ///< when its end is where the head is now
  std::uint32_t message = 0;
  std::uint32_t next = none;  ///< in its queue
  std::uint32_t wire = none;  ///< whose credit it holds; none: it holds a transmit place
  std::uint16_t bytes = 0;
  std::uint8_t slot = 0;     ///< of that wire's credits
  std::uint8_t channel = 0;  ///< of that wire; at the origin or target the position in the path
  route way;
};
static_assert(sizeof(packet) == 32);

/// The engine keeps one of these for every message on its way.
struct moving_message {
  std::uint64_t bytes = 0, sent = 0, arrived = 0, address = 0, token = 0;
  picoseconds ready = 0;  ///< for the feeder
  picoseconds last = 0;   ///< when the last packet is through the target's packet stages
  std::uint32_t origin = 0, target = 0;
  std::uint32_t path = 0, pieces = 1;
  std::uint32_t next = none;
  std::uint32_t turn = 0;  ///< number among the origin's messages
  std::uint32_t packets_made = 0, packets_through = 0;
  route way;
  std::uint8_t position = 0;
  bool first_of_chain = true;
  bool is_at_target = false;
  bool is_striped = false;
  std::uint8_t to_tell = 2;  ///< source_free, delivered
};

/// What serves one stage, or several that share it, in one node.
struct unit_state {
  picoseconds free = 0;
  picoseconds busy = 0;
};

/// A unit that has served a message's last stage and goes on to read its packets, and the messages
/// that wait for it meanwhile.
struct unit_hold {
  std::uint32_t holder = none;
  std::uint32_t first = none, last = none;
};

/// Messages waiting to be cut into packets, and those that take turns.
struct feeder_state {
  std::uint32_t first = none, last = none;
  std::uint32_t active[8] = {none, none, none, none, none, none, none, none};
  std::uint8_t active_count = 0, turn = 0;
  bool runs = false;      ///< a packet's first event will call it again
  bool is_stuck = false;  ///< no transmit place
  std::uint16_t window_place = 0;
  std::uint64_t window_left = 0;
  picoseconds drained = 0;
};

/// Packets that wait for credit of one virtual channel. Those that go on along an axis go before
/// those that turn into it or enter the network: otherwise a full ring fills further until little
/// moves.
struct channel_queue {
  struct list {
    std::uint32_t first = none, last = none;
  };
  list transit, entering;
  picoseconds wake = never;  ///< time of the event that will look again
};

/// When the head and the end of a packet pass a point.
struct flow {
  picoseconds head = 0, tail = 0;
};

struct trace_span {
  picoseconds start, length;
  std::uint32_t place;  ///< node, or wire
  std::uint32_t stage;  ///< none: a wire
  std::uint64_t token;
};

class network::engine {
 public:
  engine(const machine_description& machine, listener& hears, queue_kind how);

  void post(const message& what);
  void set_alarm(picoseconds at, std::uint64_t token);
  bool run_one();
  void run();
  void watch(std::function<void()> look) { look_ = std::move(look); }
  void check_conservation() const;

  [[nodiscard]] picoseconds now() const noexcept { return now_; }
  [[nodiscard]] run_account account() const;
  [[nodiscard]] std::vector<stage_account> stages() const;
  [[nodiscard]] std::vector<link_account> links() const;
  void record_trace() { traces_ = true; }
  void write_trace(std::ostream& out) const;

 private:
  struct alarm_entry {
    std::uint64_t token = 0;
    std::uint32_t next = none;
  };
  struct stage_sum {
    std::uint64_t served = 0;
    picoseconds busy = 0, waited = 0, longest_wait = 0;
  };

  void dispatch(const event& one);

  // engine_messages.cpp
  void check_message(const message& what) const;
  void step_message(std::uint32_t index, picoseconds came);
  void stay_home(std::uint32_t index);
  void begin_target(std::uint32_t index, picoseconds at);
  picoseconds whole_cost(const message_stage& stage, const moving_message& one) const;
  picoseconds serve_whole(std::uint32_t stage, std::uint32_t node, const moving_message& one,
                          picoseconds at);
  picoseconds visit_unit(std::uint32_t index, const std::vector<std::uint32_t>& list,
                         picoseconds came);
  bool waits_for_holder(std::uint32_t index, std::uint32_t stage, picoseconds came);
  void release_unit(std::uint32_t index);
  void tell(std::uint32_t index, bool is_delivery);

  // engine_feeders.cpp
  void enter_feeder(std::uint32_t index);
  void feed(std::uint32_t node, std::uint32_t feeder);
  std::uint32_t take_turn(feeder_state& state, std::uint32_t channels);
  flow read_packet(std::uint32_t node, std::uint32_t feeder, const moving_message& from,
                   std::uint32_t bytes, picoseconds at);
  picoseconds wait_for_window(feeder_state& state, const feeder_plan& plan, std::uint32_t node,
                              std::uint32_t bytes, picoseconds at);
  void end_turn(feeder_state& state, std::uint32_t index, picoseconds read);
  void pass_origin(std::uint32_t index, flow when);
  void at_origin_stage(std::uint32_t index);
  void feed_next(std::uint32_t index);
  void resume_feeders(std::uint32_t node, std::uint32_t fabric);

  // engine_links.cpp
  void at_router(std::uint32_t index);
  void look_ahead();
  hop next_hop(const packet& one, route& way) const;
  void offer(std::uint32_t index, hop next);
  void enqueue(std::uint32_t index, hop next);
  std::uint32_t dequeue(channel_queue& queue);
  void send(std::uint32_t index, hop next, std::uint32_t slot, picoseconds start);
  picoseconds occupy(wire& out, std::uint32_t wire_index, const packet& one, picoseconds& start);
  void leave(const packet& one, picoseconds at);
  void pump(std::uint32_t wire_index, std::uint32_t channel);
  void pump_all();
  void channel_event(std::uint32_t channel_index);
  std::uint32_t failures(wire& out, std::uint32_t wire_index, std::uint64_t bits);
  std::span<picoseconds> credits(std::uint32_t wire_index, std::uint32_t channel);
  std::size_t channel_index(std::uint32_t wire_index, std::uint32_t channel) const;

  // engine_targets.cpp
  void eject(std::uint32_t index);
  void pass_target(std::uint32_t index, flow when, std::uint64_t address, picoseconds* place);
  void at_target_stage(std::uint32_t index);
  flow serve(std::uint32_t stage, std::uint32_t node, flow in, std::uint32_t bytes,
             std::uint64_t address, std::uint64_t token);
  picoseconds translate(const packet_stage& stage, std::uint32_t node, std::uint32_t bytes,
                        std::uint64_t address);
  void note(std::uint32_t stage, std::uint32_t node, flow served, picoseconds arrival,
            std::uint64_t token);

  std::span<picoseconds> transmit_places(std::uint32_t node, std::uint32_t fabric);
  std::span<picoseconds> receive_places(std::uint32_t node, std::uint32_t fabric);
  unit_state& unit(std::uint32_t node, std::uint32_t stage) {
    return units_[node * machine_.unit_names.size() + machine_.stages[stage].unit];
  }
  unit_hold& hold(std::uint32_t node, std::uint32_t stage) {
    return holds_[node * machine_.unit_names.size() + machine_.stages[stage].unit];
  }
  feeder_state& feeder(std::uint32_t node, std::uint32_t which) {
    return feeders_[node * machine_.feeders.size() + which];
  }

  compiled_machine machine_;
  listener* hears_;
  event_queue events_;
  picoseconds now_ = 0;
  bool traces_ = false;
  std::function<void()> look_;

  pool<packet> packets_;
  pool<moving_message> messages_;
  pool<alarm_entry> alarms_;
  big_vector<unit_state> units_;      // node, unit
  big_vector<unit_hold> holds_;       // node, unit; empty where no path reads on
  big_vector<feeder_state> feeders_;  // node, feeder
  std::vector<picoseconds> window_ends_;
  big_vector<std::uint32_t> pages_;           // node, remembered pages, last used first
  std::vector<std::uint32_t> turns_;          // node: messages posted
  std::vector<std::uint8_t> next_feeder_;     // node
  big_vector<picoseconds> node_places_;       // node, fabric: transmit and receive places
  std::vector<std::uint32_t> places_before_;  // per fabric
  std::uint32_t places_per_node_ = 0;
  big_vector<channel_queue> queues_;  // wire, channel
  big_vector<picoseconds> credits_;   // wire, channel, credit: when it is back
  std::vector<std::size_t> queues_before_, credits_before_;  // per fabric
  std::vector<std::uint32_t> to_pump_;  // channels whose next router has let a packet go

  std::vector<stage_sum> sums_;
  run_account sum_;
  std::vector<trace_span> trace_;
};

}  // namespace onehop::netsim
