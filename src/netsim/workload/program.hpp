#pragma once
/// A program is reduced to its schedule: what every node computes, sends and waits for, without
/// data and without a stack, so that a machine of tens of thousands of nodes fits in memory.

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "netsim/workload/collective_walk.hpp"
#include "netsim/workload/handshake.hpp"

namespace onehop::netsim {

struct operation_step {
  enum class kind : std::uint8_t {
    work,   ///< a kernel of `time`, which takes longer on a slow node
    pause,  ///< `time` passes, on every node alike; it makes an event even where `time` is 0
    send,   ///< the faces go to the neighbours, while the program goes on
    await,  ///< the node waits until all faces of the last send are here and its buffers are free
    sum     ///< `bytes` are summed over all nodes, by the machine's schedule
  };
  kind what = kind::work;
  picoseconds time = 0;
  std::uint64_t bytes = 0;
};

/// A program_face is what a node sends to the neighbour that is `shift` nodes away along each axis.
/// The faces of a program come in pairs of opposite shifts.
struct program_face {
  std::array<std::int32_t, 4> shift{};
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  ///< address at the target
};

struct program {
  std::vector<std::uint32_t> grid;    ///< extents of 1 to 4 axes; node 0 comes first, the first
                                      ///< axis counts fastest
  std::vector<program_face> faces;    ///< in the order in which a node sends them, as one chain
  std::vector<operation_step> steps;  ///< the steps of an iteration
  std::uint32_t iterations = 1;
};

/// program_times say where the time of a node went, in the mean over the nodes.
struct program_times {
  picoseconds total = 0;  ///< time until the last node was through
  double work_ps = 0, halo_wait_ps = 0, sum_ps = 0;
  std::uint64_t messages = 0;
  std::uint32_t iterations = 0;  ///< number of those that every node has done
  machine_accounts network;
};

/// A program_job is a program on some nodes of a machine, whose network others may use as well.
class program_job final : public receiver, public recipient, public walk_listener {
 public:
  /// `places` has the node of each rank, of all nodes in turn where it is empty. The constructor
  /// throws usage_error for a grid that is not the number of ranks, and for faces that have no
  /// opposite.
  program_job(const machine_description& on, dispatcher& messages, const rank_memory& where,
              program what, const std::vector<std::uint32_t>& places);

  /// Lets every node begin now; `when_through` is called when the last one is through.
  void begin(std::function<void()> when_through);
  /// Lets every node end with the iteration that the foremost one is in. A program that was given
  /// more iterations than it can do in the time of others ends so.
  void stop();
  /// Returns the times of a program that is through; throws onehop::error where nodes still wait.
  [[nodiscard]] program_times times() const;
  /// Returns when each node was through.
  [[nodiscard]] std::vector<picoseconds> finished() const;
  /// Returns the messages of all exchanges, control messages included.
  [[nodiscard]] std::uint64_t face_messages() const;

  void left(std::uint64_t key) override;
  void came(std::uint64_t key) override;
  void through(int rank, std::uint64_t round) override;

  void source_free(std::uint32_t) override {}
  void delivered(std::uint32_t) override {}
  void reminded(std::uint32_t index) override { go_on(index); }

 private:
  struct node {
    std::uint64_t at = 0;  ///< number of steps done in all iterations
    picoseconds since = 0;
    bool begun = false, summed = false;  ///< state of the step under way
    std::uint8_t exchange = 0;           ///< parity of the next exchange
    std::uint32_t sums = 0;
    std::uint16_t unread = 0;
    std::array<std::uint16_t, 2> came{};  ///< faces that have come, of even and odd exchanges
    picoseconds worked = 0, waited = 0, sum_time = 0;
  };

  /// A face is named by its target, its number among the target's own faces, which tells where it
  /// comes from, and the parity of the exchange.
  static std::uint64_t key_of(std::uint32_t target, std::uint32_t face, unsigned parity) {
    return std::uint64_t{target} << 8 | face << 1 | parity;
  }
  void check_grid() const;
  void pair_faces();
  void plan_sums();
  std::uint32_t shifted(std::uint32_t index, const program_face& face) const;
  std::uint32_t neighbour(std::uint32_t index, std::size_t face) const {
    return neighbours_[index * what_.faces.size() + face];
  }
  const protocol& face_way(std::uint32_t index, std::size_t face) const;
  void go_on(std::uint32_t index);
  bool step(std::uint32_t index, node& here);
  bool pass(std::uint32_t index, node& here, picoseconds time);
  void send_faces(std::uint32_t index, node& here);
  bool sum(std::uint32_t index, node& here);
  void finish(node& here, picoseconds& account);
  picoseconds slowed(std::uint32_t index, picoseconds time) const;
  std::uint64_t steps() const { return what_.steps.size() * what_.iterations; }

  program what_;
  std::vector<slow_node> slow_nodes_;
  dispatcher& dispatcher_;
  routes ways_;
  handshakes handshakes_;
  collective_walks walks_;
  std::vector<std::uint32_t> opposite_;   ///< by face, the face of the opposite shift
  big_vector<std::uint32_t> neighbours_;  ///< by node and face
  std::vector<collective_plan> sums_;     ///< by node, the plan for the bytes of the program's
                                          ///< sums
  big_vector<node> nodes_;
  std::size_t through_ = 0;  ///< number of nodes that are through
  std::function<void()> when_through_;
};

}  // namespace onehop::netsim
