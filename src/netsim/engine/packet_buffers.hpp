#pragma once
/// Packet buffers belong to nodes; each has room for one packet.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "netsim/machine/compiled_machine.hpp"

namespace onehop::netsim {

/// The given member of a fabric's layout says how many buffers for that fabric a node has.
class packet_buffers {
 public:
  packet_buffers(const compiled_machine& machine, std::uint32_t fabric_layout::*count) {
    for (const auto& layout : machine.net.fabrics) {
      first_.push_back(per_node_);
      per_node_ += layout.*count;
    }
    first_.push_back(per_node_);
    free_.resize(std::size_t{machine.nodes} * per_node_);
  }

  /// Returns when each buffer of a node is free, or `never` if its packet has not been sent on.
  std::span<picoseconds> at(std::uint32_t node, std::uint32_t fabric) {
    return {&free_[std::size_t{node} * per_node_ + first_[fabric]],
            first_[fabric + 1] - first_[fabric]};
  }

  [[nodiscard]] std::uint64_t taken() const {
    return static_cast<std::uint64_t>(std::count(free_.begin(), free_.end(), never));
  }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return free_.capacity() * sizeof(picoseconds);
  }

 private:
  std::vector<std::uint32_t> first_;  // by fabric, and the total at the end
  std::uint32_t per_node_ = 0;
  big_vector<picoseconds> free_;
};

}  // namespace onehop::netsim
