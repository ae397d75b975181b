#include "netsim/workload/program.hpp"

#include <algorithm>
#include <numeric>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::netsim {
namespace {

/// The few numbers that a program sums never need more steps than this.
constexpr std::size_t most_sum_steps = 32;

std::uint64_t nodes_of(const std::vector<std::uint32_t>& grid) {
  return std::accumulate(grid.begin(), grid.end(), std::uint64_t{1}, std::multiplies<>());
}

std::size_t ranks_of(const machine_description& on, const std::vector<std::uint32_t>& places) {
  return places.empty() ? on.nodes : places.size();
}

bool has_sums(const program& what) {
  return std::ranges::any_of(what.steps, [](const operation_step& each) {
    return each.what == operation_step::kind::sum && each.bytes > 0;
  });
}

}  // namespace

program_job::program_job(const machine_description& on, dispatcher& messages,
                         const rank_memory& where, program what,
                         const std::vector<std::uint32_t>& places)
    : what_(std::move(what)),
      slow_nodes_(on.slow_nodes),
      dispatcher_(messages),
      ways_(on, where, places),
      handshakes_(dispatcher_, ways_, *this),
      walks_(has_sums(what_) ? static_cast<int>(ranks_of(on, places)) : 0, dispatcher_, ways_,
             *this),
      nodes_(ranks_of(on, places)) {
  check_grid();
  pair_faces();
  plan_sums();
}

void program_job::check_grid() const {
  if (what_.grid.empty() || what_.grid.size() > 4 || nodes_of(what_.grid) != nodes_.size())
    throw usage_error(text("a grid of ", nodes_of(what_.grid), " nodes for a program on ",
                           nodes_.size(), " of them: give 1 to 4 extents whose product is that"));
  if (what_.iterations < 1) throw usage_error("a program needs at least one iteration");
  for (const operation_step& each : what_.steps)
    if (each.time < 0) throw usage_error("a step of a program takes a negative time");
}

void program_job::pair_faces() {
  for (const program_face& face : what_.faces) {
    auto back = face.shift;
    for (std::int32_t& each : back) each = -each;
    const auto found = std::ranges::find(what_.faces, back, &program_face::shift);
    if (found == what_.faces.end() || found->bytes != face.bytes)
      throw usage_error("a face of a program needs one of as many bytes the other way");
    opposite_.push_back(static_cast<std::uint32_t>(found - what_.faces.begin()));
  }
  if (opposite_.size() > 128)
    throw usage_error(text("a program of ", opposite_.size(), " faces; 128 can be simulated"));
  neighbours_.reserve(nodes_.size() * what_.faces.size());
  for (std::uint32_t index = 0; index < nodes_.size(); ++index)
    for (const program_face& face : what_.faces) neighbours_.push_back(shifted(index, face));
}

void program_job::plan_sums() {
  std::size_t bytes = 0;
  for (const operation_step& each : what_.steps)
    if (each.what == operation_step::kind::sum) bytes = std::max<std::size_t>(bytes, each.bytes);
  const int ranks = static_cast<int>(nodes_.size());
  for (int index = 0; bytes > 0 && index < ranks; ++index) {
    collective_plan plan = ways_.plan_of(collective::allreduce, ranks, index, bytes);
    if (plan.steps.size() > most_sum_steps) {
      constexpr auto shortest = schedule_kind::dissemination;
      plan.steps = make_schedule(collective::allreduce, shortest, ranks, index, bytes);
      plan.by_hosts = false;
    }
    sums_.push_back(std::move(plan));
  }
}

std::vector<picoseconds> program_job::finished() const {
  std::vector<picoseconds> all;
  all.reserve(nodes_.size());
  for (const node& each : nodes_) all.push_back(each.since);
  return all;
}

std::uint64_t program_job::face_messages() const {
  std::uint64_t of_all_nodes = 0;
  for (std::uint32_t index = 0; index < nodes_.size(); ++index)
    for (std::size_t face = 0; face < what_.faces.size(); ++face)
      of_all_nodes += messages_of(face_way(index, face), what_.faces[face].bytes);
  const auto sends =
      std::ranges::count(what_.steps, operation_step::kind::send, &operation_step::what);
  return of_all_nodes * static_cast<std::uint64_t>(sends) * what_.iterations;
}

void program_job::begin(std::function<void()> when_through) {
  when_through_ = std::move(when_through);
  if (steps() == 0) when_through_();
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) go_on(index);
}

void program_job::stop() {
  const auto each = std::max<std::uint64_t>(what_.steps.size(), 1);
  std::uint64_t foremost = 1;
  for (const node& one : nodes_) foremost = std::max(foremost, (one.at + each - 1) / each);
  what_.iterations = static_cast<std::uint32_t>(foremost);
}

