#include "netsim/workload/traffic_job.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <onehop/error.hpp>
#include <onehop/random.hpp>
#include <utility>

#include "base/text.hpp"

namespace onehop::netsim {
namespace {

// Returns the time of a message on a node's first link.
picoseconds message_time(const machine_description& machine, std::uint32_t bytes) {
  const auto& net = machine.fabrics.at(0);
  const auto& link = net.links.at(0);
  const auto packets =
      std::max<std::uint64_t>(1, (std::uint64_t{bytes} + net.packet_bytes - 1) / net.packet_bytes);
  const pace of(link.raw_rate * link.efficiency);
  return of(bytes + packets * link.framing_bytes);
}

traffic checked(const machine_description& machine, traffic what) {
  machine.check();
  if (what.bytes == 0) what.bytes = machine.fabrics.at(0).packet_bytes;
  if (!(what.load > 0 && what.load <= 100))
    throw usage_error(
        text("a load of ", what.load, "; more than 0 and at most 100 can be offered"));
  if (what.warm_up < 0 || what.window < 0 || what.slices < 1)
    throw usage_error("traffic needs times that are not negative, and a slice of its window");
  if (what.path >= machine.paths.size() || machine.paths[what.path].fabric != 0)
    throw usage_error("traffic goes by a path on the first network");
  if (message_time(machine, what.bytes) < 1)
    throw usage_error("traffic needs links with a rate, which a load is a share of");
  return what;
}

// An alarm's name is a node, or marks the end of a slice.
constexpr std::uint32_t slice_alarm = UINT32_MAX;

}  // namespace

traffic_targets::traffic_targets(const machine_description& machine, traffic_pattern pattern,
                                 std::uint32_t distance, std::uint64_t seed)
    : shape_(machine.fabrics.at(0).shape),
      pattern_(pattern),
      nodes_(machine.nodes),
      distance_(distance % machine.nodes) {
  if (nodes_ < 2) throw usage_error("traffic needs two nodes at least");
  if (pattern == traffic_pattern::shift && distance_ == 0)
    throw usage_error(text("a shift by ", distance, " leads every one of ", nodes_,
                           " nodes to itself; choose another distance"));
  if (pattern == traffic_pattern::adversarial && shape_.kind == topology_kind::graph)
    throw usage_error("no adversarial pattern is known of a graph; choose another one");
  if (pattern == traffic_pattern::permutation) permute(seed);
}

// Sattolo's shuffle makes a single cycle, so no node sends to itself.
void traffic_targets::permute(std::uint64_t seed) {
  permuted_.resize(nodes_);
  std::iota(permuted_.begin(), permuted_.end(), 0U);
  for (auto last = nodes_ - 1; last > 0; --last) {
    const auto words = philox4x32({last, 0, 0, 2}, {static_cast<std::uint32_t>(seed),
                                                    static_cast<std::uint32_t>(seed >> 32)});
    std::swap(permuted_[last], permuted_[words[0] % last]);
  }
}

std::uint32_t traffic_targets::operator()(std::uint32_t origin, std::uint32_t draw) const {
  switch (pattern_) {
    case traffic_pattern::uniform: {
      const auto other = draw % (nodes_ - 1);
      return other + (other >= origin ? 1 : 0);
    }
    case traffic_pattern::shift:
      return (origin + distance_) % nodes_;
    case traffic_pattern::bit_complement:
      return nodes_ - 1 - origin;
    case traffic_pattern::permutation:
      return permuted_[origin];
    case traffic_pattern::adversarial:
      break;
  }
  return worst(origin, draw);
}

std::uint32_t traffic_targets::worst(std::uint32_t origin, std::uint32_t draw) const {
  switch (shape_.kind) {
    case topology_kind::dragonfly:
    case topology_kind::dragonfly_plus: {
      const auto of_group = shape_.hosts * shape_.grouped.leaves;
      const auto groups = (nodes_ + of_group - 1) / of_group;
      const auto first = (origin / of_group + 1) % groups * of_group;
      return first + draw % std::min(of_group, nodes_ - first);
    }
    case topology_kind::hyperx: {
      const auto extent = shape_.switch_extents[0];
      const auto at = origin / shape_.hosts, place = at % extent;
      const auto target =
          (at - place + (place + 1) % extent) * shape_.hosts + origin % shape_.hosts;
      return target < nodes_ ? target : origin;
    }
    case topology_kind::torus:
    case topology_kind::coupled_rings: {
      const auto extent = shape_.extents[0], place = origin % extent;
      return origin - place + (place + std::max(1U, (extent - 1) / 2)) % extent;
    }
    case topology_kind::mesh:
      return nodes_ - 1 - origin;
    case topology_kind::fat_tree:
      return (origin + nodes_ / 2) % nodes_;
    default:
      return (origin + 1) % nodes_;
  }
}

traffic_job::traffic_job(const machine_description& machine, dispatcher& messages,
                         const traffic& what)
    : what_(checked(machine, what)),
      nodes_(machine.nodes),
      targets_(machine, what_.pattern, what_.distance, what_.seed),
      dispatcher_(messages),
      sources_(machine.nodes),
      begun_(machine.nodes) {
  found_.message = message_time(machine, what_.bytes);
}

void traffic_job::begin(std::function<void()> when_over) {
  when_over_ = std::move(when_over);
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    draw_next(sources_[node], node);
    pass(sources_[node], node);
  }
  if (what_.window > 0) dispatcher_.remind(what_.warm_up, *this, slice_alarm);
}

