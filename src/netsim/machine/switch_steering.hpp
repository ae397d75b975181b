#pragma once
/// The links of a switch with which a shortest way to a goal begins, for each network of switches.

#include <cstdint>

#include "netsim/machine/steering.hpp"

namespace onehop::netsim {

/// A switch_place is where a packet is among the switches.
struct switch_place {
  std::uint32_t at = 0;
  std::uint32_t came_axis = 0;  ///< axis of the link it came by
  bool is_to_group = false;     ///< true where the goal is a group, no switch
};

/// A link_end is where a link of a switch leads: the number of a switch, and the link's axis.
struct link_end {
  std::uint32_t to = 0, axis = 0;
};

/// Returns where a link between switches leads. In a dragonfly it is computed: to read far links
/// would take longer.
link_end switch_behind(const link_table& net, const fabric_layout& layout, std::uint32_t at,
                       std::uint32_t link);

/// Adds the links of a switch that is not yet the goal. In a dragonfly a packet that has come from
/// a switch of its group goes on by a global link there.
void add_switch_choices(const fabric_layout& layout, const switch_place& here, std::uint32_t goal,
                        choices& found);

}  // namespace onehop::netsim
