#include "transport/virtual/processes/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <onehop/error.hpp>
#include <random>
#include <utility>

#include "base/text.hpp"
#include "machine/long_slice.hpp"

namespace onehop::virtual_machine {
namespace {

int make_segment(int ranks, const machine& on) {
  const std::size_t head =
      stores::control_block::round_up(team_block::bytes(ranks)) + conductor_block::bytes(ranks);
  return shm::create_segment(checked_count(ranks, on), team_block::ring_bytes, head,
                             2 * static_cast<std::size_t>(ranks) * message_bytes);
}

/// Returns a number that no other run has, and not 0.
std::uint64_t number_of_run() {
  std::random_device seed;
  return std::uint64_t{seed()} << 32 | seed() | 1;
}

conductor_block* make_block(const shm::segment_mapping& segment, const machine& on,
                            const computing& how) {
  stores::control_block& control = segment.control();
  team_block::write(control, all_ranks(control.ranks), message_bytes);
  control.conductor = team_block::head_bytes(control.ranks);
  conductor_block& made = conductor_block::of(control);
  made.compute = how.how;
  made.instructions_per_second = how.instructions_per_second;
  if (how.is_written) made.recorded_run = number_of_run();
  made.windows =
      control.conductor + stores::control_block::round_up(conductor_block::bytes(control.ranks));
  const std::string name = "virtual:" + on.description.name;
  std::copy_n(name.data(), std::min(name.size(), made.name.size() - 1), made.name.data());
  return &made;
}

template <std::size_t Bytes>
void copy_text(const std::string& from, std::array<char, Bytes>& to) {
  const std::size_t length = std::min(from.size(), Bytes - 1);
  std::copy_n(from.data(), length, to.data());
  to[length] = '\0';
}

}  // namespace

process_conductor::process_conductor(int ranks, machine on, const computing& how)
    : segment_(make_segment(ranks, on)),
      mapping_(std::make_unique<shm::segment_mapping>(segment_)),
      block_(make_block(*mapping_, on, how)),
      job_(ranks, std::move(on)),
      mailboxes_(static_cast<std::size_t>(ranks)),
      gone_(static_cast<std::size_t>(ranks)),
      waited_(static_cast<std::size_t>(ranks)) {
  block_->least_granted_bytes = job_.ways.least_granted_bytes();
  for (int rank = 0; rank < ranks; ++rank)
    line(rank).node = static_cast<std::int32_t>(job_.ways.node_of(rank));
}

process_conductor::~process_conductor() { close(segment_); }

bool process_conductor::over() const noexcept { return stopped_ || control().failure.is_written(); }

void process_conductor::fail_if_job_has() {
  if (!job_.failure.empty()) control().failure.write(-1, job_.failure);
}

void process_conductor::run() {
  const long_slice lets_ranks_run;
  // Where the job is over, ranks are left that neither run nor wait, and the next turn would never
  // come.
  while (!over()) {
    const int next = job_.progress.choose();
    fail_if_job_has();
    if (next < 0) break;
    if (!over()) serve(next);
  }
  // A rank that sleeps is woken to see that the job has failed.
  for (int rank = 0; rank < job_.size(); ++rank)
    if (over()) line(rank).turn.set(1);
}

void process_conductor::serve(int rank) {
  if (!job_.at(rank).pause.is_over()) {
    job_.progress.suspend(rank, netsim::never);
    return;
  }
  rank_line& mine = line(rank);
  for (bool goes_on = true; goes_on;) {
    bring_packets(rank);
    block_->now = job_.progress.now();
    block_->under_way = job_.messages.under_way() + (packets_.next(rank) != nullptr ? 1 : 0);
    mine.turn.set(1);
    if (!await_end_of_turn(rank)) {
      if (!over()) retire(rank);
      return;
    }
    const std::uint64_t wakes = job_.progress.wakes(rank);
    carry_out(rank);
    goes_on = end_turn(rank, job_.progress.wakes(rank) != wakes);
  }
}

bool process_conductor::await_end_of_turn(int rank) {
  for (;;) {
    const std::uint32_t heard = block_->bell.value();
    if (line(rank).turn.value() == 0) return true;
    if (over() || gone_[static_cast<std::size_t>(rank)]) return false;
    block_->bell.wait_while(heard);
  }
}

void process_conductor::carry_out(int rank) {
  rank_line& mine = line(rank);
  try {
    for (std::uint32_t n = 0; n < mine.request_count; ++n) carry_out(mine.requests[n]);
    if (mailbox* const box = mailboxes_[static_cast<std::size_t>(rank)])
      box->collect(packets_, rank);
  } catch (const std::exception& thrown) {
    control().failure.write(rank, thrown.what());
  }
  mine.request_count = 0;
}

void process_conductor::carry_out(const request& what) {
  std::byte* const own = mapping_->base() + what.own_offset;
  switch (what.what) {
    case request::leave_team:
      return leave_team(what);
    case request::open_mail:
      mailboxes_[static_cast<std::size_t>(what.rank)] = reinterpret_cast<mailbox*>(own);
      return;
    case request::close_mail:
      mailboxes_[static_cast<std::size_t>(what.rank)] = nullptr;
      return;
    default:
      team_at(what.team).carry_out(what, own);
  }
}

void process_conductor::bring_packets(int rank) {
  if (mailbox* const box = mailboxes_[static_cast<std::size_t>(rank)]) box->fill(packets_, rank);
}

bool process_conductor::has_more_packets(int rank) const {
  const mailbox* const box = mailboxes_[static_cast<std::size_t>(rank)];
  return box != nullptr && box->taken == box->come && packets_.next(rank) != nullptr;
}

team& process_conductor::team_at(std::uint64_t range) {
  std::unique_ptr<team>& found = teams_[range];
  if (found) return *found;
  team_block& block =
      team_block::of(*reinterpret_cast<stores::control_block*>(mapping_->base() + range));
  std::vector<int> members;
  for (const team_block::member& one : block.members()) members.push_back(one.rank);
  found = std::make_unique<team>(job_, block.rounds(), std::move(members));
  return *found;
}

void process_conductor::leave_team(const request& what) {
  // A team that has requested nothing else is not known before its first rank leaves.
  if (!team_at(what.team).leave(what.rank)) return;
  const auto found = teams_.find(what.team);
  if (job_.messages.under_way() == 0) retired_.clear();
  retired_.push_back(std::move(found->second));
  teams_.erase(found);
}

/// A rank that waits does so for what its requests may have brought already, in this turn or one
/// before, or what came while the time that it had computed for was charged.
bool process_conductor::end_turn(int rank, bool has_news) {
  rank_line& mine = line(rank);
  note_wait(rank);
  if (has_news) job_.at(rank).pause.note_news();
  switch (mine.end) {
    case turn_end::wait:
      return job_.at(rank).pause.take_news() || has_more_packets(rank) ||
             !job_.progress.suspend(rank, mine.until);
    case turn_end::look:
      job_.progress.defer(rank);
      return false;
    case turn_end::work:
      return !pause(rank, job_.begin_work(rank, mine.cost));
    case turn_end::drain:
      return !pause(rank, job_.drain(rank));
    case turn_end::compute:
      return !pause(rank, mine.until);
    case turn_end::describe:
      describe(rank);
      return true;
    case turn_end::timed_out:
      // In a job that ends by its deadlines a rank has no more to say than that.
      if (!has_stalled_) return true;
      retire(rank);
      return false;
    case turn_end::leave:
      retire(rank);
      return false;
    default:
      return true;
  }
}

bool process_conductor::pause(int rank, picoseconds length) {
  if (length <= 0) return false;
  job_.at(rank).pause.begin(job_.messages, length);
  return job_.progress.suspend(rank, netsim::never);
}

/// After a wait that reached its deadline a rank may still take things down before it ends.
void process_conductor::note_wait(int rank) {
  const rank_line& mine = line(rank);
  const std::lock_guard lock(mutex_);
  std::string& said = waited_[static_cast<std::size_t>(rank)];
  if (mine.end == turn_end::timed_out) said = mine.text.data();
  if (mine.end <= turn_end::compute) said.clear();
}

void process_conductor::describe(int rank) {
  const request& what = line(rank).described;
  const chain_side& side = team_at(what.team).side(what.rank, what.own);
  copy_text(job_.ways.describe(side.way(what.put.put)), line(rank).text);
}

/// When a rank goes after a wait that reached its deadline, the others are not told that it left:
/// they have until their deadlines to say whom they wait for.
void process_conductor::retire(int rank) {
  team_block::of(control()).members()[static_cast<std::size_t>(rank)].departed =
      waited(rank).empty() ? 1 : 0;
  job_.progress.retire(rank);
}

void process_conductor::ended(int rank) noexcept {
  gone_[static_cast<std::size_t>(rank)] = true;
  block_->bell.add_one();
}

void process_conductor::fail(int rank, std::string_view reason) noexcept {
  control().failure.write(rank, reason);
  block_->bell.add_one();
}

void process_conductor::stall() noexcept {
  has_stalled_ = true;
  block_->bell.add_one();
}

std::string process_conductor::waited(int rank) const {
  const std::lock_guard lock(mutex_);
  return waited_[static_cast<std::size_t>(rank)];
}

std::string process_conductor::deadlock() const {
  std::string all;
  for (int rank = 0; rank < job_.size(); ++rank)
    if (const std::string said = waited(rank); !said.empty())
      all += (all.empty() ? nothing_under_way(job_) : "; ") + said;
  return all;
}

void process_conductor::stop() noexcept {
  stopped_ = true;
  block_->bell.add_one();
}

}  // namespace onehop::virtual_machine
