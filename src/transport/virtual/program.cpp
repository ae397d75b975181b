#include "transport/virtual/program.hpp"

#include <algorithm>
#include <numeric>
#include <onehop/error.hpp>

#include "base/text.hpp"

namespace onehop::virtual_machine {
namespace {

/// Of a sum, so that what was heard fits a word.
constexpr std::size_t most_sum_steps = 32;

}  // namespace

program_run::program_run(machine on, program what)
    : on_(std::move(on)),
      what_(std::move(what)),
      post_(on_.description),
      ways_(on_.description, on_.where, on_.windows, on_.variant),
      carrier_(post_, ways_, *this) {
  const auto count =
      std::accumulate(what_.grid.begin(), what_.grid.end(), std::uint64_t{1}, std::multiplies<>());
  if (count != on_.description.nodes || what_.grid.size() > 4 ||
      what_.face_bytes.size() != what_.grid.size())
    throw usage_error(text("a grid of ", count, " nodes with ", what_.face_bytes.size(),
                           " face sizes on a machine of ", on_.description.nodes,
                           ": give 1 to 4 extents whose product is that, and a size for each"));
  nodes_.resize(count);
  // As a face exchange pushes its puts: forward along every axis, then back.
  for (const std::uint32_t side : {0U, 1U}) {
    for (std::uint32_t axis = 0; axis < what_.grid.size(); ++axis) {
      if (what_.grid[axis] == 1) continue;
      directions_.push_back(2 * axis + side);
      way_[2 * axis + side] = &ways_.put_of(what_.face_bytes[axis], 1);
      ++expected_;
    }
  }
  std::size_t bytes = 0;
  for (const operation_step& each : what_.steps)
    if (each.what == operation_step::kind::sum) bytes = std::max<std::size_t>(bytes, each.bytes);
  for (int index = 0; bytes > 0 && index < static_cast<int>(count); ++index) {
    const int ranks = static_cast<int>(count);
    collective_plan plan = ways_.plan_of(collective::allreduce, ranks, index, bytes);
    if (plan.steps.size() > most_sum_steps) {
      constexpr auto shortest = schedule_kind::dissemination;
      plan.steps = make_schedule(collective::allreduce, shortest, ranks, index, bytes);
      plan.by_hosts = false;
    }
    sums_.push_back(std::move(plan));
  }
}

program_times program_run::run() {
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) go_on(index);
  while (post_.network().run_one()) {
  }
  post_.network().check_conservation();
  program_times times;
  const netsim::network& net = post_.network();
  times.network = {net.now(), net.account(), net.stages(), net.links()};
  times.messages = carrier_.messages();
  const auto count = static_cast<double>(nodes_.size());
  for (const node& each : nodes_) {
    if (each.at != what_.steps.size() * what_.iterations)
      throw error("a program on a virtual machine waits for what never comes");
    times.total = std::max(times.total, each.since);
    times.work_ps += static_cast<double>(each.worked) / count;
    times.halo_wait_ps += static_cast<double>(each.waited) / count;
    times.sum_ps += static_cast<double>(each.summed) / count;
  }
  return times;
}

std::uint32_t program_run::neighbour(std::uint32_t index, std::uint32_t direction) const {
  std::uint32_t stride = 1;
  for (std::uint32_t axis = 0; axis < direction / 2; ++axis) stride *= what_.grid[axis];
  const std::uint32_t extent = what_.grid[direction / 2], here = index / stride % extent;
  const std::uint32_t there = (here + (direction % 2 == 0 ? 1 : extent - 1)) % extent;
  return index - here * stride + there * stride;
}

void program_run::go_on(std::uint32_t index) {
  node& here = nodes_[index];
  while (here.at < what_.steps.size() * what_.iterations && step(index, here)) {
  }
}

/// A slow node's processors are slow too.
picoseconds program_run::slowed(std::uint32_t index, picoseconds time) const {
  for (const netsim::slow_node& each : on_.description.slow_nodes)
    if (each.node == index)
      return static_cast<picoseconds>(static_cast<double>(time) * each.factor);
  return time;
}

void program_run::finish(node& here, picoseconds& account) {
  account += now() - here.since;
  here.since = now();
  here.begun = false;
  ++here.at;
}

