#pragma once
/// A program of which only the schedule is left: what every node computes, sends and waits for,
/// without data and without a stack, so that a machine of tens of thousands of nodes fits.

#include <array>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "transport/virtual/carrier.hpp"
#include "transport/virtual/transport.hpp"

namespace onehop::virtual_machine {

struct operation_step {
  enum class kind : std::uint8_t {
    work,   ///< `time` passes
    send,   ///< a face goes to each neighbour, while the program goes on
    await,  ///< until all faces of the last send are here and its buffers are free
    sum     ///< `bytes` are summed over all nodes, by the machine's schedule
  };
  kind what = kind::work;
  picoseconds time = 0;
  std::uint64_t bytes = 0;
};

struct program {
  std::vector<std::uint32_t> grid;        ///< 1 to 4 axes; node 0 first, the first axis fastest
  std::vector<std::uint64_t> face_bytes;  ///< by axis; an axis of one node sends nothing
  std::vector<operation_step> steps;      ///< of an iteration
  std::uint32_t iterations = 1;
};

/// Where the time of a node went, in the mean over the nodes.
struct program_times {
  picoseconds total = 0;  ///< until the last node was through
  double work_ps = 0, halo_wait_ps = 0, sum_ps = 0;
  std::uint64_t messages = 0;
  netsim::machine_accounts network;
};

class program_run final : public addressee, public recipient {
 public:
  /// Throws usage_error for a grid that is not the machine's number of nodes.
  program_run(machine on, program what);
  /// Before run: remembers what each stage and link does, for write_trace.
  void record_trace() { post_.network().record_trace(); }
  /// Once. Checks conservation.
  program_times run();
  /// As Chrome trace events.
  void write_trace(std::ostream& out) const { post_.network().write_trace(out); }

  void left(std::uint64_t key) override;
  void came(std::uint64_t key) override;

  void source_free(std::uint32_t) override {}
  void delivered(std::uint32_t index) override;
  void reminded(std::uint32_t index) override { go_on(index); }

 private:
  enum class kind : std::uint32_t { face, word };
  /// Of a step of a sum.
  enum class phase : std::uint8_t { entry, software, send, hear, over };
  struct node {
    std::uint64_t at = 0;  ///< steps of all iterations
    picoseconds since = 0;
    bool begun = false;                   ///< the step under way
    std::uint8_t exchange = 0, sums = 0;  ///< parities of the next
    std::uint8_t sum_step = 0;
    phase sum_phase = phase::entry;
    bool copies = false;         ///< to or from the host, of a sum
    picoseconds busy_until = 0;  ///< with the software of a sum
    std::uint16_t unread = 0;
    std::array<std::uint16_t, 2> came{};   ///< faces of even and odd exchanges
    std::array<std::uint32_t, 2> heard{};  ///< steps of even and odd sums, as bits
    picoseconds worked = 0, waited = 0, summed = 0;
  };

  /// A face is named by its target and the direction that it comes from there, a word of a sum by
  /// its target and step.
  static std::uint64_t key_of(kind what, std::uint32_t target, std::uint32_t detail,
                              unsigned parity) {
    return std::uint64_t{target} << 8 | detail << 2 | static_cast<std::uint32_t>(what) << 1 |
           parity;
  }
  std::uint32_t neighbour(std::uint32_t index, std::uint32_t direction) const;
  void go_on(std::uint32_t index);
  bool step(std::uint32_t index, node& here);
  void send_faces(std::uint32_t index, node& here);
  bool sum(std::uint32_t index, node& here);
  bool sum_goes_on(std::uint32_t index, node& here, const schedule_step& due);
  bool pause(std::uint32_t index, node& here, picoseconds time, phase then);
  void exchange_word(std::uint32_t index, const node& here, const schedule_step& due);
  void finish(node& here, picoseconds& account);
  picoseconds slowed(std::uint32_t index, picoseconds time) const;
  picoseconds now() { return post_.network().now(); }

  machine on_;
  program what_;
  post_office post_;
  routes ways_;
  carrier carrier_;
  std::vector<std::uint32_t> directions_;  ///< 2 * axis, and 1 more for the negative one
  std::array<const route*, 8> way_{};
  std::uint16_t expected_ = 0;         ///< faces of an exchange
  std::vector<collective_plan> sums_;  ///< by node, for the bytes of the program's sums
  std::vector<node> nodes_;
};

}  // namespace onehop::virtual_machine
