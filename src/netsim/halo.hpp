#pragma once
/// Steps of a halo exchange on a grid of nodes: what a stencil or lattice code asks of a network.

#include <cstdint>
#include <vector>

#include "netsim/network.hpp"

namespace onehop::netsim {

struct halo {
  std::vector<std::uint32_t> grid;  ///< 1 to 4 axes; node 0 first, the first axis fastest
  std::uint64_t message_bytes = 0;
  std::uint32_t path = 0;
  /// Number of a protocol of the machine, whose path, blocks and control messages are taken; -1:
  /// one message by `path`.
  std::int32_t protocol = -1;
  std::uint32_t steps = 1;
  picoseconds compute = 0;  ///< of a node before it sends, each step
  /// On a grid of three axes: the neighbours along the lattice's fourth axis are so many nodes away
  /// along every axis; 0 for none.
  std::uint32_t diagonal = 0;
};

/// Nodes that `node` sends to, forward and backward by axis. An axis of one node has none, one of
/// two the same node twice.
std::vector<std::uint32_t> halo_neighbours(const halo& what, std::uint32_t node);

/// Runs the steps on an idle machine and checks conservation. A node begins its next step when all
/// messages of the last have come to it and its own buffers are free. Throws usage_error when the
/// grid is not the machine's number of nodes.
class halo_run final : public listener {
 public:
  halo_run(const machine_description& machine, halo what, scheduler how = scheduler::ladder);

  /// Time until every node has finished every step.
  picoseconds run();
  /// When each node had finished its last step.
  [[nodiscard]] const std::vector<picoseconds>& finished() const noexcept { return finished_; }
  [[nodiscard]] const network& net() const noexcept { return net_; }
  network& net() noexcept { return net_; }

  void source_free(std::uint64_t token) override;
  void delivered(std::uint64_t token) override;
  void alarm(std::uint64_t token) override;

  /// Messages of all steps, those of control included.
  [[nodiscard]] std::uint64_t messages() const noexcept;

 private:
  enum class part : std::uint8_t { request, grant, block, last_block, notice };
  /// One message: which exchange it belongs to, and which part of it it is.
  struct token {
    std::uint32_t origin, target;  ///< of the data
    std::uint32_t neighbour;       ///< the target's number among the origin's neighbours
    std::uint32_t parity;          ///< of the step
    part what;
  };
  struct progress {
    std::uint32_t step = 0;
    bool is_sending = false;
    std::uint32_t freed = 0;
    std::uint32_t came[2] = {0, 0};     ///< of even and odd steps: a neighbour may be one ahead
    std::uint32_t granted[2] = {0, 0};  ///< bits of neighbours whose grant came before the step
  };
  static std::uint64_t pack(const token& one);
  static token unpack(std::uint64_t packed);

  void choose_protocol(const machine_description& machine);
  void send(std::uint32_t node);
  void send_data(const token& of);
  void post(const token& of, std::int32_t path, std::uint64_t bytes, std::uint64_t address,
            bool is_first);
  void go_on(std::uint32_t node);

  halo what_;
  protocol steps_;
  network net_;
  std::uint32_t neighbours_, blocks_;
  std::vector<progress> nodes_;
  std::vector<picoseconds> finished_;
};

}  // namespace onehop::netsim
