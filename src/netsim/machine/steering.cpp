#include "netsim/machine/steering.hpp"

#include <algorithm>
#include <cstdint>

#include "netsim/machine/switch_steering.hpp"

namespace onehop::netsim {
namespace {

/// A grid_step is the remaining distance along an axis.
struct grid_step {
  std::uint32_t axis = 0;
  std::int32_t left = 0;  ///< negative: backward
};

/// On tori and meshes a packet goes along one axis after another, each time the short way round.
class grid_steering {
 public:
  grid_steering(const fabric_layout& layout, std::uint16_t draw) : layout_(layout), draw_(draw) {}

  /// Returns what is left along an axis; the draw decides between two equal ways round.
  [[nodiscard]] std::int32_t left(std::uint32_t axis, std::uint32_t at, std::uint32_t goal) const {
    const auto extent = layout_.shape.extents[axis], stride = layout_.strides[axis];
    const auto from = at / stride % extent, to = goal / stride % extent;
    if (layout_.shape.kind == topology_kind::mesh)
      return static_cast<std::int32_t>(to) - static_cast<std::int32_t>(from);
    const auto ahead = (to + extent - from) % extent;
    const bool is_back = 2 * ahead > extent || (2 * ahead == extent && (draw_ >> axis & 1U) != 0);
    return static_cast<std::int32_t>(ahead) - (is_back ? static_cast<std::int32_t>(extent) : 0);
  }
  /// Returns the first axis with steps left, or a nonexistent axis if there is none.
  [[nodiscard]] grid_step first(std::uint32_t at, std::uint32_t goal) const {
    const auto axes = static_cast<std::uint32_t>(layout_.shape.extents.size());
    for (std::uint32_t axis = 0; axis < axes; ++axis)
      if (const auto steps = left(axis, at, goal); steps != 0) return {axis, steps};
    return {axes, 0};
  }
  [[nodiscard]] std::uint32_t link(std::uint32_t at, grid_step step) const {
    return layout_.first_link + at * layout_.ports + 2 * step.axis + (step.left < 0 ? 1 : 0);
  }
  /// Returns the channel, 0 or 1 of a pair, for a hop along a ring. A packet that has yet to cross
  /// the link that closes the ring uses 0; one that crosses it or has crossed it uses 1. `keeps` is
  /// the channel of its previous hop on the same axis, or no_index if it enters the axis. Packets
  /// that do not cross that link use both.
  [[nodiscard]] std::uint32_t lane(const link_table& net, std::uint32_t at, grid_step step,
                                   std::uint32_t keeps, bool may_balance) const {
    if (layout_.shape.kind == topology_kind::mesh) return 0;
    if (net.links[link(at, step)].closes_ring) return 1;
    const auto extent = static_cast<std::int32_t>(layout_.shape.extents[step.axis]);
    const auto place = static_cast<std::int32_t>(at / layout_.strides[step.axis] %
                                                 layout_.shape.extents[step.axis]);
    const auto last = place + step.left;
    if (last < 0 || last >= extent) return 0;
    if (!may_balance) return 1;
    return keeps == no_index ? static_cast<std::uint32_t>(last) & 1U : keeps;
  }

 private:
  const fabric_layout& layout_;
  std::uint16_t draw_;
};

using leg = steering::leg;

// A pilot follows the path of a packet with its own copy of the packet's router and header.
class pilot {
 public:
  pilot(const link_table& net, const fabric_layout& layout, const steering& head,
        const packet_place& at)
      : net_(net),
        layout_(layout),
        head_(head),
        place_(at),
        is_grid_(!layout.shape.extents.empty()) {
    at_ = is_grid_ ? place_.router : place_.router - layout.nodes;
    if (at.next == no_index) home_ = is_grid_ ? place_.target : layout.home_of(place_.target);
    came_axis_ = place_.came == no_index ? no_index : net.links[place_.came].axis;
  }

  [[nodiscard]] const steering& head() const { return head_; }

  // For a packet at its first switch, prefetches the queues between which UGAL chooses.
  void prefetch_choice() const {
    if (head_.now != leg::undecided || at_ == home_ || layout_.shape.how != routing::ugal) return;
    auto minimal = *this;
    minimal.go_to_target();
    auto astray = *this;
    astray.head_.now = leg::to_via;
    if (!astray.choose_via(head_.via)) return;
    for (auto* each : {&minimal, &astray}) {
      const auto link = each->next();
      __builtin_prefetch(&net_.links[link]);
      net_.credits.prefetch({layout_.first_credit_of(link, 0), layout_.channels * layout_.credits});
    }
  }

