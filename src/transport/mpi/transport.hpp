#pragma once
/// What the transports over MPI have in common: who takes part, the rounds, and what goes wrong.

#include "transport/base/transport.hpp"
#include "transport/mpi/job.hpp"
#include "transport/mpi/notices.hpp"
#include "transport/mpi/rounds.hpp"

namespace onehop::mpi {

/// These are there before the transport that refers to them.
struct parts {
  explicit parts(const job& joined)
      : where(joined), time(joined.crowded), failures(where), control(where) {}

  job where;
  clock time;
  notices failures;
  rounds control;
};

class transport : private parts, public onehop::transport {
 protected:
  transport(const job& joined, std::string name)
      : parts(joined),
        onehop::transport({joined.rank, joined.size, std::move(name), joined.crowded}, control,
                          parts::time, parts::failures) {}

  const job& where() const noexcept { return parts::where; }
};

/// Throws resource_error for a share that this machine cannot hold.
void check_share(std::string_view transport, std::span<const std::size_t> bytes_of_rank, int rank);

}  // namespace onehop::mpi
