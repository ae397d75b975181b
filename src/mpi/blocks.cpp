// The functions of the ABI that move blocks between all ranks and one, or between all of them.

#include <functional>

#include "base/text.hpp"
#include "mpi/collective.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

/// The blocks of all ranks in a caller's buffer, of one length or each of its own.
class block_list {
 public:
  block_list(const void* data, int count, MPI_Datatype type)
      : all_(checked(data, count, type)), step_(count) {}
  block_list(const void* data, const int* counts, const int* places, MPI_Datatype type)
      : all_(checked(data, 0, type)), counts_(counts), places_(places) {}

  typed_buffer of(int rank) const {
    const std::ptrdiff_t begin = places_ != nullptr ? places_[rank] : std::ptrdiff_t{rank} * step_;
    const std::ptrdiff_t count = counts_ != nullptr ? counts_[rank] : step_;
    if (count < 0) throw mpi_error(err_count, text("the count for rank ", rank, " is ", count));
    return {element_at(all_.data, *all_.type, begin), static_cast<std::size_t>(count), all_.type};
  }

 private:
  typed_buffer all_;
  std::ptrdiff_t step_ = 0;
  const int* counts_ = nullptr;
  const int* places_ = nullptr;
};

using blocks_of = std::function<block_list()>;

/// Collects the blocks of all ranks at the root. `mine` is this rank's block, or null where it lies
/// in its place at the root already.
void gather(const communicator_ptr& comm, const typed_buffer* mine, const blocks_of& all,
            int root) {
  require_root(*comm, root);
  if (comm->rank() != root) {
    if (mine == nullptr) throw mpi_error(err_buffer, "MPI_IN_PLACE is for the root");
    send_one(comm, *mine, root);
    return;
  }
  const block_list blocks = all();
  message_round round(comm);
  for (int rank = 0; rank < comm->size(); ++rank)
    if (rank != root) round.receive(blocks.of(rank), rank);
  if (mine != nullptr) copy(*mine, blocks.of(root));
  round.wait();
}

void scatter(const communicator_ptr& comm, const blocks_of& all, const typed_buffer* mine,
             int root) {
  require_root(*comm, root);
  if (comm->rank() != root) {
    if (mine == nullptr) throw mpi_error(err_buffer, "MPI_IN_PLACE is for the root");
    receive_one(comm, *mine, root);
    return;
  }
  const block_list blocks = all();
  message_round round(comm);
  for (int rank = 0; rank < comm->size(); ++rank)
    if (rank != root) round.send(blocks.of(rank), rank);
  if (mine != nullptr) copy(blocks.of(root), *mine);
  round.wait();
}

/// In each step a rank hands on the block that it got last.
void all_gather(const communicator_ptr& comm, const typed_buffer* mine, const block_list& blocks) {
  const int size = comm->size(), rank = comm->rank();
  if (mine != nullptr) copy(*mine, blocks.of(rank));
  for (int step = 0; step + 1 < size; ++step)
    exchange(comm, blocks.of((rank - step + size) % size), (rank + 1) % size,
             blocks.of((rank - step - 1 + size) % size), (rank + size - 1) % size);
}

/// Every rank begins with the one after it, so that not all send to the same one at once.
void all_to_all(const communicator_ptr& comm, const block_list& from, const block_list& to) {
  const int size = comm->size(), rank = comm->rank();
  message_round round(comm);
  for (int step = 1; step < size; ++step)
    round.receive(to.of((rank + size - step) % size), (rank + size - step) % size);
  for (int step = 1; step < size; ++step)
    round.send(from.of((rank + step) % size), (rank + step) % size);
  copy(from.of(rank), to.of(rank));
  round.wait();
}

/// Blocks that are replaced by those which come are sent from a copy.
void exchange_in_place(const communicator_ptr& comm, const block_list& blocks) {
  std::vector<working_buffer> copies;
  copies.reserve(static_cast<std::size_t>(comm->size()));
  message_round round(comm);
  for (int rank = 0; rank < comm->size(); ++rank) {
    const typed_buffer one = blocks.of(rank);
    copies.emplace_back(one.type, one.count);
    copy(one, copies.back().whole());
  }
  for (int rank = 0; rank < comm->size(); ++rank)
    if (rank != comm->rank()) round.receive(blocks.of(rank), rank);
  for (int rank = 0; rank < comm->size(); ++rank)
    if (rank != comm->rank()) round.send(copies[static_cast<std::size_t>(rank)].whole(), rank);
  round.wait();
}

