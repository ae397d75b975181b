#include "transport/mpi/rounds.hpp"

#include <cstring>

#include "transport/mpi/calls.hpp"
#include "transport/mpi/requests.hpp"
#include "transport/mpi/tags.hpp"

namespace onehop::mpi {

rounds::rounds(const job& where) : job_(where), sum_(where) {
  const auto ranks = static_cast<std::size_t>(where.size);
  for (bank& one : banks_) {
    one.theirs.resize(ranks);
    one.sends.assign(ranks, MPI_REQUEST_NULL);
    one.receives.assign(ranks, MPI_REQUEST_NULL);
  }
}

rounds::~rounds() { give_back(); }

void rounds::give_back() noexcept {
  for (bank& one : banks_) {
    for (MPI_Request& request : one.receives) withdraw(request);
    finish_sends(one.sends);
  }
}

void rounds::post(std::uint64_t tag, std::span<const std::byte> message) {
  require_mpi();
  bank& now = banks_[++round_ % 2];
  // All ranks have received these, since all have posted the round after: this cannot take long.
  check(MPI_Waitall(job_.size, now.sends.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  now.mine.tag = tag;
  if (!message.empty()) std::memcpy(now.mine.data.data(), message.data(), message.size());
  const auto bytes = static_cast<int>(sizeof now.mine.tag + message.size());
  for (int rank = 0; rank < job_.size; ++rank) {
    if (rank == job_.rank) continue;
    const auto index = static_cast<std::size_t>(rank);
    check(MPI_Irecv(&now.theirs[index], sizeof(packet), MPI_BYTE, rank, tags::round, job_.comm,
                    &now.receives[index]),
          "MPI_Irecv");
    check(MPI_Isend(&now.mine, bytes, MPI_BYTE, rank, tags::round, job_.comm, &now.sends[index]),
          "MPI_Isend");
  }
}

bootstrap::posting rounds::posted(int rank) {
  bank& now = banks_[round_ % 2];
  if (rank == job_.rank) return {now.mine.tag, now.mine.data.data()};
  const auto index = static_cast<std::size_t>(rank);
  int here = 1;
  if (now.receives[index] != MPI_REQUEST_NULL)
    check(MPI_Test(&now.receives[index], &here, MPI_STATUS_IGNORE), "MPI_Test");
  if (here == 0) return {};
  return {now.theirs[index].tag, now.theirs[index].data.data()};
}

}  // namespace onehop::mpi