program_times program_job::times() const {
  program_times times;
  times.messages = handshakes_.messages() + walks_.messages();
  times.iterations = what_.iterations;
  const auto count = static_cast<double>(nodes_.size());
  for (const node& each : nodes_) {
    if (each.at != steps())
      throw error("a program on a virtual machine waits for what never comes");
    times.total = std::max(times.total, each.since);
    times.work_ps += static_cast<double>(each.worked) / count;
    times.halo_wait_ps += static_cast<double>(each.waited) / count;
    times.sum_ps += static_cast<double>(each.sum_time) / count;
  }
  return times;
}

std::uint32_t program_job::shifted(std::uint32_t index, const program_face& face) const {
  std::uint32_t stride = 1, there = 0;
  for (std::size_t axis = 0; axis < what_.grid.size(); ++axis) {
    const auto extent = static_cast<std::int64_t>(what_.grid[axis]);
    const auto moved = (std::int64_t{index / stride} + face.shift[axis]) % extent;
    there += static_cast<std::uint32_t>(moved < 0 ? moved + extent : moved) * stride;
    stride *= what_.grid[axis];
  }
  return there;
}

void program_job::go_on(std::uint32_t index) {
  node& here = nodes_[index];
  while (here.at < steps() && step(index, here)) {
  }
}

/// A slow node's processors are slow too.
picoseconds program_job::slowed(std::uint32_t index, picoseconds time) const {
  const std::uint32_t place = ways_.node_of(static_cast<int>(index));
  for (const slow_node& each : slow_nodes_)
    if (each.node == place)
      return static_cast<picoseconds>(static_cast<double>(time) * each.factor);
  return time;
}

void program_job::finish(node& here, picoseconds& account) {
  account += dispatcher_.net().now() - here.since;
  here.since = dispatcher_.net().now();
  here.begun = false;
  if (++here.at == steps() && ++through_ == nodes_.size()) when_through_();
}

/// Does a step; returns false if the node has to wait.
bool program_job::step(std::uint32_t index, node& here) {
  const operation_step& due = what_.steps[here.at % what_.steps.size()];
  switch (due.what) {
    case operation_step::kind::work:
      if (due.time > 0) return pass(index, here, slowed(index, due.time));
      finish(here, here.worked);
      return true;
    case operation_step::kind::pause:
      return pass(index, here, due.time);
    case operation_step::kind::send:
      send_faces(index, here);
      finish(here, here.waited);
      return true;
    case operation_step::kind::await: {
      // The exchange sent last has the opposite parity to the next.
      std::uint16_t& came = here.came[(here.exchange + 1U) % 2];
      if (came < what_.faces.size() || here.unread > 0) return false;
      came = 0;
      finish(here, here.waited);
      return true;
    }
    default:
      if (!sum(index, here)) return false;
      finish(here, here.sum_time);
      return true;
  }
}

bool program_job::pass(std::uint32_t index, node& here, picoseconds time) {
  if (!here.begun) {
    here.begun = true;
    dispatcher_.remind(dispatcher_.net().now() + time, *this, index);
    return false;
  }
  if (dispatcher_.net().now() < here.since + time) return false;
  finish(here, here.worked);
  return true;
}

/// Sends the faces. A node can receive its neighbours' faces once it has reached its own send.
void program_job::send_faces(std::uint32_t index, node& here) {
  const unsigned parity = here.exchange;
  here.exchange = static_cast<std::uint8_t>(1 - parity);
  here.unread = static_cast<std::uint16_t>(what_.faces.size());
  const auto self = static_cast<int>(index);
  for (std::uint32_t face = 0; face < what_.faces.size(); ++face) {
    const protocol& way = face_way(index, face);
    const std::uint32_t other = neighbour(index, face);
    const auto there = static_cast<int>(other);
    handshakes_.expect(key_of(index, face, parity), there, self, way);
    handshakes_.send(
        key_of(other, opposite_[face], parity),
        {self, there, what_.faces[face].bytes, &way, face == 0, what_.faces[face].address});
  }
}

/// Returns the protocol of a node's face, which is also that of the face received from that
/// neighbour.
const protocol& program_job::face_way(std::uint32_t index, std::size_t face) const {
  const auto there = static_cast<int>(neighbour(index, face));
  return ways_.put_of(what_.faces[face].bytes, 1, {static_cast<int>(index), there});
}

/// Sums; returns true if the node has the total.
bool program_job::sum(std::uint32_t index, node& here) {
  if (sums_[index].steps.empty()) return true;
  if (!here.begun) {
    here.begun = true;
    here.summed = false;
    walks_.begin(static_cast<int>(index), ++here.sums, sums_[index]);
  }
  return here.summed;
}

void program_job::through(int rank, std::uint64_t) {
  const auto index = static_cast<std::uint32_t>(rank);
  nodes_[index].summed = true;
  go_on(index);
}

void program_job::left(std::uint64_t key) {
  const std::uint32_t origin = neighbour(static_cast<std::uint32_t>(key >> 8), key >> 1 & 127);
  if (--nodes_[origin].unread == 0) go_on(origin);
}

void program_job::came(std::uint64_t key) {
  const auto index = static_cast<std::uint32_t>(key >> 8);
  if (++nodes_[index].came[key & 1] == what_.faces.size()) go_on(index);
}

}  // namespace onehop::netsim
