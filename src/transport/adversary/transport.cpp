#include "transport/adversary/transport.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "transport/adversary/endpoint.hpp"

namespace onehop::adversary {

job::job(int ranks, std::uint64_t seed)
    : own_progress(std::make_unique<scheduler>(ranks, seed)),
      whole(nullptr),
      progress(*own_progress),
      memory(ranks),
      members(static_cast<std::size_t>(ranks)) {
  for (member& each : members) each.received.resize(members.size());
  for (int rank = 0; rank < ranks; ++rank) names.push_back(rank);
}

job::job(job& all, const std::vector<int>& ranks)
    : whole(&all),
      progress(all.progress),
      memory(static_cast<int>(ranks.size())),
      members(ranks.size()) {
  for (member& each : members) each.received.resize(members.size());
  for (const int rank : ranks) names.push_back(all.name(rank));
}

void job::fail(std::string why) {
  if (whole != nullptr) return whole->fail(std::move(why));
  if (!failure.empty()) return;
  std::ranges::replace(why, '\n', ' ');
  failure = std::move(why);
  progress.wake_all();
}

void job::accuse(const std::string& what) {
  if (whole != nullptr) return whole->accuse("in a group, " + what);
  broken_rule = broken_rule || failure.empty();
  fail(text("a rule of the transport is broken: ", what));
}

void job::send(moment delay, int origin, int target, std::function<void()> event) {
  ++at(origin).under_way;
  progress.later(delay, name(target), [this, origin, run = std::move(event)] {
    run();
    --at(origin).under_way;
  });
}

transport::~transport() { job_->at(rank_).departed = true; }

void transport::post(std::uint64_t tag, std::span<const std::byte> message) {
  job_->step(rank_);
  seen_.resize(static_cast<std::size_t>(size()));
  if (round_ > rounds_left_open) {
    const std::uint64_t over = round_ - rounds_left_open;
    for (int rank = 0; rank < size(); ++rank)
      if (rank != rank_ && seen_[static_cast<std::size_t>(rank)][in_turns(over)] != over)
        job_->accuse(text("rank ", rank_, " posts to round ", round_ + 1,
                          " before it has seen what rank ", rank, " posted to round ", over));
    // From here on, other ranks may overwrite the messages of that round.
    for (auto& slots : job_->at(rank_).received) poison(slots[in_turns(over)].data);
  }
  const std::uint64_t history = history_after(history_[in_turns(round_)], tag);
  history_[in_turns(++round_)] = history;
  for (int rank = 0; rank < size(); ++rank) {
    job::message sent{round_, tag, history, {message.begin(), message.end()}};
    sent.data.resize(std::max<std::size_t>(message.size(), 1));
    const moment delay = job_->progress.delay(job_->progress.perturbed().word_delay);
    job_->send(delay, rank_, rank, [this_job = job_.get(), from = rank_, rank, sent] {
      job::message& slot =
          this_job->at(rank).received[static_cast<std::size_t>(from)][in_turns(sent.round)];
      // A message for which no rank has waited, because the ranks agree, may come after a later
      // one.
      if (slot.round < sent.round) slot = sent;
    });
  }
}

bootstrap::posting transport::posted(int rank, int before) {
  job_->step(rank_);
  const job::message* const theirs = received(rank, before);
  if (theirs == nullptr) return {};
  seen_[static_cast<std::size_t>(rank)][in_turns(theirs->round)] = theirs->round;
  return {theirs->tag, theirs->data.data()};
}

bool transport::agrees(int rank, int before) {
  const job::message* const theirs = received(rank, before);
  if (theirs == nullptr || theirs->history != history_[in_turns(theirs->round)]) return false;
  for (std::uint64_t round = theirs->round; round + rounds_kept > round_ && round > 0; --round)
    seen_[static_cast<std::size_t>(rank)][in_turns(round)] = round;
  return true;
}

const job::message* transport::received(int rank, int before) const {
  const std::uint64_t round = round_ - static_cast<std::uint64_t>(before);
  const job::message& slot =
      job_->at(rank_).received[static_cast<std::size_t>(rank)][in_turns(round)];
  return slot.round == round ? &slot : nullptr;
}

bool transport::claim_round() {
  const job::said last = job_->claimed;
  job_->claimed = {round_, rank_};
  return differs(last) || differs(job_->disputed);
}

bool transport::differs(const job::said& what) {
  if (what.round == 0 || what.rank == rank_) return false;
  const std::uint64_t before = round_ - std::min(round_, what.round);
  return before < left_open.size() && !agrees(what.rank, static_cast<int>(before));
}

memory_id transport::expose(std::span<const std::size_t> bytes_of_rank) {
  return job_->memory.expose(rank_, bytes_of_rank[static_cast<std::size_t>(rank_)]);
}

void transport::withdraw(memory_id memory) noexcept {
  if (job_->at(rank_).incoming[memory] > 0)
    job_->accuse(
        text("rank ", rank_, " takes back window ", memory, " with a put to it under way"));
  job_->memory.withdraw(memory, rank_);
}

std::unique_ptr<onehop::endpoint> transport::make_endpoint(chain_plan plan, memory_id window,
                                                           memory_id own) {
  return std::make_unique<endpoint>(job_, std::move(plan), rank_, window, own);
}

std::shared_ptr<onehop::transport> transport::join_group(memory_id divided, const partition& how) {
  const std::vector<int> members = how.members();
  std::shared_ptr<job>& group = job_->groups[{divided, members.front()}];
  if (!group) group = std::make_shared<job>(*job_, members);
  return std::make_shared<transport>(group, how.number_of(rank_));
}

void transport::poll() {
  job_->step(rank_);
  job& run = job_->run();
  if (!run.failure.empty() && run.broken_rule) throw error(run.failure);
  if (!run.failure.empty()) throw peer_error(run.failure);
  // This is long enough for every other deadline to pass; a loop over test has no deadline.
  if (run.has_stalled && ++run.calls_since_stall > 1'000'000)
    throw peer_error("another rank has reached its deadline");
}

clock::time_point transport::now() const noexcept {
  return clock::time_point(std::chrono::microseconds(job_->progress.now()));
}

bool transport::idle(int, clock::time_point until) {
  const auto moment_until =
      std::chrono::ceil<std::chrono::microseconds>(until.time_since_epoch()).count();
  job_->progress.wait(job_->name(rank_), static_cast<moment>(moment_until));
  return now() >= until;
}

// Every rank that dies here says why, and each look costs every waiting rank a turn. Looks
// therefore become rarer and rarer, and a few of them are enough to find a deadlock.
clock::duration transport::look_interval(clock::duration waited) const noexcept {
  return std::max(waited, clock::look_interval(waited));
}

bool transport::left(int rank) const noexcept {
  const job::member& other = job_->members[static_cast<std::size_t>(rank)];
  return other.departed && !job_->run().at(job_->name(rank)).stalled && other.under_way == 0;
}

void transport::abandon(std::string_view reason) noexcept {
  job_->fail(text("rank ", job_->name(rank_), " failed: ", reason));
}

}  // namespace onehop::adversary
