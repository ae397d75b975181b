#include "netsim/workload/schedule.hpp"

#include <algorithm>
#include <array>
#include <onehop/error.hpp>
#include <string>

#include "base/text.hpp"
#include "netsim/workload/sum_schedule.hpp"

namespace onehop::netsim {
namespace {

struct named_kind {
  std::string_view name;
  schedule_kind kind;
};
constexpr std::array<named_kind, 11> kinds{
    {{"auto", schedule_kind::automatic},
     {"dissemination", schedule_kind::dissemination},
     {"recursive-doubling", schedule_kind::recursive_doubling},
     {"reduce-scatter", schedule_kind::reduce_scatter},
     {"ring", schedule_kind::ring},
     {"linear", schedule_kind::linear},
     {"k-nomial", schedule_kind::k_nomial},
     {"chain", schedule_kind::chain},
     {"scatter-allgather", schedule_kind::scatter_allgather},
     {"pairwise", schedule_kind::pairwise},
     {"binomial", schedule_kind::k_nomial}}};
constexpr std::array<std::string_view, 5> collectives{"barrier", "broadcast", "allgather",
                                                      "allreduce", "alltoall"};

/// Above this total size, fewer bytes matter more than fewer steps, as in Thakur et al.
constexpr std::size_t short_bytes = 81920;

schedule_kind choose(collective what, int ranks, std::size_t bytes) {
  if (what == collective::alltoall) return schedule_kind::pairwise;
  const std::size_t all =
      what == collective::allgather ? bytes * static_cast<std::size_t>(ranks) : bytes;
  if (what == collective::broadcast) return schedule_kind::k_nomial;
  return all <= short_bytes ? schedule_kind::dissemination : schedule_kind::ring;
}

/// The distances are 1, 2, 4, ...; in an allgather a rank sends all it has, up to what is missing.
step_list dissemination(collective what, int ranks, int rank, std::size_t bytes) {
  step_list steps;
  for (int distance = 1; distance < ranks; distance *= 2) {
    const auto blocks = static_cast<std::size_t>(std::min(distance, ranks - distance));
    const std::size_t sent = what == collective::allgather ? blocks * bytes : bytes;
    steps.push_back({(rank + distance) % ranks, sent, (rank + ranks - distance) % ranks,
                     what == collective::allreduce, sent});
  }
  return steps;
}

step_list doubling_allgather(int ranks, int rank, std::size_t bytes) {
  if ((ranks & (ranks - 1)) != 0) return dissemination(collective::allgather, ranks, rank, bytes);
  step_list steps;
  for (int distance = 1; distance < ranks; distance *= 2) {
    const std::size_t sent = bytes * static_cast<std::size_t>(distance);
    steps.push_back({rank ^ distance, sent, rank ^ distance, false, sent});
  }
  return steps;
}

/// A sum goes round in parts, which are first summed on the way and then gathered.
step_list ring(collective what, int ranks, int rank, std::size_t bytes) {
  const int after = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  const auto parts = static_cast<std::size_t>(ranks);
  const bool sums = what == collective::allreduce;
  step_list steps;
  const std::size_t sent = sums ? (bytes + parts - 1) / parts : bytes;
  for (int round = 0; round < (sums ? 2 : 1) * (ranks - 1); ++round)
    steps.push_back({after, sent, before, sums && round < ranks - 1, sent});
  return steps;
}

step_list linear(int ranks, int rank, std::size_t bytes) {
  step_list steps;
  for (int distance = 1; distance < ranks; ++distance)
    steps.push_back({(rank + distance) % ranks, bytes, nobody});
  for (int distance = 1; distance < ranks; ++distance)
    steps.push_back({nobody, 0, (rank + ranks - distance) % ranks, false, bytes});
  return steps;
}

step_list linear_broadcast(int ranks, int rank, std::size_t bytes, int root) {
  if (rank != root) return {{nobody, 0, root, false, bytes}};
  step_list steps;
  for (int distance = 1; distance < ranks; ++distance)
    steps.push_back({(rank + distance) % ranks, bytes, nobody});
  return steps;
}

/// Rank 0 and `fan` children cut the remaining ranks into fan + 1 parts, and each part recurses.
step_list k_nomial(int ranks, int rank, std::size_t bytes, int root, tree_shape shape) {
  const int fan = std::max(shape.fan, 1);
  const int place = (rank + ranks - root) % ranks;
  const auto at = [&](int other) { return (other + root) % ranks; };
  int reach = 1;  // size of the tree below this rank, itself included
  while (reach < ranks && place % (reach * (fan + 1)) == 0) reach *= fan + 1;
  const int parent = at(place - place % (reach * (fan + 1)));
  const std::size_t most = shape.segment == 0 ? bytes : shape.segment;
  step_list steps;
  std::size_t done = 0;
  do {
    const std::size_t now = std::min(most, bytes - done);
    if (place != 0) steps.push_back({nobody, 0, parent, false, now});
    for (int part = reach / (fan + 1); part > 0; part /= fan + 1)
      for (int child = fan; child > 0; --child)
        if (place + child * part < ranks) steps.push_back({at(place + child * part), now, nobody});
    done += now;
  } while (done < bytes);
  return steps;
}

/// The parts for the ranks below go down a binomial tree, then all parts go round a ring.
step_list scatter_allgather(int ranks, int rank, std::size_t bytes, int root) {
  const auto all = static_cast<std::size_t>(ranks);
  const std::size_t part = (bytes + all - 1) / all;
  const int place = (rank + ranks - root) % ranks;
  step_list steps = k_nomial(ranks, rank, bytes, root, {});
  for (schedule_step& step : steps) {
    const bool sends = step.to != nobody;
    const int other = ((sends ? step.to : step.from) + ranks - root) % ranks;
    const int child = std::max(place, other), parent = std::min(place, other);
    step.blocks = sends;
    (sends ? step.bytes : step.heard) =
        part * static_cast<std::size_t>(std::min(child - parent, ranks - child));
  }
  const step_list round = ring(collective::allgather, ranks, rank, part);
  steps.insert(steps.end(), round.begin(), round.end());
  return steps;
}

step_list chain(int ranks, int rank, std::size_t bytes, int root) {
  const int place = (rank + ranks - root) % ranks;
  step_list steps;
  if (place != 0) steps.push_back({nobody, 0, (rank + ranks - 1) % ranks, false, bytes});
  if (place + 1 < ranks) steps.push_back({(rank + 1) % ranks, bytes, nobody});
  return steps;
}

step_list pairwise(int ranks, int rank, std::size_t bytes) {
  step_list steps;
  for (int distance = 0; distance < ranks; ++distance)
    steps.push_back({(rank + ranks - distance) % ranks, bytes, nobody});
  for (int distance = 0; distance < ranks; ++distance)
    steps.push_back({nobody, 0, (rank + distance) % ranks, false, bytes});
  // Sends have their own lane, so that they wait for nothing.
  for (schedule_step& step : steps) step.lane = step.to == nobody ? 1 : 0;
  return steps;
}

bool knows(collective what, schedule_kind kind) {
  if (what == collective::alltoall) return kind == schedule_kind::pairwise;
  switch (kind) {
    case schedule_kind::reduce_scatter:
      return what == collective::allreduce;
    case schedule_kind::pairwise:
      return false;
    case schedule_kind::dissemination:
      return what != collective::broadcast;
    case schedule_kind::recursive_doubling:
    case schedule_kind::ring:
      return what == collective::allgather || what == collective::allreduce;
    case schedule_kind::linear:
      return what != collective::allreduce;
    default:
      return what == collective::broadcast;
  }
}

std::string known(collective what) {
  std::string names;
  for (const named_kind& each : kinds)
    if (each.kind != schedule_kind::automatic && knows(what, each.kind))
      names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

}  // namespace

collective collective_named(std::string_view name) {
  const auto* const found = std::ranges::find(collectives, name);
  if (found == collectives.end())
    throw usage_error(text("no collective is called '", name,
                           "': use barrier, broadcast, allgather, allreduce or alltoall"));
  return static_cast<collective>(found - collectives.begin());
}

schedule_kind schedule_named(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  const auto* found = std::ranges::find(kinds, std::string_view(dashed), &named_kind::name);
  if (found == kinds.end())
    throw usage_error(
        text("no schedule is called '", name,
             "': use auto, dissemination, recursive-doubling, reduce-scatter, ring, linear, "
             "binomial, k-nomial, chain, scatter-allgather or pairwise"));
  return found->kind;
}

std::string_view name_of(schedule_kind kind) { return kinds[static_cast<std::size_t>(kind)].name; }

namespace {

step_list steps_of(collective what, schedule_kind kind, int ranks, int rank, std::size_t bytes,
                   int root, tree_shape shape) {
  const bool sums = what == collective::allreduce;
  switch (kind) {
    case schedule_kind::dissemination:
      return dissemination(what, ranks, rank, bytes);
    case schedule_kind::ring:
      return ring(what, ranks, rank, bytes);
    case schedule_kind::chain:
      return chain(ranks, rank, bytes, root);
    case schedule_kind::recursive_doubling:
      return sums ? doubling_sum(ranks, rank, bytes) : doubling_allgather(ranks, rank, bytes);
    case schedule_kind::reduce_scatter:
      return halving_sum(ranks, rank, bytes);
    case schedule_kind::k_nomial:
      return k_nomial(ranks, rank, bytes, root, shape);
    case schedule_kind::scatter_allgather:
      return scatter_allgather(ranks, rank, bytes, root);
    case schedule_kind::pairwise:
      return pairwise(ranks, rank, bytes);
    default:
      return what == collective::broadcast ? linear_broadcast(ranks, rank, bytes, root)
                                           : linear(ranks, rank, bytes);
  }
}

}  // namespace

step_list make_schedule(collective what, schedule_kind kind, int ranks, int rank, std::size_t bytes,
                        int root, tree_shape shape) {
  if (ranks == 1) return {};
  if (kind == schedule_kind::automatic) kind = choose(what, ranks, bytes);
  const std::string_view called = collectives[static_cast<std::size_t>(what)];
  if (!knows(what, kind))
    throw usage_error(text("no ", name_of(kind), " schedule of ", called, ": use ", known(what)));
  step_list steps = steps_of(what, kind, ranks, rank, bytes, root, shape);
  // A rank that sends and receives in one step waits for both, as in MPI_Sendrecv.
  for (schedule_step& step : steps) step.blocks |= step.to != nobody && step.from != nobody;
  return steps;
}

}  // namespace onehop::netsim
