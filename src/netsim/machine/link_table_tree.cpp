// Fat trees are extended generalized fat trees (Ohring, Ibel, Das and Kumar, "On generalized fat
// trees", IPPS 1995): level l has one switch for every group of below[l] nodes and every one of
// beside[l] paths up to it.
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "netsim/machine/link_table.hpp"

namespace onehop::netsim {

namespace {

// Returns how many routers of a rail come before those of `level`, without the nodes.
std::uint64_t switches_before(const fabric_layout& layout, std::uint32_t level) {
  std::uint64_t count = 0;
  for (std::uint32_t l = 1; l < level; ++l)
    count += layout.shape.capacity() / layout.below[l] * layout.beside[l];
  return count;
}

struct tree_builder {
  big_vector<link>& links;
  fabric_layout& layout;
  std::uint16_t first_kind;
  std::size_t kind_count;

  [[nodiscard]] std::uint32_t router(std::uint32_t rail, std::uint32_t level, std::uint64_t group,
                                     std::uint64_t branch) const {
    if (level == 0) return static_cast<std::uint32_t>(group);
    return static_cast<std::uint32_t>(layout.nodes + rail * layout.rail_routers +
                                      switches_before(layout, level) +
                                      group * layout.beside[level] + branch);
  }
  void add_link(std::uint32_t to, std::uint32_t level, bool into_node) {
    link one;
    one.to = to;
    one.axis = static_cast<std::uint8_t>(level);
    const auto of_level = std::min<std::size_t>(level, kind_count - 1);
    one.kind = static_cast<std::uint16_t>(first_kind + of_level + (into_node ? kind_count : 0));
    links.push_back(one);
  }
  void add_router(std::uint32_t rail, std::uint32_t level, std::uint64_t group,
                  std::uint64_t branch) {
    tree_router here{level, static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(branch)};
    const auto& levels = layout.shape.levels;
    if (level > 0) {
      here.first_down = static_cast<std::uint32_t>(links.size());
      for (std::uint32_t child = 0; child < levels[level - 1].down; ++child)
        add_link(child_of(rail, here, child), level - 1, level == 1);
    }
    if (level < levels.size()) {
      here.first_up = static_cast<std::uint32_t>(links.size());
      const auto rails = level == 0 ? layout.shape.rails : 1;
      for (std::uint32_t each = 0; each < rails; ++each)
        for (std::uint32_t up = 0; up < levels[level].up; ++up)
          add_link(router(level == 0 ? each : rail, level + 1, group / levels[level].down,
                          branch + layout.beside[level] * up),
                   level, false);
    }
    layout.tree.push_back(here);
  }
  // Returns the child; links in place of nodes that the machine lacks lead back to this router.
  [[nodiscard]] std::uint32_t child_of(std::uint32_t rail, const tree_router& here,
                                       std::uint32_t child) const {
    const auto group = std::uint64_t{here.group} * layout.shape.levels[here.level - 1].down + child;
    if (here.level == 1 && group >= layout.nodes) return layout.nodes;
    return router(rail, here.level - 1, group, here.branch % layout.beside[here.level - 1]);
  }
};

}  // namespace

void link_table::lay_tree(fabric_layout& layout, std::uint16_t kind, std::size_t kind_count) {
  const auto& levels = layout.shape.levels;
  layout.below = layout.beside = {1};
  for (const auto& level : levels) {
    layout.below.push_back(layout.below.back() * level.down);
    layout.beside.push_back(layout.beside.back() * level.up);
  }
  const auto depth = static_cast<std::uint32_t>(levels.size());
  const auto switches = switches_before(layout, depth + 1);
  if (switches * layout.shape.rails > (1U << 22))
    throw usage_error(text("a fat tree of ", switches * layout.shape.rails,
                           " switches; 4194304 can be simulated"));
  layout.rail_routers = static_cast<std::uint32_t>(switches);
  tree_builder build{links, layout, kind, kind_count};
  for (std::uint32_t node = 0; node < layout.nodes; ++node) build.add_router(0, 0, node, 0);
  for (std::uint32_t rail = 0; rail < layout.shape.rails; ++rail)
    for (std::uint32_t level = 1; level <= depth; ++level)
      for (std::uint64_t group = 0; group < layout.shape.capacity() / layout.below[level]; ++group)
        for (std::uint64_t branch = 0; branch < layout.beside[level]; ++branch)
          build.add_router(rail, level, group, branch);
  layout.routers = static_cast<std::uint32_t>(layout.tree.size());
}

}  // namespace onehop::netsim
