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
    work,   ///< a kernel that takes `time`, longer on a slow node
    pause,  ///< `time` passes, equally on every node; creates an event even if it is 0
    send,   ///< the faces go to the neighbours, while the program continues
    await,  ///< the node waits for all faces of the last send and for its buffers to be free
    sum     ///< `bytes` are summed over all nodes, by the machine's schedule
  };
  kind what = kind::work;
  picoseconds time = 0;
  std::uint64_t bytes = 0;
};

/// A program_face is what a node sends to the neighbour `shift` nodes away along each axis. The
/// faces of a program come in pairs of opposite shifts.
struct program_face {
  std::array<std::int32_t, 4> shift{};
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  ///< address at the target
};

struct program {
  std::vector<std::uint32_t> grid;    ///< extents of 1 to 4 axes; node 0 is first, the first axis
                                      ///< runs fastest
  std::vector<program_face> faces;    ///< in the order in which a node sends them, as one chain
  std::vector<operation_step> steps;  ///< the steps of an iteration
  std::uint32_t iterations = 1;
};

/// program_times say where the time of a node went, averaged over the nodes.
struct program_times {
  picoseconds total = 0;  ///< time until the last node ended
  double work_ps = 0, halo_wait_ps = 0, sum_ps = 0;
  std::uint64_t messages = 0;
  std::uint32_t iterations = 0;  ///< number of iterations done by every node
  machine_accounts network;
};

/// A program_job is a program on some nodes of a machine, whose network others may also use.
class program_job final : public receiver, public recipient, public walk_listener {
 public:
  /// `places` holds the node of each rank; if empty, rank r is on node r. The constructor throws
  /// usage_error if the grid does not match the number of ranks, or if a face has no opposite.
  program_job(const machine_description& on, dispatcher& messages, const rank_memory& where,
              program what, const std::vector<std::uint32_t>& places);

  /// Starts every node now; `when_through` is called when the last one ends.
  void begin(std::function<void()> when_through);
  /// Lets every node end with the iteration that the foremost node is in. This ends a program that
  /// was given more iterations than it can do while others run.
  void stop();
  /// Returns the times of a completed program; throws onehop::error if nodes still wait.
  [[nodiscard]] program_times times() const;
  /// Returns when each node ended.
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
    bool begun = false, summed = false;  ///< state of the current step
    std::uint8_t exchange = 0;           ///< parity of the next exchange
    std::uint32_t sums = 0;
    std::uint16_t unread = 0;
    std::array<std::uint16_t, 2> came{};  ///< faces received in even and odd exchanges
    picoseconds worked = 0, waited = 0, sum_time = 0;
  };

  /// A face is named by its target, its number among the target's own faces (which identifies its
  /// sender), and the parity of the exchange.
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
  std::vector<collective_plan> sums_;     ///< by node: the plan for the bytes of the program's sums
  big_vector<node> nodes_;
  std::size_t through_ = 0;  ///< number of nodes that have ended
  std::function<void()> when_through_;
};

}  // namespace onehop::netsim
