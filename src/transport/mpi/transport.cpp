#include "transport/mpi/transport.hpp"

#include <onehop/machine.hpp>

#include "base/text.hpp"
#include "transport/mpi/ending.hpp"

namespace onehop::mpi {

void check_share(std::string_view transport, std::span<const std::size_t> bytes_of_rank, int rank) {
  const std::size_t wanted = bytes_of_rank[static_cast<std::size_t>(rank)];
  const std::size_t memory = inspect_machine().memory_bytes;
  if (wanted > memory)
    throw resource_error(text("rank ", rank, " wants ", wanted, " bytes for a window of the ",
                              transport, " transport, its machine has ", memory,
                              " bytes: take a smaller problem or more machines"));
}

// All ranks have reached this call, so no call of MPI waits for a rank that never comes.
memory_id transport::divide(const partition& how) {
  const memory_id id = expose_existing({}).value();
  const bool in_none = how.mine == partition::none;
  job group{.comm = MPI_COMM_NULL,
            .rank = in_none ? 0 : how.number_of(rank()),
            .size = static_cast<int>(how.members().size()),
            .crowded = where().crowded,
            .last_tag = where().last_tag,
            .state = where().state,
            .neighbours = where().neighbours};
  split_off(where().comm, in_none ? MPI_UNDEFINED : how.mine, group);
  groups_.emplace(id, std::move(group));
  return id;
}

std::shared_ptr<onehop::transport> transport::join_group(memory_id divided, const partition&) {
  return make_alike(groups_.at(divided), &(parts::failures));
}

void transport::free_group(memory_id divided) noexcept {
  const auto found = groups_.find(divided);
  if (found == groups_.end()) return;
  mpi::free_group(found->second);
  groups_.erase(found);
}

}  // namespace onehop::mpi
