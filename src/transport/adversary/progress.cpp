#include "transport/adversary/progress.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace onehop::adversary {

scheduler::scheduler(int ranks, std::uint64_t seed)
    : random_(seed),
      perturbations_(draw_perturbations(*this)),
      turns_(ranks),
      ranks_(static_cast<std::size_t>(ranks)) {}

std::uint64_t scheduler::draw(std::uint64_t limit) noexcept {
  // This is SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
  // OOPSLA 2014).
  std::uint64_t z = random_ += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return (z ^ (z >> 31)) % limit;
}

moment scheduler::delay(moment longest) noexcept {
  const moment ordinary = draw(longest + 1);
  return draw(32) == 0 ? 40 * (ordinary + 1) : ordinary;
}

perturbations scheduler::draw_perturbations(scheduler& from) {
  const auto one_of = [&](std::initializer_list<std::uint64_t> choices) {
    return choices.begin()[from.draw(choices.size())];
  };
  perturbations drawn{};
  drawn.switching = one_of({20, 150, 500, 1000});
  drawn.sleeping = one_of({0, 2, 10});
  drawn.waking = one_of({0, 30, 300});
  drawn.at_once = one_of({0, 200, 1000});
  drawn.direct = one_of({0, 500, 1024});
  drawn.put_delay = one_of({0, 10, 60, 400});
  drawn.word_delay = one_of({0, 5, 40, 400});
  drawn.pieces = one_of({1, 2, 7});
  drawn.queue_slots = one_of({1, 2, 1000});
  drawn.round_bytes = one_of({256, 1024, 4080});
  return drawn;
}

void scheduler::finish(int rank) {
  ranks_[static_cast<std::size_t>(rank)].what = state::finished;
  turns_.leave(rank, choose());
}

void scheduler::step(int rank) {
  ++now_;
  run_due();
  rank_state& mine = ranks_[static_cast<std::size_t>(rank)];
  if (chance(perturbations_.sleeping)) {
    mine.what = state::asleep;
    mine.until = now_ + 1 + delay(500);
  } else if (!chance(perturbations_.switching)) {
    return;
  }
  pass_on(rank);
}

void scheduler::wait(int rank, moment until) {
  rank_state& mine = ranks_[static_cast<std::size_t>(rank)];
  // The event that woke the rank may have come after the rank last looked for what it needs.
  if (std::exchange(mine.woken, false)) return;
  mine.what = state::waiting;
  mine.until = until;
  pass_on(rank);
}

void scheduler::later(moment delay, int rank, std::function<void()> what) {
  events_.push({now_ + delay, events_made_++, rank, std::move(what)});
}

void scheduler::wake(int rank) noexcept {
  rank_state& woken = ranks_[static_cast<std::size_t>(rank)];
  if (woken.what == state::waiting)
    woken.what = state::ready;
  else
    woken.woken = true;
}

void scheduler::wake_all() noexcept {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) wake(static_cast<int>(rank));
}

void scheduler::run_due() {
  while (!events_.empty() && events_.top().due <= now_) {
    const event next = events_.top();
    events_.pop();
    next.run();
    wake(next.rank);
  }
  for (rank_state& each : ranks_)
    if ((each.what == state::waiting || each.what == state::asleep) && each.until <= now_)
      each.what = state::ready;
}

void scheduler::jump_to_next() {
  moment next = std::numeric_limits<moment>::max();
  if (!events_.empty()) next = events_.top().due;
  for (const rank_state& each : ranks_)
    if (each.what == state::waiting || each.what == state::asleep)
      next = std::min(next, each.until);
  now_ = std::max(now_, next);
  run_due();
}

int scheduler::choose() {
  std::vector<int> able;
  const auto collect = [&] {
    able.clear();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      if (ranks_[rank].what == state::ready) able.push_back(static_cast<int>(rank));
  };
  if (std::ranges::all_of(ranks_, [](const rank_state& p) { return p.what == state::finished; }))
    return -1;
  if (chance(perturbations_.waking)) wake(static_cast<int>(draw(ranks_.size())));
  // If no rank can go on, time jumps to the next event or, without one, to the end of a sleep or a
  // deadline.
  for (collect(); able.empty(); collect()) jump_to_next();
  return able[draw(able.size())];
}

void scheduler::pass_on(int rank) {
  const int next = choose();
  if (next != rank) turns_.pass_on(rank, next);
}

}  // namespace onehop::adversary
