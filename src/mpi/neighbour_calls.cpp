// The functions of the ABI that exchange blocks with the neighbours of a topology.

#include "mpi/blocks.hpp"
#include "mpi/collective_calls.hpp"
#include "mpi/counted.hpp"

namespace onehop::mpi_abi {
namespace {

using counts = std::span<const count_type>;

counts counts_from(const communicator_ptr& comm, const count_type* first) {
  const std::size_t size = neighbours_of(*comm).from.size();
  require_list(first, static_cast<std::ptrdiff_t>(size));
  return {first, size};
}
counts counts_to(const communicator_ptr& comm, const count_type* first) {
  const std::size_t size = neighbours_of(*comm).to.size();
  require_list(first, static_cast<std::ptrdiff_t>(size));
  return {first, size};
}

auto exchanging(const communicator_ptr& comm, block_list out, block_list in) {
  neighbours_of(*comm);
  return
      [=](const communicator_ptr& seen) { exchange_with_neighbours(seen, out, std::nullopt, in); };
}
auto handing_out(const communicator_ptr& comm, std::optional<kept_buffer> same, block_list in) {
  neighbours_of(*comm);
  if (!same) throw mpi_error(err_buffer, "MPI_IN_PLACE is not for neighbours");
  return
      [=](const communicator_ptr& seen) { exchange_with_neighbours(seen, std::nullopt, same, in); };
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

ONEHOP_COLLECTIVE(Neighbor_allgather, neighbor_allgather,
                  (const void* from, count_type from_count, MPI_Datatype from_type, void* to,
                   count_type to_count, MPI_Datatype to_type, ),
                  (),
                  handing_out(comm, kept(from, from_count, from_type),
                              block_list(to, to_count, to_type)))

ONEHOP_COLLECTIVE(Neighbor_allgatherv, neighbor_allgatherv,
                  (const void* from, count_type from_count, MPI_Datatype from_type, void* to,
                   const count_type* to_counts, const place_type* places, MPI_Datatype to_type, ),
                  (),
                  handing_out(comm, kept(from, from_count, from_type),
                              block_list(to, counts_from(comm, to_counts), places, to_type)))

ONEHOP_COLLECTIVE(Neighbor_alltoall, neighbor_alltoall,
                  (const void* from, count_type from_count, MPI_Datatype from_type, void* to,
                   count_type to_count, MPI_Datatype to_type, ),
                  (),
                  exchanging(comm, block_list(from, from_count, from_type),
                             block_list(to, to_count, to_type)))

ONEHOP_COLLECTIVE(Neighbor_alltoallv, neighbor_alltoallv,
                  (const void* from, const count_type* from_counts, const place_type* from_places,
                   MPI_Datatype from_type, void* to, const count_type* to_counts,
                   const place_type* to_places, MPI_Datatype to_type, ),
                  (),
                  exchanging(comm,
                             block_list(from, counts_to(comm, from_counts), from_places, from_type),
                             block_list(to, counts_from(comm, to_counts), to_places, to_type)))

ONEHOP_COLLECTIVE(
    Neighbor_alltoallw, neighbor_alltoallw,
    (const void* from, const count_type* from_counts, const MPI_Aint* from_places,
     const MPI_Datatype* from_types, void* to, const count_type* to_counts,
     const MPI_Aint* to_places, const MPI_Datatype* to_types, ),
    (),
    exchanging(comm, block_list(from, counts_to(comm, from_counts), from_places, from_types),
               block_list(to, counts_from(comm, to_counts), to_places, to_types)))
}