  // Chooses the path of a packet that is at its first router.
  void decide() {
    const auto how = layout_.shape.how;
    const auto draw = head_.via;
    go_to_target();
    if (at_ == home_ || how == routing::minimal || how == routing::adaptive) return;
    auto astray = *this;
    astray.head_.now = leg::to_via;
    if (!astray.choose_via(draw)) return;
    // A minimal path uses the last two of three classes of channels, so that its channel
    // distinguishes it from other paths at its first router (Kim et al., ISCA 2008, figure 7).
    if (how == routing::ugal && is_grouped()) head_.crossed = 1;
    if (how == routing::valiant || is_longer(astray)) head_ = astray.head_;
  }

  // Returns the link of the next hop, or no_index at the last router.
  std::uint32_t next() {
    if (head_.now == leg::to_via && is_at_via()) {
      go_to_target();
      is_new_leg_ = true;
    }
    if (head_.now == leg::to_target && at_ == home_) return no_index;
    const auto goal = head_.now == leg::to_via ? head_.via : home_;
    if (is_grid_) {
      const grid_steering grid(layout_, head_.draw);
      step_ = grid.first(at_, goal);
      return grid.link(at_, step_);
    }
    choices found;
    const switch_place here{at_, came_axis_, head_.now == leg::to_via};
    add_switch_choices(layout_, here, goal, found);
    return pick(found);
  }

  // Returns the channel of a link that next() has returned.
  std::uint32_t channel(std::uint32_t link) {
    const auto channels = net_.kinds[net_.links[link].kind].channels;
    const auto second = head_.now == leg::to_target ? 1U : 0U;
    const bool has_legs =
        layout_.shape.how == routing::valiant || layout_.shape.how == routing::ugal;
    if (is_grid_) {
      const bool goes_on = came_axis_ == step_.axis && !is_new_leg_;
      const grid_steering grid(layout_, head_.draw);
      const auto lane = grid.lane(net_, at_, step_, goes_on ? place_.channel & 1U : no_index,
                                  layout_.shape.how != routing::adaptive);
      const auto lanes = first_free_channel(layout_);
      return channels == 1 ? 0 : (has_legs ? second * lanes : spread(channels, lanes)) + lane;
    }
    const bool is_counted =
        layout_.shape.kind != topology_kind::hyperx || layout_.shape.how == routing::adaptive;
    const auto of_class = is_counted ? head_.crossed : has_legs ? second : 0U;
    return of_class + spread(channels, layout_.classes);
  }

  // Follows a link, as the packet will.
  void go(std::uint32_t link) {
    const auto end = is_grid_ ? link_end{net_.links[link].to, net_.links[link].axis}
                              : switch_behind(net_, layout_, at_, link);
    at_ = end.to;
    came_axis_ = end.axis;
  }

  // Records in the header that the packet will have crossed the link.
  void note(std::uint32_t link) {
    if (counts(net_.links[link])) ++head_.crossed;
  }

 private:
  void go_to_target() {
    head_.now = leg::to_target;
    head_.via = place_.target;
  }
  [[nodiscard]] bool is_grouped() const {
    return layout_.shape.kind == topology_kind::dragonfly ||
           layout_.shape.kind == topology_kind::dragonfly_plus;
  }
  [[nodiscard]] bool counts(const link& taken) const {
    return !is_grid_ && (is_grouped() ? taken.axis == 2 : taken.axis > 0);
  }
  [[nodiscard]] bool is_at_via() const {
    return (is_grouped() ? layout_.wiring.group_of(at_) : at_) == head_.via;
  }

  // Chooses an intermediate place (in a dragonfly, a third group); returns false if there is none.
  bool choose_via(std::uint32_t draw) {
    if (!is_grouped()) {
      head_.via = draw % (is_grid_ ? layout_.nodes : layout_.routers - layout_.nodes);
      return true;
    }
    const auto groups = layout_.shape.grouped.groups;
    const auto here = layout_.wiring.group_of(at_), there = layout_.wiring.group_of(home_);
    if (here == there || groups < 3) return false;
    auto via = draw % (groups - 2);
    via += via >= std::min(here, there) ? 1 : 0;
    via += via >= std::max(here, there) ? 1 : 0;
    head_.via = via;
    return true;
  }

