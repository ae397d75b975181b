// These are blocking and nonblocking collectives: what each rank gives and gets, in bytes.

#include <vector>

#include "mpi/counted.hpp"
#include "recorder/recording.hpp"

extern "C" [[gnu::weak]] int PMPI_Comm_size(MPI_Comm comm, int* size);
extern "C" [[gnu::weak]] int PMPI_Comm_rank(MPI_Comm comm, int* rank);

namespace onehop::recorder {
namespace {

using mpi_abi::count_type;

/// Returns the bytes for as many counts as the communicator has ranks. A communicator that was not
/// recorded may have two groups, and therefore other counts.
std::vector<std::int64_t> list_of(const count_type* counts, MPI_Datatype type, MPI_Comm comm) {
  if (here().number_of(comm) < 0) return {};
  int size = 0;
  PMPI_Comm_size(comm, &size);
  const std::int64_t one = bytes_of(1, type);
  std::vector<std::int64_t> all;
  for (int i = 0; i < size; ++i) all.push_back(counts[i] * one);
  return all;
}

/// Lists that matter only at the root are empty elsewhere.
std::vector<std::int64_t> list_of_root(const count_type* counts, MPI_Datatype type, int root,
                                       MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (rank != root) return {};
  return list_of(counts, type, comm);
}

std::int64_t own_of(const std::vector<std::int64_t>& bytes, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return bytes.empty() ? 0 : bytes[static_cast<std::size_t>(rank)];
}

}  // namespace
}  // namespace onehop::recorder

using namespace onehop::mpi_abi;
using onehop::recorder::bytes_of;
using onehop::recorder::here;
using onehop::recorder::list_of;
using onehop::recorder::list_of_root;
using onehop::recorder::own_of;
using onehop::recorder::write_event;

#define ONEHOP_LIST(...) __VA_ARGS__
/// Defines the blocking and the nonblocking function of a collective. `parameters` and `arguments`
/// precede the communicator; the remaining arguments are the numbers of the line.
#define ONEHOP_RECORD_COLLECTIVE(Name, name, parameters, arguments, ...)                          \
  ONEHOP_RECORD(MPI_##Name, (ONEHOP_LIST parameters MPI_Comm comm), (ONEHOP_LIST arguments comm), \
                write_event(seen, #name, comm __VA_OPT__(, ) __VA_ARGS__))                        \
  ONEHOP_RECORD(MPI_I##name, (ONEHOP_LIST parameters MPI_Comm comm, MPI_Request * made),          \
                (ONEHOP_LIST arguments comm, made),                                               \
                write_event(seen, "i" #name, comm,                                                \
                            __VA_ARGS__ __VA_OPT__(, ) here().add_request(*made, false)))

/// These combine equal counts of every rank, or move equal blocks from every rank to every rank.
#define ONEHOP_RECORD_COMBINED(Name, name)                                              \
  ONEHOP_RECORD_COLLECTIVE(                                                             \
      Name, name,                                                                       \
      (const void* from, void* to, count_type count, MPI_Datatype type, MPI_Op what, ), \
      (from, to, count, type, what, ), count, bytes_of(1, type))
#define ONEHOP_RECORD_BLOCKS(Name, name)                                                         \
  ONEHOP_RECORD_COLLECTIVE(Name, name,                                                           \
                           (const void* from, count_type sent, MPI_Datatype sent_type, void* to, \
                            count_type got, MPI_Datatype got_type, ),                            \
                           (from, sent, sent_type, to, got, got_type, ), bytes_of(got, got_type))

extern "C" {

#ifndef ONEHOP_LARGE_COUNTS
ONEHOP_RECORD_COLLECTIVE(Barrier, barrier, (), ())
#endif

ONEHOP_RECORD_COLLECTIVE(Bcast, bcast,
                         (void* data, count_type count, MPI_Datatype type, int root, ),
                         (data, count, type, root, ), bytes_of(count, type), root)

ONEHOP_RECORD_COLLECTIVE(Reduce, reduce,
                         (const void* from, void* to, count_type count, MPI_Datatype type,
                          MPI_Op what, int root, ),
                         (from, to, count, type, what, root, ), count, bytes_of(1, type), root)
ONEHOP_RECORD_COMBINED(Allreduce, allreduce)
ONEHOP_RECORD_COMBINED(Scan, scan)
ONEHOP_RECORD_COMBINED(Exscan, exscan)
ONEHOP_RECORD_COMBINED(Reduce_scatter_block, reduce_scatter_block)

ONEHOP_RECORD_COLLECTIVE(Gather, gather,
                         (const void* from, count_type sent, MPI_Datatype sent_type, void* to,
                          count_type got, MPI_Datatype got_type, int root, ),
                         (from, sent, sent_type, to, got, got_type, root, ),
                         in_place(from) ? bytes_of(got, got_type) : bytes_of(sent, sent_type), root)
ONEHOP_RECORD_COLLECTIVE(Scatter, scatter,
                         (const void* from, count_type sent, MPI_Datatype sent_type, void* to,
                          count_type got, MPI_Datatype got_type, int root, ),
                         (from, sent, sent_type, to, got, got_type, root, ),
                         in_place(to) ? bytes_of(sent, sent_type) : bytes_of(got, got_type), root)
ONEHOP_RECORD_BLOCKS(Allgather, allgather)
ONEHOP_RECORD_BLOCKS(Alltoall, alltoall)

ONEHOP_RECORD_COLLECTIVE(Gatherv, gatherv,
                         (const void* from, count_type sent, MPI_Datatype sent_type, void* to,
                          const count_type* got, const place_type* places, MPI_Datatype got_type,
                          int root, ),
                         (from, sent, sent_type, to, got, places, got_type, root, ),
                         in_place(from) ? own_of(list_of(got, got_type, comm), comm)
                                        : bytes_of(sent, sent_type),
                         list_of_root(got, got_type, root, comm), root)
ONEHOP_RECORD_COLLECTIVE(Scatterv, scatterv,
                         (const void* from, const count_type* sent, const place_type* places,
                          MPI_Datatype sent_type, void* to, count_type got, MPI_Datatype got_type,
                          int root, ),
                         (from, sent, places, sent_type, to, got, got_type, root, ),
                         in_place(to) ? own_of(list_of(sent, sent_type, comm), comm)
                                      : bytes_of(got, got_type),
                         list_of_root(sent, sent_type, root, comm), root)
ONEHOP_RECORD_COLLECTIVE(Allgatherv, allgatherv,
                         (const void* from, count_type sent, MPI_Datatype sent_type, void* to,
                          const count_type* got, const place_type* places, MPI_Datatype got_type, ),
                         (from, sent, sent_type, to, got, places, got_type, ),
                         list_of(got, got_type, comm), own_of(list_of(got, got_type, comm), comm))
ONEHOP_RECORD_COLLECTIVE(Alltoallv, alltoallv,
                         (const void* from, const count_type* sent, const place_type* sent_places,
                          MPI_Datatype sent_type, void* to, const count_type* got,
                          const place_type* got_places, MPI_Datatype got_type, ),
                         (from, sent, sent_places, sent_type, to, got, got_places, got_type, ),
                         in_place(from) ? list_of(got, got_type, comm)
                                        : list_of(sent, sent_type, comm),
                         list_of(got, got_type, comm))
ONEHOP_RECORD_COLLECTIVE(Reduce_scatter, reduce_scatter,
                         (const void* from, void* to, const count_type* counts, MPI_Datatype type,
                          MPI_Op what, ),
                         (from, to, counts, type, what, ), list_of(counts, type, comm),
                         bytes_of(1, type))
}