/// Calls `body` with the buffer, or with null for MPI_IN_PLACE.
template <class Body>
void with_buffer(const void* data, int count, MPI_Datatype type, Body&& body) {
  if (in_place(data)) {
    body(static_cast<const typed_buffer*>(nullptr));
    return;
  }
  const typed_buffer mine = checked(data, count, type);
  body(&mine);
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Barrier(MPI_Comm handle) {
  return guarded(handle, "MPI_Barrier", [&] { barrier(*communicator_of(handle)); });
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm handle) {
  return guarded(handle, "MPI_Bcast", [&] {
    const communicator_ptr& comm = communicator_of(handle);
    require_root(*comm, root);
    broadcast(comm, checked(data, count, type), root);
  });
}

int MPI_Gather(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
               MPI_Datatype to_type, int root, MPI_Comm handle) {
  return guarded(handle, "MPI_Gather", [&] {
    with_buffer(from, from_count, from_type, [&](const typed_buffer* mine) {
      gather(
          communicator_of(handle), mine, [&] { return block_list(to, to_count, to_type); }, root);
    });
  });
}

int MPI_Gatherv(const void* from, int from_count, MPI_Datatype from_type, void* to,
                const int* counts, const int* places, MPI_Datatype to_type, int root,
                MPI_Comm handle) {
  return guarded(handle, "MPI_Gatherv", [&] {
    with_buffer(from, from_count, from_type, [&](const typed_buffer* mine) {
      gather(
          communicator_of(handle), mine, [&] { return block_list(to, counts, places, to_type); },
          root);
    });
  });
}

int MPI_Scatter(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                MPI_Datatype to_type, int root, MPI_Comm handle) {
  return guarded(handle, "MPI_Scatter", [&] {
    with_buffer(to, to_count, to_type, [&](const typed_buffer* mine) {
      scatter(
          communicator_of(handle), [&] { return block_list(from, from_count, from_type); }, mine,
          root);
    });
  });
}

int MPI_Scatterv(const void* from, const int* counts, const int* places, MPI_Datatype from_type,
                 void* to, int to_count, MPI_Datatype to_type, int root, MPI_Comm handle) {
  return guarded(handle, "MPI_Scatterv", [&] {
    with_buffer(to, to_count, to_type, [&](const typed_buffer* mine) {
      scatter(
          communicator_of(handle), [&] { return block_list(from, counts, places, from_type); },
          mine, root);
    });
  });
}

int MPI_Allgather(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                  MPI_Datatype to_type, MPI_Comm handle) {
  return guarded(handle, "MPI_Allgather", [&] {
    with_buffer(from, from_count, from_type, [&](const typed_buffer* mine) {
      all_gather(communicator_of(handle), mine, {to, to_count, to_type});
    });
  });
}

int MPI_Allgatherv(const void* from, int from_count, MPI_Datatype from_type, void* to,
                   const int* counts, const int* places, MPI_Datatype to_type, MPI_Comm handle) {
  return guarded(handle, "MPI_Allgatherv", [&] {
    with_buffer(from, from_count, from_type, [&](const typed_buffer* mine) {
      all_gather(communicator_of(handle), mine, {to, counts, places, to_type});
    });
  });
}

int MPI_Alltoall(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                 MPI_Datatype to_type, MPI_Comm handle) {
  return guarded(handle, "MPI_Alltoall", [&] {
    const communicator_ptr& comm = communicator_of(handle);
    const block_list into(to, to_count, to_type);
    if (in_place(from))
      exchange_in_place(comm, into);
    else
      all_to_all(comm, {from, from_count, from_type}, into);
  });
}

int MPI_Alltoallv(const void* from, const int* from_counts, const int* from_places,
                  MPI_Datatype from_type, void* to, const int* to_counts, const int* to_places,
                  MPI_Datatype to_type, MPI_Comm handle) {
  return guarded(handle, "MPI_Alltoallv", [&] {
    const communicator_ptr& comm = communicator_of(handle);
    const block_list into(to, to_counts, to_places, to_type);
    if (in_place(from))
      exchange_in_place(comm, into);
    else
      all_to_all(comm, {from, from_counts, from_places, from_type}, into);
  });
}
}
