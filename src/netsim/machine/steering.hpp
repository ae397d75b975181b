#pragma once
/// A steering takes a packet through a network whose routers compute the packet's path hop by hop.

#include <array>
#include <bit>
#include <cstdint>

#include "netsim/machine/link_table.hpp"
#include "netsim/machine/route.hpp"

namespace onehop::netsim {

/// A steering is the header of a steered packet; it has the size of a route.
struct steering {
  enum class leg : std::uint8_t {
    undecided,  ///< the packet is where its way is chosen
    to_via,     ///< the packet goes to its intermediate place first
    to_target
  };
  /// If undecided, a draw; on the first leg, its group, switch or node; on the last leg, the
  /// target.
  std::uint32_t via = 0;
  std::uint16_t draw = 0;  ///< selects one of several equal paths
  /// The number of global cables (in a graph, of cables between switches) already crossed.
  std::uint8_t crossed = 0;
  leg now = leg::undecided;
};
static_assert(sizeof(steering) == sizeof(route));

inline route as_route(const steering& of) { return std::bit_cast<route>(of); }
inline steering as_steering(const route& way) { return std::bit_cast<steering>(way); }

/// choices are the links that a packet may take; each begins a shortest path.
struct choices {
  static constexpr std::uint32_t most = 256;
  std::array<std::uint32_t, most> links;  // not cleared, because a packet builds these at every hop
  std::uint32_t count = 0;

  choices() {}

  void add(std::uint32_t link) {
    if (count < most) links[count++] = link;
  }
};

/// Adds the links that a packet of an adaptively routed torus or mesh may take, by any channel
/// above the first two (one on a mesh), if that channel has room at once. If the packet must wait,
/// it waits for the hop of steer(), which keeps the order of the axes (Duato, IEEE TPDS 4 (1993)
/// 1320).
void add_free_choices(const fabric_layout& layout, const route& way, const packet_place& at,
                      choices& found);

/// Returns the first channel that add_free_choices may use.
inline std::uint32_t first_free_channel(const fabric_layout& layout) {
  return layout.shape.kind == topology_kind::torus ? 2 : 1;
}

/// Returns whether packets choose among the links of add_free_choices.
inline bool is_free(const fabric_layout& layout) {
  return layout.is_steered() && layout.shape.how == routing::adaptive &&
         !layout.shape.extents.empty();
}

}  // namespace onehop::netsim
