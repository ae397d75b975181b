#include "rma/schedule.hpp"

#include <algorithm>
#include <array>
#include <onehop/error.hpp>
#include <string>

#include "base/text.hpp"

namespace onehop {
namespace {

constexpr int nobody = schedule_step::nobody;

struct named_kind {
  std::string_view name;
  schedule_kind kind;
};
constexpr std::array<named_kind, 9> kinds{
    {{"auto", schedule_kind::automatic},
     {"dissemination", schedule_kind::dissemination},
     {"recursive-doubling", schedule_kind::recursive_doubling},
     {"ring", schedule_kind::ring},
     {"linear", schedule_kind::linear},
     {"k-nomial", schedule_kind::k_nomial},
     {"chain", schedule_kind::chain},
     {"scatter-allgather", schedule_kind::scatter_allgather},
     {"binomial", schedule_kind::k_nomial}}};
constexpr std::array<std::string_view, 5> collectives{"barrier", "broadcast", "allgather",
                                                      "allreduce", "alltoall"};

/// Beyond this much in all, fewer bytes matter more than fewer steps. As in Thakur et al.
constexpr std::size_t short_bytes = 81920;

schedule_kind choose(collective what, int ranks, std::size_t bytes) {
  const std::size_t all =
      what == collective::allgather ? bytes * static_cast<std::size_t>(ranks) : bytes;
  if (what == collective::broadcast) return schedule_kind::k_nomial;
  return all <= short_bytes ? schedule_kind::dissemination : schedule_kind::ring;
}

/// Distances 1, 2, 4, ...; an allgather sends all it has, up to what is missing.
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

step_list recursive_doubling(collective what, int ranks, int rank, std::size_t bytes) {
  if ((ranks & (ranks - 1)) != 0) return dissemination(what, ranks, rank, bytes);
  step_list steps;
  for (int distance = 1; distance < ranks; distance *= 2) {
    const std::size_t sent =
        what == collective::allgather ? bytes * static_cast<std::size_t>(distance) : bytes;
    steps.push_back({rank ^ distance, sent, rank ^ distance, what == collective::allreduce, sent});
  }
  return steps;
}

/// A sum goes round in parts: first summed on the way, then gathered.
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

/// Rank 0 and `fan` children cut what is left into fan + 1 parts, each of which goes on alike.
step_list k_nomial(int ranks, int rank, std::size_t bytes, int root, int fan) {
  const int place = (rank + ranks - root) % ranks;
  const auto at = [&](int other) { return (other + root) % ranks; };
  int reach = 1;  // of the tree that this rank is the root of
  while (reach < ranks && place % (reach * (fan + 1)) == 0) reach *= fan + 1;
  step_list steps;
  if (place != 0)
    steps.push_back({nobody, 0, at(place - place % (reach * (fan + 1))), false, bytes});
  for (int part = reach / (fan + 1); part > 0; part /= fan + 1)
    for (int child = fan; child > 0; --child)
      if (place + child * part < ranks) steps.push_back({at(place + child * part), bytes, nobody});
  return steps;
}

/// Down a binomial tree goes what the ranks below are to have, then all parts go round.
step_list scatter_allgather(int ranks, int rank, std::size_t bytes, int root) {
  const auto all = static_cast<std::size_t>(ranks);
  const std::size_t part = (bytes + all - 1) / all;
  const int place = (rank + ranks - root) % ranks;
  step_list steps = k_nomial(ranks, rank, bytes, root, 1);
  for (schedule_step& step : steps) {
    const bool sends = step.to != nobody;
    const int other = ((sends ? step.to : step.from) + ranks - root) % ranks;
    const int child = std::max(place, other), parent = std::min(place, other);
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

schedule_step copy_step(schedule_step::copy direction, std::size_t bytes, std::uint8_t lane = 0) {
  schedule_step step;
  step.bytes = bytes;
  step.copies = direction;
  step.lane = lane;
  return step;
}

/// The distances 0 to ranks - 1 in parts of `length`.
template <class Take>
void by_blocks(int ranks, int length, Take&& take) {
  for (int first = 0; first < ranks; first += length) take(first, std::min(first + length, ranks));
}

bool knows(collective what, schedule_kind kind) {
  if (what == collective::alltoall) return false;
  switch (kind) {
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

}  // namespace

schedule_kind schedule_named(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  const auto* found = std::ranges::find(kinds, std::string_view(dashed), &named_kind::name);
  if (found == kinds.end())
    throw usage_error(
        text("no collective is called '", name,
             "': use auto, dissemination, recursive-doubling, ring, linear, binomial, k-nomial, "
             "chain or scatter-allgather"));
  return found->kind;
}

step_list make_schedule(collective what, schedule_kind kind, int ranks, int rank, std::size_t bytes,
                        int root, int fan) {
  if (ranks == 1) return {};
  if (kind == schedule_kind::automatic) kind = choose(what, ranks, bytes);
  const std::string_view called = collectives[static_cast<std::size_t>(what)];
  if (!knows(what, kind))
    throw usage_error(text("no ", kinds[static_cast<std::size_t>(kind)].name, " schedule of ",
                           called, ": use auto"));
  switch (kind) {
    case schedule_kind::dissemination:
      return dissemination(what, ranks, rank, bytes);
    case schedule_kind::ring:
      return ring(what, ranks, rank, bytes);
    case schedule_kind::chain:
      return chain(ranks, rank, bytes, root);
    case schedule_kind::recursive_doubling:
      return recursive_doubling(what, ranks, rank, bytes);
    case schedule_kind::k_nomial:
      return k_nomial(ranks, rank, bytes, root, std::max(fan, 1));
    case schedule_kind::scatter_allgather:
      return scatter_allgather(ranks, rank, bytes, root);
    default:
      return what == collective::broadcast ? linear_broadcast(ranks, rank, bytes, root)
                                           : linear(ranks, rank, bytes);
  }
}

step_list staged(step_list among_hosts, collective what, int ranks, int rank, std::size_t bytes,
                 int root) {
  using enum schedule_step::copy;
  if (what == collective::barrier || ranks == 1) return among_hosts;
  const bool is_broadcast = what == collective::broadcast, is_root = rank == root;
  const bool gathers = what == collective::allgather;
  const std::size_t result = gathers ? bytes * static_cast<std::size_t>(ranks) : bytes;
  if (!is_broadcast || is_root) among_hosts.insert(among_hosts.begin(), copy_step(out, bytes));
  if (!is_broadcast || !is_root) among_hosts.push_back(copy_step(in, result));
  return among_hosts;
}

step_list staged_alltoall(int ranks, int rank, std::size_t bytes, std::size_t copy_bytes) {
  using enum schedule_step::copy;
  if (ranks == 1) return {};
  const auto all = static_cast<std::size_t>(ranks);
  const std::size_t fit = copy_bytes == 0 ? all : std::max<std::size_t>(1, copy_bytes / bytes);
  const int length = static_cast<int>(std::min(all, fit));
  step_list steps;
  const auto size_of = [&](int first, int end) {
    return bytes * static_cast<std::size_t>(end - first);
  };
  by_blocks(ranks, length, [&](int first, int end) {
    steps.push_back(copy_step(out, size_of(first, end)));
    for (int distance = first; distance < end; ++distance)
      steps.push_back({(rank + ranks - distance) % ranks, bytes, nobody});
  });
  by_blocks(ranks, length, [&](int first, int end) {
    for (int distance = first; distance < end; ++distance)
      steps.push_back(
          {nobody, 0, (rank + distance) % ranks, false, bytes, schedule_step::copy::none, 1});
    steps.push_back(copy_step(in, size_of(first, end), 1));
  });
  return steps;
}

}  // namespace onehop
