#pragma once
// Tests ask which virtual channels packets can wait for while they hold others.

#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <onehop/random.hpp>
#include "netsim/machine/steering.hpp"

namespace onehop::netsim {

using channel = std::pair<std::uint32_t, std::uint32_t>;  // link, virtual channel

// Returns the header of the packet number `turn` where it enters.
inline route first_route(const link_table& net, std::uint32_t origin, std::uint32_t target,
                         std::uint32_t turn) {
  if (!net.fabrics[0].is_steered()) return plan_route(net, 0, origin, target, turn);
  const auto words = philox4x32({origin, target, turn, 0}, {5, 6});
  return as_route({words[0], static_cast<std::uint16_t>(words[1])});
}

// Returns the channels that the packet takes; with `foresees` every hop that can be is foreseen.
inline std::vector<channel> channels_of(const link_table& net, std::uint32_t origin,
                                        std::uint32_t target, std::uint32_t turn,
                                        bool foresees = false) {
  auto way = first_route(net, origin, target, turn);
  std::vector<channel> passed;
  auto router = origin;
  auto came = no_index;
  auto lane = 2 * (turn & 63U);
  for (;;) {
    packet_place place{router, target, came, lane};
    if (foresees && came != no_index && is_foreseen(net.fabrics[0], way, router)) {
      place.next = foresee(net, net.fabrics[0], way, place);
      place.target = no_index;
    }
    const auto step = follow(net, net.fabrics[0], way, place);
    if (step.link == no_index) break;
    passed.emplace_back(step.link, step.channel);
    came = step.link;
    lane = step.channel;
    router = net.links[came].to;
    BOOST_REQUIRE(passed.size() < 1000);
  }
  BOOST_TEST(router == target);
  return passed;
}

using dependencies = std::map<channel, std::set<channel>>;

// Returns which channel can wait for which, over all pairs of nodes.
inline dependencies all_waits(const machine_description& machine, std::uint32_t turns = 4) {
  const link_table net(machine);
  dependencies waits;
  for (std::uint32_t origin = 0; origin < machine.nodes; ++origin)
    for (std::uint32_t target = 0; target < machine.nodes; ++target)
      for (std::uint32_t turn = 0; turn < turns; ++turn) {
        const auto passed = channels_of(net, origin, target, turn);
        for (std::size_t k = 1; k < passed.size(); ++k) waits[passed[k - 1]].insert(passed[k]);
      }
  return waits;
}

inline bool has_ring(const dependencies& waits) {
  std::map<channel, int> state;  // 1: being visited, 2: done
  std::function<bool(const channel&)> visit = [&](const channel& at) {
    if (state[at] != 0) return state[at] == 1;
    state[at] = 1;
    if (const auto found = waits.find(at); found != waits.end())
      for (const auto& next : found->second)
        if (visit(next)) return true;
    state[at] = 2;
    return false;
  };
  for (const auto& entry : waits)
    if (visit(entry.first)) return true;
  return false;
}

}  // namespace onehop::netsim