/// False when the node has to wait.
bool program_run::step(std::uint32_t index, node& here) {
  const operation_step& now_due = what_.steps[here.at % what_.steps.size()];
  switch (now_due.what) {
    case operation_step::kind::work: {
      const picoseconds time = slowed(index, now_due.time);
      if (time > 0 && !here.begun) {
        here.begun = true;
        post_.remind(now() + time, *this, index);
        return false;
      }
      if (now() < here.since + time) return false;
      finish(here, here.worked);
      return true;
    }
    case operation_step::kind::send:
      send_faces(index, here);
      finish(here, here.waited);
      return true;
    case operation_step::kind::await: {
      // The exchange that was sent last has the other parity than the next.
      std::uint16_t& came = here.came[(here.exchange + 1U) % 2];
      if (came < expected_ || here.unread > 0) return false;
      came = 0;
      finish(here, here.waited);
      return true;
    }
    default:
      if (!sum(index, here)) return false;
      finish(here, here.summed);
      return true;
  }
}

/// A node is ready for its neighbours' faces once it is as far as sending its own.
void program_run::send_faces(std::uint32_t index, node& here) {
  const unsigned parity = here.exchange;
  here.exchange = static_cast<std::uint8_t>(1 - parity);
  here.unread = expected_;
  const auto self = static_cast<int>(index);
  for (const std::uint32_t direction : directions_) {
    const route& way = *way_[direction];
    const std::uint32_t other = neighbour(index, direction);
    carrier_.expect(key_of(kind::face, index, direction, parity), static_cast<int>(other), self,
                    way);
    carrier_.send(key_of(kind::face, other, direction ^ 1U, parity),
                  {self, static_cast<int>(other), what_.face_bytes[direction / 2], &way,
                   direction == directions_.front(), std::uint64_t{direction} << 40});
  }
}

/// One step of the sum after the other; true when the node has the total.
bool program_run::sum(std::uint32_t index, node& here) {
  const step_list& steps = sums_[index].steps;
  while (here.sum_step < steps.size()) {
    if (here.copies || now() < here.busy_until) return false;
    if (!sum_goes_on(index, here, steps[here.sum_step])) return false;
  }
  here.heard[here.sums] = 0;
  here.sum_step = 0;
  here.sum_phase = phase::entry;
  here.sums = static_cast<std::uint8_t>(1 - here.sums);
  return true;
}

/// False when the node has to wait.
bool program_run::sum_goes_on(std::uint32_t index, node& here, const schedule_step& due) {
  switch (here.sum_phase) {
    case phase::entry:
      return !pause(index, here, sums_[index].entry, phase::software);
    case phase::software:
      if (due.copies != schedule_step::copy::none) {
        here.copies = true;
        here.sum_phase = phase::over;
        post_.copy(ways_.copy(static_cast<int>(index), due.copies, due.bytes), *this, index);
        return false;
      }
      return !pause(index, here, due.to < 0 ? 0 : ways_.collective_step(), phase::send);
    case phase::send:
      exchange_word(index, here, due);
      here.sum_phase = phase::hear;
      return true;
    case phase::hear:
      if (due.from >= 0 && (here.heard[here.sums] >> here.sum_step & 1U) == 0) return false;
      return !pause(index, here, due.combines ? ways_.reduction(due.heard) : 0, phase::over);
    default:
      here.sum_phase = phase::software;
      ++here.sum_step;
      return true;
  }
}

/// True when the node goes on in `then` later.
bool program_run::pause(std::uint32_t index, node& here, picoseconds time, phase then) {
  here.sum_phase = then;
  if (time <= 0) return false;
  here.busy_until = now() + time;
  post_.remind(here.busy_until, *this, index);
  return true;
}

void program_run::delivered(std::uint32_t index) {
  nodes_[index].copies = false;
  go_on(index);
}

void program_run::exchange_word(std::uint32_t index, const node& here, const schedule_step& due) {
  const auto self = static_cast<int>(index);
  if (due.from >= 0)
    carrier_.expect(key_of(kind::word, index, here.sum_step, here.sums), due.from, self,
                    ways_.collective_way(sums_[index].by_hosts, due.heard));
  if (due.to >= 0)
    carrier_.send(
        key_of(kind::word, static_cast<std::uint32_t>(due.to), here.sum_step, here.sums),
        {self, due.to, due.bytes, &ways_.collective_way(sums_[index].by_hosts, due.bytes)});
}

void program_run::left(std::uint64_t key) {
  if (static_cast<kind>(key >> 1 & 1) != kind::face) return;
  const auto target = static_cast<std::uint32_t>(key >> 8);
  const std::uint32_t origin = neighbour(target, key >> 2 & 31);
  if (--nodes_[origin].unread == 0) go_on(origin);
}

void program_run::came(std::uint64_t key) {
  const auto index = static_cast<std::uint32_t>(key >> 8);
  node& there = nodes_[index];
  if (static_cast<kind>(key >> 1 & 1) == kind::word)
    there.heard[key & 1] |= 1U << (key >> 2 & 31);
  else if (++there.came[key & 1] < expected_)
    return;
  go_on(index);
}

}  // namespace onehop::virtual_machine
