#include "netsim/machine/route.hpp"

#include <algorithm>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::netsim {

namespace {

bool passes_dead(const link_table& net, std::uint32_t fabric, route way, std::uint32_t origin,
                 std::uint32_t target) {
  auto router = origin;
  auto came = no_index;
  for (;;) {
    const auto step = follow(net, net.fabrics[fabric], way, {router, target, came});
    if (step.link == no_index) return false;
    if (net.links[step.link].is_dead) return true;
    came = step.link;
    router = net.links[came].to;
  }
}

[[noreturn]] void no_way(std::uint32_t origin, std::uint32_t target) {
  throw usage_error(text("no way from node ", origin, " to node ", target,
                         ": dead links cut every route of this routing"));
}

// Returns the steps of the short way round; two equal ways are used in turn.
std::int16_t short_way(std::uint32_t ahead, std::uint32_t extent, bool has_back, bool prefer_back) {
  const bool is_back = has_back && (2 * ahead > extent || (2 * ahead == extent && prefer_back));
  return static_cast<std::int16_t>(static_cast<int>(ahead) -
                                   (is_back ? static_cast<int>(extent) : 0));
}

// If the short way along an axis is cut, the packet goes the long way round in the same dimension
// order; the dateline still breaks every ring.
void go_round(const link_table& net, std::uint32_t fabric, route& way, std::uint32_t origin,
              std::uint32_t target) {
  const auto& extents = net.fabrics[fabric].shape.extents;
  auto router = origin;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    route part;
    part.left[axis] = way.left[axis];
    if (passes_dead(net, fabric, part, router, target)) {
      const auto extent = static_cast<int>(extents[axis]);
      part.left[axis] =
          static_cast<std::int16_t>(part.left[axis] + (part.left[axis] > 0 ? -extent : extent));
      const bool has_other = net.fabrics[fabric].shape.kind == topology_kind::torus || axis == 0;
      if (!has_other || passes_dead(net, fabric, part, router, target)) no_way(origin, target);
      way.left[axis] = part.left[axis];
    }
    for (route step = part; step.left[axis] != 0;)
      router = net.links[follow(net, net.fabrics[fabric], step, {router, target}).link].to;
  }
}

route plan_rings(const link_table& net, std::uint32_t fabric, std::uint32_t origin,
                 std::uint32_t target, std::uint32_t turn) {
  const auto& layout = net.fabrics[fabric];
  route way;
  std::uint32_t stride = 1;
  for (std::size_t axis = 0; axis < layout.shape.extents.size(); ++axis) {
    const auto extent = layout.shape.extents[axis];
    const auto ahead = (target / stride % extent + extent - origin / stride % extent) % extent;
    const bool has_back = layout.shape.kind == topology_kind::torus || axis == 0;
    way.left[axis] = short_way(ahead, extent, has_back, turn % 2 != 0);
    stride *= extent;
  }
  if (layout.has_dead) go_round(net, fabric, way, origin, target);
  return way;
}

route plan_tree(const link_table& net, std::uint32_t fabric, std::uint32_t origin,
                std::uint32_t target, std::uint32_t turn) {
  const auto& layout = net.fabrics[fabric];
  const auto rails = layout.shape.rails;
  const auto ways = std::min<std::uint64_t>(layout.beside.back(), INT16_MAX);
  route way;
  for (std::uint32_t rail = 0; rail < rails; ++rail)
    for (std::uint64_t variant = 0; variant < ways; ++variant) {
      way.left = {static_cast<std::int16_t>((turn + rail) % rails),
                  static_cast<std::int16_t>(variant), 0, 0};
      if (!layout.has_dead || !passes_dead(net, fabric, way, origin, target)) return way;
    }
  no_way(origin, target);
}

}  // namespace

route plan_route(const link_table& net, std::uint32_t fabric, std::uint32_t origin,
                 std::uint32_t target, std::uint32_t turn) {
  const auto& layout = net.fabrics[fabric];
  if (layout.is_steered()) return {};
  if (layout.shape.kind == topology_kind::fat_tree)
    return plan_tree(net, fabric, origin, target, turn);
  if (layout.shape.kind != topology_kind::all_to_all)
    return plan_rings(net, fabric, origin, target, turn);
  if (origin != target && layout.has_dead && passes_dead(net, fabric, {}, origin, target))
    no_way(origin, target);
  return {};
}

}  // namespace onehop::netsim
