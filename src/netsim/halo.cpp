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

constexpr std::uint64_t control_bytes = 8;

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
      neighbours_(static_cast<std::uint32_t>(halo_neighbours(what_, 0).size())),
      nodes_(machine.nodes),
      finished_(machine.nodes) {
  choose_protocol(machine);
}

void halo_run::choose_protocol(const machine_description& machine) {
  steps_.path = static_cast<std::int32_t>(what_.path);
  if (what_.protocol >= static_cast<std::int32_t>(machine.protocols.size()))
    throw usage_error(text("halo: there is no protocol ", what_.protocol, "; ", machine.name,
                           " has ", machine.protocols.size()));
  if (what_.protocol >= 0) steps_ = machine.protocols[static_cast<std::size_t>(what_.protocol)];
  const auto block = steps_.block_bytes;
  const auto blocks =
      block == 0 ? 1 : std::max<std::uint64_t>(1, (what_.message_bytes + block - 1) / block);
  if (blocks > 1U << 20)
    throw usage_error(text("halo: ", blocks, " blocks in a message; 1048576 can be simulated"));
  blocks_ = static_cast<std::uint32_t>(blocks);
}

std::uint64_t halo_run::messages() const noexcept {
  const auto control = (steps_.request >= 0) + (steps_.grant >= 0) + (steps_.notice >= 0);
  return nodes_.size() * neighbours_ * what_.steps *
         (blocks_ + static_cast<std::uint64_t>(control));
}

std::uint64_t halo_run::pack(const token& one) {
  return std::uint64_t{one.origin} << 40 | std::uint64_t{one.target} << 16 | one.neighbour << 4 |
         static_cast<std::uint64_t>(one.what) << 1 | one.parity;
}

halo_run::token halo_run::unpack(std::uint64_t packed) {
  return {static_cast<std::uint32_t>(packed >> 40),
          static_cast<std::uint32_t>(packed >> 16) & 0xffffffU,
          static_cast<std::uint32_t>(packed >> 4) & 0xfffU, static_cast<std::uint32_t>(packed) & 1U,
          static_cast<part>(packed >> 1 & 7U)};
}

picoseconds halo_run::run() {
  const auto start = net_.now();
  for (std::uint32_t node = 0; node < nodes_.size(); ++node)
    net_.alarm(start + what_.compute, node);
  net_.run();
  return *std::max_element(finished_.begin(), finished_.end()) - start;
}

// Where the origin does not ask, the target grants when it comes to the step itself.
void halo_run::send(std::uint32_t node) {
  auto& here = nodes_[node];
  const auto parity = here.step & 1U;
  here.is_sending = true;
  const auto targets = halo_neighbours(what_, node);
  for (std::uint32_t k = 0; k < targets.size(); ++k) {
    // The neighbour on one side has this node on its other side.
    if (steps_.grant >= 0 && steps_.request < 0)
      post({targets[k], node, k ^ 1U, parity, part::grant}, steps_.grant, control_bytes, 0, k == 0);
    const token of{node, targets[k], k, parity, part::request};
    if (steps_.request >= 0)
      post(of, steps_.request, control_bytes, 0, k == 0);
    else if (steps_.grant < 0 || (here.granted[parity] >> k & 1U) != 0)
      send_data(of);
  }
  here.granted[parity] = 0;
}

void halo_run::send_data(const token& of) {
  const auto block = steps_.block_bytes == 0 ? what_.message_bytes : steps_.block_bytes;
  auto left = what_.message_bytes;
  auto address = of.neighbour * what_.message_bytes;
  for (std::uint32_t k = 0; k < blocks_; ++k) {
    const auto bytes = std::min(left, block);
    auto one = of;
    one.what = k + 1 == blocks_ ? part::last_block : part::block;
    post(one, steps_.path, bytes, address, of.neighbour == 0 && k == 0);
    left -= bytes;
    address += bytes;
  }
}

void halo_run::post(const token& of, std::int32_t path, std::uint64_t bytes, std::uint64_t address,
                    bool is_first) {
  message one;
  one.origin = of.what == part::grant ? of.target : of.origin;
  one.target = of.what == part::grant ? of.origin : of.target;
  one.bytes = bytes;
  one.path = static_cast<std::uint32_t>(path);
  one.first_of_chain = is_first;
  one.address = address;
  one.token = pack(of);
  net_.post(one);
}

void halo_run::go_on(std::uint32_t node) {
  auto& here = nodes_[node];
  auto& came = here.came[here.step & 1U];
  const auto expected = neighbours_ * (blocks_ + (steps_.notice >= 0 ? 1 : 0));
  if (!here.is_sending || here.freed < expected || came < expected) return;
  came = here.freed = 0;
  here.is_sending = false;
  finished_[node] = net_.now();
  if (++here.step < what_.steps) net_.alarm(net_.now() + what_.compute, node);
}

void halo_run::source_free(std::uint64_t packed) {
  const auto of = unpack(packed);
  if (of.what == part::request || of.what == part::grant) return;
  if (of.what == part::last_block && steps_.notice >= 0) {
    auto notice = of;
    notice.what = part::notice;
    post(notice, steps_.notice, control_bytes, 0, false);
  }
  ++nodes_[of.origin].freed;
  go_on(of.origin);
}

void halo_run::delivered(std::uint64_t packed) {
  auto of = unpack(packed);
  if (of.what == part::request) {
    of.what = part::grant;
    return steps_.grant < 0 ? send_data(of) : post(of, steps_.grant, control_bytes, 0, false);
  }
  if (of.what == part::grant) {
    auto& origin = nodes_[of.origin];
    if (origin.is_sending && (origin.step & 1U) == of.parity) return send_data(of);
    origin.granted[of.parity] |= 1U << of.neighbour;
    return;
  }
  ++nodes_[of.target].came[of.parity];
  go_on(of.target);
}

// Without neighbours a step is its computation.
void halo_run::alarm(std::uint64_t node) {
  send(static_cast<std::uint32_t>(node));
  if (neighbours_ == 0) go_on(static_cast<std::uint32_t>(node));
}

}  // namespace onehop::netsim
