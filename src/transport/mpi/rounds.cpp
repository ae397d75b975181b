#include "transport/mpi/rounds.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/text.hpp"
#include "transport/mpi/calls.hpp"
#include "transport/mpi/ending.hpp"
#include "transport/mpi/requests.hpp"
#include "transport/mpi/tags.hpp"

namespace onehop::mpi {
namespace {

/// Messages begin at offsets that are aligned for a head.
constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

rounds::rounds(const job& where) : job_(where) {
  const auto ranks = static_cast<std::size_t>(where.size);
  for (bank& one : banks_) {
    one.incoming.resize(ranks * room_bytes);
    one.heard.resize(ranks);
    one.sends.assign(ranks, MPI_REQUEST_NULL);
    one.receives.assign(ranks, MPI_REQUEST_NULL);
    for (std::size_t known = radix; known < ranks; known *= radix) one.sent.emplace_back();
  }
}

rounds::~rounds() { give_back(); }

void rounds::give_back() noexcept {
  for (bank& one : banks_) {
    for (MPI_Request& request : one.receives) withdraw(request);
    finish_sends(one.sends);
  }
}

int rounds::heard_through(int rank) const noexcept {
  const int distance = distance_of(rank);
  int known = 1;
  while (distance >= known * radix) known *= radix;
  return at_distance(distance / known * known);
}

int rounds::together(int known, int distance) const noexcept {
  return std::min(known, job_.size - distance);
}

void rounds::post(std::uint64_t tag, std::span<const std::byte> message) {
  require_mpi();
  bank& now = banks_[++round_ % 2];
  // All ranks have posted the next round, so they have received these; the wait cannot take long.
  check(MPI_Waitall(job_.size, now.sends.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  std::ranges::fill(now.heard, nullptr);
  const head mine{tag, message.size()};
  std::memcpy(now.incoming.data(), &mine, sizeof mine);
  if (!message.empty())
    std::memcpy(now.incoming.data() + sizeof mine, message.data(), message.size());
  now.heard[0] = reinterpret_cast<const head*>(now.incoming.data());
  for (int known = 1; known < job_.size; known *= radix)
    for (int distance = known; distance < std::min(known * radix, job_.size); distance += known) {
      const auto index = static_cast<std::size_t>(distance);
      const std::size_t most = static_cast<std::size_t>(together(known, distance)) * room_bytes;
      check(MPI_Irecv(now.incoming.data() + index * room_bytes, static_cast<int>(most), MPI_BYTE,
                      at_distance(distance), tags::round, job_.comm, &now.receives[index]),
            "MPI_Irecv");
    }
  now.known = 1;
  now.step = 0;
  begin_step(now);
}

void rounds::begin_step(bank& now) {
  now.missing = 0;
  if (now.known >= job_.size) return;
  const std::span<const std::byte> all = now.known == 1 ? own(now) : gather(now);
  const int end = std::min(now.known * radix, job_.size);
  for (int distance = now.known; distance < end; distance += now.known, ++now.missing) {
    const int count = together(now.known, distance);
    const std::size_t bytes =
        count == now.known ? all.size() : ends_[static_cast<std::size_t>(count)];
    check(
        MPI_Isend(all.data(), static_cast<int>(bytes), MPI_BYTE, at_distance(job_.size - distance),
                  tags::round, job_.comm, &now.sends[static_cast<std::size_t>(distance)]),
        "MPI_Isend");
  }
}

std::span<const std::byte> rounds::own(const bank& now) const {
  return {now.incoming.data(), sizeof(head) + padded(now.heard[0]->bytes)};
}

std::span<const std::byte> rounds::gather(bank& now) {
  std::vector<std::byte>& all = now.sent[now.step++];
  all.clear();
  ends_.assign(1, 0);
  for (int distance = 0; distance < now.known; ++distance) {
    const head* const one = now.heard[static_cast<std::size_t>(distance)];
    const auto* const begin = reinterpret_cast<const std::byte*>(one);
    all.insert(all.end(), begin, begin + sizeof(head) + padded(one->bytes));
    ends_.push_back(all.size());
  }
  return all;
}

void rounds::read(bank& now, int distance) {
  const std::byte* at = now.incoming.data() + static_cast<std::size_t>(distance) * room_bytes;
  for (int k = 0; k < together(now.known, distance); ++k) {
    const auto* const one = reinterpret_cast<const head*>(at);
    now.heard[static_cast<std::size_t>(distance + k)] = one;
    at += sizeof(head) + padded(one->bytes);
  }
}

bool rounds::take_step(bank& now, int first, int last) {
  for (int distance = first; distance <= last; distance += now.known) {
    MPI_Request& request = now.receives[static_cast<std::size_t>(distance)];
    if (request == MPI_REQUEST_NULL) continue;
    int here = 0;
    check(MPI_Test(&request, &here, MPI_STATUS_IGNORE), "MPI_Test");
    if (here == 0) continue;
    read(now, distance);
    --now.missing;
  }
  if (now.missing > 0) return false;
  now.known = std::min(now.known * radix, job_.size);
  begin_step(now);
  return true;
}

bootstrap::posting rounds::posted(int rank, int) {
  bank& now = banks_[round_ % 2];
  const int wanted = distance_of(rank);
  const head*& found = now.heard[static_cast<std::size_t>(wanted)];
  // For a message of this step, only that message is looked for. A message of a later step is
  // looked for only after this step is complete.
  while (found == nullptr) {
    const int last = std::min(now.known * radix, job_.size) - 1;
    const int brings = wanted / now.known * now.known;
    const bool in_this_step = wanted <= last;
    if (!take_step(now, in_this_step ? brings : now.known, in_this_step ? brings : last)) break;
  }
  if (found == nullptr) return {};
  return {found->tag, reinterpret_cast<const std::byte*>(found + 1)};
}

bool rounds::begin_sum(std::span<const double> values) {
  require_mpi();
  if (values.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw usage_error(text("sum of ", values.size(),
                           " numbers in fast order, more than MPI counts: "
                           "sum them in parts or in fixed order"));
  total_.assign(values.begin(), values.end());
  check(MPI_Iallreduce(MPI_IN_PLACE, total_.data(), static_cast<int>(total_.size()), MPI_DOUBLE,
                       MPI_SUM, job_.comm, &sum_),
        "MPI_Iallreduce");
  return true;
}

std::span<const double> rounds::finished_sum() {
  int here = 0;
  check(MPI_Test(&sum_, &here, MPI_STATUS_IGNORE), "MPI_Test");
  return here == 0 ? std::span<const double>() : std::span<const double>(total_);
}

}  // namespace onehop::mpi
