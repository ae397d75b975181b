#pragma once
/// A route is the path of a packet: planned at its origin and followed router by router.

#include <array>
#include <cstdint>

#include "netsim/machine/link_table.hpp"

namespace onehop::netsim {

/// A route is what a packet's header says of its path: on rings, the signed number of nodes left
/// per axis; in a fat tree, the rail and the choice of links up; elsewhere, what steering.hpp says.
struct route {
  std::array<std::int16_t, 4> left{};
};

struct hop {
  std::uint32_t link = no_index;  ///< no_index if the packet is at its destination
  std::uint32_t channel = 0;      ///< virtual channel of that link
};

/// `turn` counts the messages of the origin, which use equal paths in turn. Throws usage_error if
/// dead links cut every path that the topology's routing knows.
route plan_route(const link_table& net, std::uint32_t fabric, std::uint32_t origin,
                 std::uint32_t target, std::uint32_t turn);

/// Returns which channel of its pair a packet takes when it enters an axis with `left` nodes to go
/// after the first. A packet that will cross the link that closes the ring starts on the even
/// channel. Every second one of the other packets takes the odd channel, so that both are used;
/// since these never cross that link, the odd channels still end before it.
inline std::uint32_t first_of_pair(const fabric_layout& layout, std::uint32_t axis,
                                   std::uint32_t router, std::int16_t left, bool is_back) {
  const auto extent = layout.shape.extents[axis];
  const auto place = static_cast<int>(router / layout.strides[axis] % extent);
  const auto last = place + left + (is_back ? -1 : 1);
  if (last < 0 || last >= static_cast<int>(extent)) return 0;
  return static_cast<std::uint32_t>(last) & 1U;
}

/// Packets go in dimension order. A packet changes to the odd channel of its pair where it crosses
/// the link that closes a ring, so no ring of channels waits for itself (Dally and Seitz, IEEE
/// Trans. Comput. 36 (1987) 547). `came` is the link by which it came, or no_index; `channel` is
/// its channel there.
inline hop follow_rings(const link_table& net, const fabric_layout& layout, route& way,
                        std::uint32_t router, std::uint32_t came, std::uint32_t channel) {
  for (std::uint32_t axis = 0; axis < 4; ++axis) {
    auto& left = way.left[axis];
    if (left == 0) continue;
    const bool is_back = left < 0;
    left = static_cast<std::int16_t>(is_back ? left + 1 : left - 1);
    const auto next = layout.first_link + router * layout.ports + 2 * axis + (is_back ? 1 : 0);
    const auto& out = net.links[next];
    const bool goes_on = came != no_index && net.links[came].axis == axis;
    const auto odd = goes_on ? channel & 1U : first_of_pair(layout, axis, router, left, is_back);
    const std::uint32_t crossed = odd | (out.closes_ring ? 1U : 0U);
    const auto channels = net.kinds[out.kind].channels;
    return {next, channels == 1 ? 0 : (channel & ~1U) % channels | crossed};
  }
  return {};
}

/// A packet_place is where a packet is: `came` is the link by which it came, or no_index, and
/// `channel` its channel there. `next` is the link of its next hop if that was foreseen, otherwise
/// no_index; if foreseen, the target is not read.
struct packet_place {
  std::uint32_t router = 0, target = 0;
  std::uint32_t came = no_index;
  std::uint32_t channel = 0;
  picoseconds now = 0;
  std::uint32_t next = no_index;
};

/// Returns how long the packets waiting for a link will keep it busy. This is the queue length as
/// seen by a router that knows only its own outputs.
inline picoseconds backlog(const link_table& net, std::uint32_t index, picoseconds now) {
  const auto& out = net.links[index];
  return (out.free > now ? out.free - now : 0) + out.queued * net.kinds[out.kind].packet;
}

/// Returns how many packets wait for a link or hold one of its credits: its own queue and, since a
/// router counts its credits, the queue behind the link.
inline std::int64_t occupancy(const link_table& net, std::uint32_t index, picoseconds now) {
  const auto channels = net.kinds[net.links[index].kind].channels;
  std::int64_t count = net.links[index].queued;
  for (std::uint32_t channel = 0; channel < channels; ++channel)
    count += net.credits.out(net.credits_of(index, channel), now);
  return count;
}

/// Returns which of `ways` links starting at `first` has the shortest queue; among equal ones, the
/// first one counted from `from`.
inline std::uint32_t shortest_queue(const link_table& net, std::uint32_t first, std::uint32_t ways,
                                    std::uint32_t from, picoseconds now) {
  auto best = from % ways;
  for (std::uint32_t k = 1; k < ways; ++k) {
    const auto other = (from + k) % ways;
    if (backlog(net, first + other, now) < backlog(net, first + best, now)) best = other;
  }
  return best;
}

/// Packets go up until the target lies below, then down: no cycle arises and one channel suffices.
inline hop follow_tree(const link_table& net, const fabric_layout& layout, const route& way,
                       const packet_place& at) {
  const auto [router, target, came, channel, now, foreseen] = at;
  if (router == target) return {};
  const auto& here = layout.tree[router];
  const auto& levels = layout.shape.levels;
  const auto variant = static_cast<std::uint64_t>(target) + static_cast<std::uint16_t>(way.left[1]);
  std::uint32_t next = 0;
  if (target / layout.below[here.level] == here.group && here.level > 0) {
    const auto child = target / layout.below[here.level - 1] % levels[here.level - 1].down;
    next = here.first_down + static_cast<std::uint32_t>(child);
  } else {
    const auto ways = levels[here.level].up;
    const auto up = static_cast<std::uint32_t>(variant / layout.beside[here.level] % ways);
    const auto rail = here.level == 0 ? static_cast<std::uint32_t>(way.left[0]) : 0;
    next = here.first_up + rail * ways;
    next += layout.shape.how == routing::adaptive ? shortest_queue(net, next, ways, up, now) : up;
  }
  return {next, channel % net.kinds[net.links[next].kind].channels};
}

/// Returns the next hop of a steered packet, and records in its header what later hops need.
hop steer(const link_table& net, const fabric_layout& layout, route& way, const packet_place& at);
/// Returns whether the next hop from a router is known while the packet is still on its way there.
/// It is in networks of switches, unless it depends on the queues that the packet will meet.
bool is_foreseen(const fabric_layout& layout, const route& way, std::uint32_t router);
/// Returns the link of a foreseen hop, so that it can be prefetched.
std::uint32_t foresee(const link_table& net, const fabric_layout& layout, route& way,
                      const packet_place& at);
/// Prefetches what steer() will read of the links from which it chooses.
void prefetch_choices(const link_table& net, const fabric_layout& layout, const route& way,
                      const packet_place& at);

/// Returns the next hop of a packet; the target of a packet on rings is not read.
inline hop follow(const link_table& net, const fabric_layout& layout, route& way,
                  const packet_place& at) {
  switch (layout.found_by) {
    case way_finding::tree:
      return follow_tree(net, layout, way, at);
    case way_finding::pairs:
      if (at.router == at.target) return {};
      return {layout.first_link + at.router * layout.ports + at.target, 0};
    case way_finding::steered:
      return steer(net, layout, way, at);
    case way_finding::rings:
      break;
  }
  return follow_rings(net, layout, way, at.router, at.came, at.channel);
}

}  // namespace onehop::netsim
