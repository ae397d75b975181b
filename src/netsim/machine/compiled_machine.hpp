#pragma once
/// A compiled_machine is a description converted for the engine: numbered stages, units and paths.

#include <cstdint>
#include <string>
#include <vector>

#include "netsim/machine/link_table.hpp"
#include "netsim/machine/machine_description.hpp"

namespace onehop::netsim {

/// A message_stage is a stage served per message.
struct message_stage {
  picoseconds fixed = 0, per_chain = 0, per_piece = 0;
  pace bytes;
  bool is_delay = false;  ///< true for a delay, which occupies no unit
};

/// A packet_stage is a stage served per packet.
struct packet_stage {
  enum class type : std::uint8_t { dma, translation, port };
  type kind = type::port;
  std::uint32_t channels = 1;
  picoseconds gap = 0, latency = 0, per_piece = 0;
  pace bytes;
  std::uint64_t window = 0;
  bool drains = true;
  std::uint32_t payload = 1, overhead = 0;
  bool has_rate = false;
  picoseconds hit = 0, miss = 0;
  std::uint32_t entries = 0, page = 1;
  std::uint32_t pages_at = 0;  ///< index of the first of a node's remembered pages

  /// Returns the time between a packet's first byte and its last.
  [[nodiscard]] picoseconds transfer(std::uint32_t n) const noexcept {
    return overhead == 0 ? bytes(n) : bytes(n + (n + payload - 1) / payload * overhead);
  }
};

struct compiled_stage {
  std::uint32_t unit = 0;
  /// Each rank of a node has this unit for itself, like a core or the engines of a GPU. Units that
  /// serve packets belong to the node's adapter, which its ranks share.
  bool of_rank = false;
  message_stage whole;
  packet_stage packets;
};

struct compiled_path {
  std::vector<std::uint32_t> whole_origin, origin;  ///< per-message stages, and per-packet stages
  std::vector<std::uint32_t> target, whole_target;
  std::vector<bool> origin_joins, target_joins;  ///< by stage: computed with the previous one
  bool reads_on = false;  ///< the last per-message stage and the injector share a unit
  std::uint32_t injector = 0;
  std::uint32_t fabric = 0;
  picoseconds local = 0;
  std::uint64_t stripe_bytes = UINT64_MAX;
};

/// An injector_plan describes the stage that takes messages in turn and makes packets of them.
struct injector_plan {
  std::uint32_t stage = no_index;  ///< no_index if packets enter at once
  std::uint32_t window_packets = 0;
  std::uint32_t window_at = 0;  ///< index of the first of a node's remembered ends
};

struct compiled_machine {
  explicit compiled_machine(const machine_description& machine);

  std::string name;
  std::uint32_t nodes;
  std::uint32_t ranks_per_node;  ///< the largest number of any node
  link_table net;
  std::vector<std::string> unit_names;
  std::vector<std::string> stage_names;
  std::vector<compiled_stage> stages;
  std::vector<compiled_path> paths;
  std::vector<injector_plan> injectors;
  std::uint32_t pages_per_node = 0, ends_per_node = 0;
  std::vector<std::uint32_t> slowness;  ///< per node, 65536 means 1; empty if all are equal
  std::uint64_t seed;

  /// Returns how long a stage of time `t` takes on this node.
  [[nodiscard]] picoseconds slowed(std::uint32_t node, picoseconds t) const noexcept {
    if (slowness.empty() || slowness[node] == 65536) return t;
    __extension__ using wide = __int128;
    return static_cast<picoseconds>(static_cast<wide>(t) * slowness[node] / 65536);
  }

 private:
  void compile_stages(const machine_description& machine);
  void share_units();
  void compile_path(const machine_description& machine, const path& way);
  void join_stages();
  std::uint32_t injector_of(const machine_description& machine, const compiled_path& way);
};

}  // namespace onehop::netsim
