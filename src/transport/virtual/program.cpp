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
      ways_(on_.description, on_.where, on_.variant) {
  const auto count =
      std::accumulate(what_.grid.begin(), what_.grid.end(), std::uint64_t{1}, std::multiplies<>());
  if (count != on_.description.nodes || what_.grid.size() > 4 ||
      what_.face_bytes.size() != what_.grid.size())
    throw usage_error(text("a grid of ", count, " nodes with ", what_.face_bytes.size(),
                           " face sizes on a machine of ", on_.description.nodes,
                           ": give 1 to 4 extents whose product is that, and a size for each"));
  nodes_.resize(count);
  for (std::uint32_t axis = 0; axis < what_.grid.size(); ++axis) {
    if (what_.grid[axis] == 1) continue;
    for (const std::uint32_t direction : {2 * axis, 2 * axis + 1}) {
      directions_.push_back(direction);
      way_[direction] = &ways_.put_of(what_.face_bytes[axis], 1);
      expected_ = static_cast<std::uint16_t>(expected_ + blocks(direction));
    }
  }
  std::size_t bytes = 0;
  for (const operation_step& each : what_.steps)
    if (each.what == operation_step::kind::sum) bytes = std::max<std::size_t>(bytes, each.bytes);
  for (int index = 0; bytes > 0 && index < static_cast<int>(count); ++index) {
    const int ranks = static_cast<int>(count);
    step_list steps = ways_.steps_of(collective::allreduce, ranks, index, bytes, 0);
    if (steps.size() > most_sum_steps)
      steps =
          make_schedule(collective::allreduce, schedule_kind::dissemination, ranks, index, bytes);
    sums_.push_back(std::move(steps));
  }
}

program_times program_run::run() {
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) go_on(index);
  while (post_.network().run_one()) {
  }
  post_.network().check_conservation();
  program_times times;
  times.network = post_.network().account();
  times.messages = messages_;
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

std::size_t program_run::blocks(std::uint32_t direction) const {
  return protocol_run(way_[direction]->how, what_.face_bytes[direction / 2]).blocks();
}

void program_run::go_on(std::uint32_t index) {
  node& here = nodes_[index];
  while (here.at < what_.steps.size() * what_.iterations && step(index, here)) {
  }
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
    case operation_step::kind::work:
      if (now_due.time > 0 && !here.begun) {
        here.begun = true;
        post_.remind(now() + now_due.time, *this, name(news::word, index, 0, 0));
        return false;
      }
      if (now() < here.since + now_due.time) return false;
      finish(here, here.worked);
      return true;
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
      if (!sum(index, here, now_due.bytes)) return false;
      finish(here, here.summed);
      return true;
  }
}

void program_run::send_faces(std::uint32_t index, node& here) {
  const unsigned parity = here.exchange;
  here.exchange = static_cast<std::uint8_t>(1 - parity);
  here.unread = expected_;
  for (const std::uint32_t direction : directions_) {
    const route& way = *way_[direction];
    const std::uint32_t other = neighbour(index, direction);
    // Who asks for nothing is told when the neighbour is this far; here both sides are alike.
    if (way.how.request || way.how.grant) {
      const int path = way.how.request ? way.request : way.grant;
      const news what = way.how.request ? news::request : news::grant;
      ++messages_;
      post_.send(ways_.word(static_cast<int>(index), static_cast<int>(other), path), *this,
                 name(what, other, direction ^ 1U, parity));
    }
    if (!way.how.grant) send_blocks(index, direction, parity);
  }
}

void program_run::send_blocks(std::uint32_t index, std::uint32_t direction, unsigned parity) {
  const route& way = *way_[direction];
  const protocol_run face(way.how, what_.face_bytes[direction / 2]);
  const auto other = static_cast<int>(neighbour(index, direction));
  for (std::size_t block = 0; block < face.blocks(); ++block) {
    netsim::message sent = ways_.data(static_cast<int>(index), other, way, face.block(block));
    sent.first_of_chain = direction == directions_.front() && block == 0;
    sent.address = (std::uint64_t{direction} << 40) + block * way.how.block_bytes;
    post_.send(sent, *this, name(news::face, index, direction, parity));
    ++messages_;
  }
}

/// One step of the sum after the other; true when the node has the total.
bool program_run::sum(std::uint32_t index, node& here, std::size_t bytes) {
  const step_list& steps = sums_[index];
  const unsigned parity = here.sums;
  while (here.sum_step < steps.size()) {
    const schedule_step& due = steps[here.sum_step];
    if (due.to >= 0 && !here.sum_sent) {
      here.sum_sent = true;
      ++messages_;
      post_.send(ways_.collective_message(static_cast<int>(index), due.to, bytes, true), *this,
                 name(news::word, static_cast<std::uint32_t>(due.to), here.sum_step, parity));
    }
    if (due.from >= 0 && (here.heard[parity] >> here.sum_step & 1U) == 0) return false;
    here.sum_sent = false;
    ++here.sum_step;
  }
  here.heard[parity] = 0;
  here.sum_step = 0;
  here.sums = static_cast<std::uint8_t>(1 - parity);
  return true;
}

void program_run::source_free(std::uint32_t what) {
  if (static_cast<news>(what >> 1 & 3) != news::face) return;
  if (--nodes_[what >> 8].unread == 0) go_on(what >> 8);
}

void program_run::delivered(std::uint32_t what) {
  const std::uint32_t index = what >> 8, detail = what >> 3 & 31, parity = what & 1;
  switch (static_cast<news>(what >> 1 & 3)) {
    case news::face: {
      const std::uint32_t target = neighbour(index, detail);
      node& there = nodes_[target];
      if (++there.came[parity] == expected_) go_on(target);
      return;
    }
    case news::request: {
      if (!way_[detail]->how.grant) return;
      const std::uint32_t origin = neighbour(index, detail);
      ++messages_;
      post_.send(ways_.word(static_cast<int>(index), static_cast<int>(origin), way_[detail]->grant),
                 *this, name(news::grant, origin, detail ^ 1U, parity));
      return;
    }
    case news::grant:
      return send_blocks(index, detail, parity);
    case news::word:
      nodes_[index].heard[parity] |= 1U << detail;
      return go_on(index);
  }
}

void program_run::reminded(std::uint32_t what) { go_on(what >> 8); }

}  // namespace onehop::virtual_machine
