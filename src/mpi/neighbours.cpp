#include "mpi/blocks.hpp"
#include "mpi/errors.hpp"

namespace onehop::mpi_abi {

neighbourhood neighbours_of(const communicator& comm) {
  if (comm.graph) return {comm.graph->from, comm.graph->to};
  if (!comm.topology) throw mpi_error(err_topology, "the communicator has no topology");
  neighbourhood found{.cartesian = true};
  for (std::size_t d = 0; d < comm.topology->extents.size(); ++d)
    for (const int step : {-1, 1}) {
      std::vector<int> at = comm.topology->coordinates(comm.rank());
      at[d] += step;
      found.from.push_back(comm.topology->rank(at));
    }
  found.to = found.from;
  return found;
}

// Messages between two ranks match in order. On a grid, a block sent down a dimension arrives from
// above. If both neighbours are the same rank, the upward block must therefore be sent first, since
// the block from below is received first.
void exchange_with_neighbours(const communicator_ptr& comm, const std::optional<block_list>& out,
                              const std::optional<kept_buffer>& same, const block_list& in) {
  const neighbourhood around = neighbours_of(*comm);
  message_round round(comm);
  for (int i = 0; i < static_cast<int>(around.from.size()); ++i)
    if (const int rank = around.from[static_cast<std::size_t>(i)]; rank != proc_null)
      round.receive(in.of(i), rank);
  for (int i = 0; i < static_cast<int>(around.to.size()); ++i) {
    const int to = around.cartesian ? i ^ 1 : i;
    const int rank = around.to[static_cast<std::size_t>(to)];
    if (rank != proc_null) round.send(out ? out->of(to) : typed_buffer(*same), rank);
  }
  round.wait();
}

}  // namespace onehop::mpi_abi
