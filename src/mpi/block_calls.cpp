// The functions of the ABI that move blocks between one rank and all ranks, or among all ranks.

#include "mpi/blocks.hpp"
#include "mpi/collective_calls.hpp"
#include "mpi/counted.hpp"

namespace onehop::mpi_abi {
namespace {

using counts = std::span<const count_type>;

counts counts_of(const communicator_ptr& comm, const count_type* first) {
  require_list(first, comm->peer_count());
  return {first, static_cast<std::size_t>(comm->peer_count())};
}

/// Returns the blocks of all ranks at the root, and nothing at other ranks.
template <class Make>
block_list at_root(const communicator_ptr& comm, int root, Make&& make) {
  require_root(*comm, root);
  return comm->is_root(root) ? make() : block_list();
}
/// Returns this rank's own block. In an intercommunicator the ranks of the root's group have none.
std::optional<kept_buffer> own_block(const communicator_ptr& comm, int root, const void* data,
                                     count_type count, MPI_Datatype type) {
  return comm->inter() && root < 0 ? std::nullopt : kept(data, count, type);
}

/// Throws mpi_error if this rank's block begins at the same byte as one of the blocks of all ranks.
void require_outside(const communicator& comm, const std::optional<kept_buffer>& mine,
                     const block_list& all) {
  for (int rank = 0; mine && rank < comm.peer_count(); ++rank) require_apart(*mine, all.of(rank));
}

auto gathering(const communicator_ptr& here, std::optional<kept_buffer> mine, block_list all,
               int root) {
  if (here->is_root(root)) require_outside(*here, mine, all);
  return [mine, all, root](const communicator_ptr& comm) { gather(comm, mine, all, root); };
}
auto scattering(const communicator_ptr& here, block_list all, std::optional<kept_buffer> mine,
                int root) {
  if (here->is_root(root)) require_outside(*here, mine, all);
  return [mine, all, root](const communicator_ptr& comm) { scatter(comm, all, mine, root); };
}
auto gathering_everywhere(const communicator_ptr& here, std::optional<kept_buffer> mine,
                          block_list all) {
  require_outside(*here, mine, all);
  return [mine, all](const communicator_ptr& comm) { all_gather(comm, mine, all); };
}
auto exchanging(const communicator_ptr& here, std::optional<block_list> from, block_list to) {
  for (int rank = 0; from && rank < here->peer_count(); ++rank)
    require_apart(from->of(rank), to.of(rank));
  return [from, to](const communicator_ptr& comm) { all_to_all(comm, from, to); };
}

auto broadcasting(const communicator_ptr& comm, void* data, count_type count, MPI_Datatype type,
                  int root) {
  require_root(*comm, root);
  kept_buffer what{};
  if (root != proc_null) {
    const typed_buffer where = checked(data, count, type);
    what = {where.data, where.count, where.type};
  }
  return [what, root](const communicator_ptr& seen) { broadcast(seen, what, root); };
}

template <class... Of>
std::optional<block_list> unless_in_place(const void* data, Of... of) {
  return in_place(data) ? std::nullopt : std::optional<block_list>(std::in_place, data, of...);
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

ONEHOP_COLLECTIVE(Bcast, bcast, (void* data, count_type count, MPI_Datatype type, int root, ),
                  (, root), broadcasting(comm, data, count, type, root))

ONEHOP_COLLECTIVE(Gather, gather,
                  (const void* from, count_type from_count, MPI_Datatype from_type, void* to,
                   count_type to_count, MPI_Datatype to_type, int root, ),
                  (, root),
                  gathering(comm, own_block(comm, root, from, from_count, from_type),
                            at_root(comm, root, [&] { return block_list(to, to_count, to_type); }),
                            root))

ONEHOP_COLLECTIVE(
    Gatherv, gatherv,
    (const void* from, count_type from_count, MPI_Datatype from_type, void* to,
     const count_type* to_counts, const place_type* places, MPI_Datatype to_type, int root, ),
    (, root),
    gathering(comm, own_block(comm, root, from, from_count, from_type),
              at_root(comm, root,
                      [&] { return block_list(to, counts_of(comm, to_counts), places, to_type); }),
              root))

ONEHOP_COLLECTIVE(
    Scatter, scatter,
    (const void* from, count_type from_count, MPI_Datatype from_type, void* to, count_type to_count,
     MPI_Datatype to_type, int root, ),
    (, root),
    scattering(comm, at_root(comm, root, [&] { return block_list(from, from_count, from_type); }),
               own_block(comm, root, to, to_count, to_type), root))

ONEHOP_COLLECTIVE(Scatterv, scatterv,
                  (const void* from, const count_type* from_counts, const place_type* places,
                   MPI_Datatype from_type, void* to, count_type to_count, MPI_Datatype to_type,
                   int root, ),
                  (, root),
                  scattering(comm,
                             at_root(comm, root,
                                     [&] {
                                       return block_list(from, counts_of(comm, from_counts), places,
                                                         from_type);
                                     }),
                             own_block(comm, root, to, to_count, to_type), root))

ONEHOP_COLLECTIVE(Allgather, allgather,
                  (const void* from, count_type from_count, MPI_Datatype from_type, void* to,
                   count_type to_count, MPI_Datatype to_type, ),
                  (),
                  gathering_everywhere(comm, kept(from, from_count, from_type),
                                       block_list(to, to_count, to_type)))

ONEHOP_COLLECTIVE(Allgatherv, allgatherv,
                  (const void* from, count_type from_count, MPI_Datatype from_type, void* to,
                   const count_type* to_counts, const place_type* places, MPI_Datatype to_type, ),
                  (),
                  gathering_everywhere(comm, kept(from, from_count, from_type),
                                       block_list(to, counts_of(comm, to_counts), places, to_type)))

ONEHOP_COLLECTIVE(Alltoall, alltoall,
                  (const void* from, count_type from_count, MPI_Datatype from_type, void* to,
                   count_type to_count, MPI_Datatype to_type, ),
                  (),
                  exchanging(comm, unless_in_place(from, from_count, from_type),
                             block_list(to, to_count, to_type)))

ONEHOP_COLLECTIVE(
    Alltoallv, alltoallv,
    (const void* from, const count_type* from_counts, const place_type* from_places,
     MPI_Datatype from_type, void* to, const count_type* to_counts, const place_type* to_places,
     MPI_Datatype to_type, ),
    (),
    exchanging(comm, unless_in_place(from, counts_of(comm, from_counts), from_places, from_type),
               block_list(to, counts_of(comm, to_counts), to_places, to_type)))

ONEHOP_COLLECTIVE(
    Alltoallw, alltoallw,
    (const void* from, const count_type* from_counts, const place_type* from_places,
     const MPI_Datatype* from_types, void* to, const count_type* to_counts,
     const place_type* to_places, const MPI_Datatype* to_types, ),
    (),
    exchanging(comm, unless_in_place(from, counts_of(comm, from_counts), from_places, from_types),
               block_list(to, counts_of(comm, to_counts), to_places, to_types)))
}