  // UGAL-L: the minimal path is taken unless its queue times its hops is longer. If both paths
  // begin with the same link, their channels distinguish them (selective virtual-channel
  // discrimination, Kim et al., ISCA 2008): the minimal path is avoided while packets wait in its
  // channel but none in the other.
  [[nodiscard]] bool is_longer(const pilot& astray) const {
    auto minimal = *this, other = astray;
    const auto first = minimal.next(), second = other.next();
    if (first != second) {
      const auto here = occupancy(net_, first, place_.now);
      if (here == 0) return false;
      const auto there = occupancy(net_, second, place_.now);
      return there == 0 || here * minimal.hops() > there * other.hops();
    }
    const auto waiting = net_.links[first].waiting;
    return (waiting >> minimal.channel(first) & 1U) > (waiting >> other.channel(second) & 1U);
  }
  [[nodiscard]] std::int64_t hops() const {
    auto ahead = *this;
    std::int64_t count = 0;
    for (auto link = ahead.next(); link != no_index; link = ahead.next(), ++count) ahead.go(link);
    return count;
  }

  [[nodiscard]] std::uint32_t pick(const choices& found) const {
    // Every switch mixes the draw differently; otherwise one choice would determine all later ones.
    const auto mixed = (head_.draw * 0x9E3779B1U + at_ * 0x85EBCA6BU) * 0xC2B2AE35U >> 12U;
    const auto first = found.count == 1 ? 0 : mixed % found.count;
    if (layout_.shape.how != routing::adaptive) return found.links[first];
    auto best = found.links[first];
    for (std::uint32_t k = 1; k < found.count; ++k) {
      const auto other = found.links[(first + k) % found.count];
      if (backlog(net_, other, place_.now) < backlog(net_, best, place_.now)) best = other;
    }
    return best;
  }

  // Spreads packets over channels beyond those needed, according to the draw.
  [[nodiscard]] std::uint32_t spread(std::uint32_t channels, std::uint32_t needed) const {
    if (channels < 2 * needed || (layout_.shape.how == routing::adaptive && is_grid_)) return 0;
    return needed * (head_.draw / 256U % (channels / needed));
  }

  const link_table& net_;
  const fabric_layout& layout_;
  steering head_;
  packet_place place_;
  bool is_grid_, is_new_leg_ = false;
  std::uint32_t at_ = 0, home_ = 0, came_axis_ = no_index;
  grid_step step_;
};

}  // namespace

hop steer(const link_table& net, const fabric_layout& layout, route& way, const packet_place& at) {
  const bool is_grid = !layout.shape.extents.empty();
  if (at.router == at.target) return {};
  if (!is_grid && at.router < layout.nodes) return {layout.first_of[at.router], 0};
  pilot ahead(net, layout, as_steering(way), at);
  auto link = at.next;
  if (link == no_index) {
    if (ahead.head().now == leg::undecided) ahead.decide();
    link = ahead.next();
    if (link == no_index) return {layout.downs[at.target], 0};
  } else if (net.links[link].axis == 0) {
    return {link, 0};
  }
  const auto channel = ahead.channel(link);
  ahead.note(link);
  way = as_route(ahead.head());
  return {link, channel};
}

bool is_foreseen(const fabric_layout& layout, const route& way, std::uint32_t router) {
  if (!layout.is_steered() || !layout.shape.has_switches() || router < layout.nodes) return false;
  const auto how = layout.shape.how;
  if (how == routing::ugal) return as_steering(way).now != leg::undecided;
  return how != routing::adaptive;
}

std::uint32_t foresee(const link_table& net, const fabric_layout& layout, route& way,
                      const packet_place& at) {
  pilot ahead(net, layout, as_steering(way), at);
  if (ahead.head().now == leg::undecided) ahead.decide();
  const auto link = ahead.next();
  way = as_route(ahead.head());
  return link == no_index ? layout.downs[at.target] : link;
}

void prefetch_choices(const link_table& net, const fabric_layout& layout, const route& way,
                      const packet_place& at) {
  if (layout.shape.has_switches() && at.router >= layout.nodes)
    pilot(net, layout, as_steering(way), at).prefetch_choice();
}

void add_free_choices(const fabric_layout& layout, const route& way, const packet_place& at,
                      choices& found) {
  const grid_steering grid(layout, as_steering(way).draw);
  for (std::uint32_t axis = 0; axis < layout.shape.extents.size(); ++axis)
    if (const auto left = grid.left(axis, at.router, at.target); left != 0)
      found.add(grid.link(at.router, {axis, left}));
}

}  // namespace onehop::netsim
