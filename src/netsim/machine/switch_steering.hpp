#pragma once
/// This file finds the links of a switch that begin a shortest path to a goal, for each switch
/// network.

#include <cstdint>

#include "netsim/machine/steering.hpp"

namespace onehop::netsim {

/// A switch_place is where a packet is among the switches.
struct switch_place {
  std::uint32_t at = 0;
  std::uint32_t came_axis = 0;  ///< axis of the link by which it came
  bool is_to_group = false;     ///< true if the goal is a group, not a switch
};

/// A link_end is where a link of a switch leads: the number of a switch, and the link's axis.
struct link_end {
  std::uint32_t to = 0, axis = 0;
};

/// Returns where a link between switches leads. In a dragonfly this is computed, because reading
/// distant links would take longer.
link_end switch_behind(const link_table& net, const fabric_layout& layout, std::uint32_t at,
                       std::uint32_t link);

/// Adds the links of a switch that is not yet the goal. In a dragonfly, a packet that came from a
/// switch of the same group continues by a global link of this switch.
void add_switch_choices(const fabric_layout& layout, const switch_place& here, std::uint32_t goal,
                        choices& found);

}  // namespace onehop::netsim
