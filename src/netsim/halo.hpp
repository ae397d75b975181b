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

 private:
  struct progress {
    std::uint32_t step = 0;
    std::uint16_t freed = 0;
    std::uint16_t came[2] = {0, 0};  ///< of even and odd steps: a neighbour may be one ahead
  };
  void send(std::uint32_t node);
  void go_on(std::uint32_t node);

  halo what_;
  network net_;
  std::size_t neighbours_;
  std::vector<progress> nodes_;
  std::vector<picoseconds> finished_;
};

}  // namespace onehop::netsim
