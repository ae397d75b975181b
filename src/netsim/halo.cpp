#include "netsim/halo.hpp"

#include <algorithm>
#include <onehop/error.hpp>
#include <utility>

#include "base/text.hpp"

namespace onehop::netsim {

namespace {

std::uint32_t shifted(const std::vector<std::uint32_t>& grid, std::uint32_t node, std::size_t axis,
                      std::uint32_t by) {
  std::uint32_t stride = 1;
  for (std::size_t a = 0; a < axis; ++a) stride *= grid[a];
  const auto place = node / stride % grid[axis];
  return node - place * stride + (place + by) % grid[axis] * stride;
}

std::uint32_t diagonal_neighbour(const halo& what, std::uint32_t node, bool is_back) {
  for (std::size_t axis = 0; axis < what.grid.size(); ++axis) {
    const auto by = what.diagonal % what.grid[axis];
    node = shifted(what.grid, node, axis, is_back ? what.grid[axis] - by : by);
  }
  return node;
}

const halo& checked(const machine_description& machine, const halo& what) {
  std::uint64_t nodes = what.grid.empty() ? 0 : 1;
  for (const auto extent : what.grid) nodes *= std::min<std::uint64_t>(extent, 1U << 22);
  if (nodes != machine.nodes)
    throw usage_error(
        text("halo: the grid has ", nodes, " nodes, but ", machine.name, " has ", machine.nodes));
  if (what.steps < 1) throw usage_error("halo: at least one step is needed");
  if (what.compute < 0) throw usage_error("halo: the time to compute is negative");
  return what;
}

std::uint64_t make_token(std::uint32_t origin, std::uint32_t target, std::uint32_t step) {
  return std::uint64_t{target} << 32 | std::uint64_t{origin} << 1 | (step & 1U);
}

}  // namespace

std::vector<std::uint32_t> halo_neighbours(const halo& what, std::uint32_t node) {
  std::vector<std::uint32_t> all;
  for (std::size_t axis = 0; axis < what.grid.size(); ++axis) {
    if (what.grid[axis] == 1) continue;
    all.push_back(shifted(what.grid, node, axis, 1));
    all.push_back(shifted(what.grid, node, axis, what.grid[axis] - 1));
  }
  if (what.grid.size() != 3 || diagonal_neighbour(what, node, false) == node) return all;
  all.push_back(diagonal_neighbour(what, node, false));
  all.push_back(diagonal_neighbour(what, node, true));
  return all;
}

halo_run::halo_run(const machine_description& machine, halo what, scheduler how)
    : what_(checked(machine, what)),
      net_(machine, *this, how),
      neighbours_(halo_neighbours(what_, 0).size()),
      nodes_(machine.nodes),
      finished_(machine.nodes) {}

picoseconds halo_run::run() {
  const auto start = net_.now();
  for (std::uint32_t node = 0; node < nodes_.size(); ++node)
    net_.alarm(start + what_.compute, node);
  net_.run();
  return *std::max_element(finished_.begin(), finished_.end()) - start;
}

void halo_run::send(std::uint32_t node) {
  const auto step = nodes_[node].step;
  std::uint64_t address = 0;
  bool is_first = true;
  for (const auto target : halo_neighbours(what_, node)) {
    message one;
    one.origin = node;
    one.target = target;
    one.bytes = what_.message_bytes;
    one.path = what_.path;
    one.first_of_chain = std::exchange(is_first, false);
    one.address = address;
    one.token = make_token(node, target, step);
    net_.post(one);
    address += what_.message_bytes;
  }
}

void halo_run::go_on(std::uint32_t node) {
  auto& here = nodes_[node];
  auto& came = here.came[here.step & 1U];
  if (here.freed < neighbours_ || came < neighbours_) return;
  came = here.freed = 0;
  finished_[node] = net_.now();
  if (++here.step < what_.steps) net_.alarm(net_.now() + what_.compute, node);
}

void halo_run::source_free(std::uint64_t token) {
  const auto node = static_cast<std::uint32_t>(token >> 1) & 0x7fffffffU;
  ++nodes_[node].freed;
  go_on(node);
}

void halo_run::delivered(std::uint64_t token) {
  const auto node = static_cast<std::uint32_t>(token >> 32);
  ++nodes_[node].came[token & 1U];
  go_on(node);
}

// Without neighbours a step is its computation.
void halo_run::alarm(std::uint64_t token) {
  const auto node = static_cast<std::uint32_t>(token);
  if (neighbours_ == 0) return go_on(node);
  send(node);
}

}  // namespace onehop::netsim
