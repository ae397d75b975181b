#pragma once
/// The transports over MPI have these parts in common: the members, the rounds and the failures.

#include <map>

#include "transport/base/transport.hpp"
#include "transport/mpi/job.hpp"
#include "transport/mpi/notices.hpp"
#include "transport/mpi/rounds.hpp"

namespace onehop::mpi {

/// These are constructed before the transport that refers to them.
struct parts {
  explicit parts(const job& joined, notices* whole)
      : where(joined), time(joined.crowded), failures(where, whole), control(where) {}

  job where;
  clock time;
  notices failures;
  rounds control;
};

class transport : private parts, public onehop::transport {
 public:
  memory_id divide(const partition& how) override;
  std::shared_ptr<onehop::transport> join_group(memory_id divided, const partition& how) override;

 protected:
  /// If the transport serves a group, `whole` learns of the job's failures; otherwise it is null.
  transport(const job& joined, std::string name, notices* whole)
      : parts(joined, whole),
        onehop::transport({joined.rank, joined.size, std::move(name), joined.crowded}, control,
                          parts::time, parts::failures) {}

  const job& where() const noexcept { return parts::where; }
  /// The derived transport calls this for every id that it withdraws.
  void free_group(memory_id divided) noexcept;

 private:
  /// Makes a transport of the same kind over another communicator.
  virtual std::shared_ptr<onehop::transport> make_alike(const job& where, notices* whole) = 0;

  std::map<memory_id, job> groups_;  ///< by group; its communicator is null if this rank is outside
};

/// Throws resource_error for a share that this machine cannot hold.
void check_share(std::string_view transport, std::span<const std::size_t> bytes_of_rank, int rank);

}  // namespace onehop::mpi