traffic_times traffic_job::times() const {
  traffic_times found = found_;
  found.is_saturated = begun_ > 0 || is_late_;
  const auto whole = static_cast<double>(nodes_) * static_cast<double>(what_.window) /
                     static_cast<double>(found.message);
  found.accepted = static_cast<double>(came_) / whole;
  found.offered = what_.load;
  return found;
}

bool traffic_job::is_over() const {
  if (is_stopped_ || what_.window == 0) return is_stopped_;
  return now() >= end() && ((begun_ == 0 && awaited_ == 0) || now() >= end() + what_.window);
}

void traffic_job::tell_if_over() {
  if (is_stopped_ || !is_over()) return;
  stop();
  when_over_();
}

// Draws the time of the node's next message. Random numbers are computed from counters, so nodes
// and loads do not affect each other.
void traffic_job::draw_next(source& of, std::uint32_t node) {
  const auto words = philox4x32(
      {node, of.count, 0, 3},
      {static_cast<std::uint32_t>(what_.seed), static_cast<std::uint32_t>(what_.seed >> 32)});
  const double share = (words[0] + 0.5) * 0x1p-32;
  const double mean = static_cast<double>(found_.message) / what_.load;
  const bool was_before = of.next < end();
  of.next += static_cast<picoseconds>(std::llround(-std::log(share) * mean));
  if (was_before && of.next >= end()) --begun_;
}

// Sends what the node has made so far and may hand to the network, then waits for the next.
void traffic_job::pass(source& of, std::uint32_t node) {
  while (!is_over()) {
    if (of.open == most_open) return;
    if (of.next > now()) return dispatcher_.remind(of.next, *this, node);
    send(node);
  }
  tell_if_over();
}

void traffic_job::send(std::uint32_t node) {
  auto& of = sources_[node];
  const auto made = of.next;
  const auto words = philox4x32(
      {node, of.count, 0, 4},
      {static_cast<std::uint32_t>(what_.seed), static_cast<std::uint32_t>(what_.seed >> 32)});
  const auto target = targets_(node, words[0]);
  ++of.count;
  draw_next(of, node);
  if (target == node) return;
  if (is_of_window(made)) ++awaited_, ++found_.made;
  const auto index = flights_.add();
  flights_[index] = {made, node};
  ++of.open;
  message what;
  what.origin = node;
  what.target = target;
  what.bytes = what_.bytes;
  what.path = what_.path;
  dispatcher_.send(what, *this, index);
}

void traffic_job::source_free(std::uint32_t index) {
  const auto node = flights_[index].origin;
  close(index);
  auto& of = sources_[node];
  // A node with fewer open messages has already set an alarm for its next one.
  if (of.open-- == most_open) pass(of, node);
}

void traffic_job::delivered(std::uint32_t index) {
  const auto made = flights_[index].made;
  close(index);
  if (is_of_window(now())) ++came_;
  if (is_of_window(made)) {
    --awaited_;
    is_late_ = is_late_ || now() > end() + what_.window;
    found_.latencies.push_back(now() - made);
  }
  tell_if_over();
}

void traffic_job::close(std::uint32_t index) {
  if (--flights_[index].to_tell == 0) flights_.remove(index);
}

void traffic_job::reminded(std::uint32_t name) {
  if (name == slice_alarm) return end_slice();
  pass(sources_[name], name);
}

void traffic_job::end_slice() {
  const auto links = dispatcher_.net().accounts().links;
  const auto slice = what_.window / what_.slices;
  std::vector<link_use> use;
  std::vector<std::uint64_t> counts;
  if (busy_.empty()) busy_.resize(links.size(), -1);
  for (std::size_t k = 0; k < links.size(); ++k) {
    const auto& one = links[k];
    const auto before = std::exchange(busy_[k], one.busy);
    if (before < 0 || one.fabric != 0) continue;
    while (use.size() <= one.axis) use.push_back({static_cast<std::uint32_t>(use.size())});
    counts.resize(use.size());
    const auto share = static_cast<double>(one.busy - before) / static_cast<double>(slice);
    auto& of = use[one.axis];
    of.mean += share;
    of.most = std::max(of.most, share);
    ++counts[one.axis];
  }
  for (std::size_t k = 0; k < use.size(); ++k)
    use[k].mean /= static_cast<double>(std::max<std::uint64_t>(counts[k], 1));
  if (!use.empty()) found_.use.push_back(std::move(use));
  if (found_.use.size() < what_.slices) dispatcher_.remind(now() + slice, *this, slice_alarm);
}

}  // namespace onehop::netsim
