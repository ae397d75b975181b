// The functions of the ABI that combine values of all ranks.

#include <numeric>

#include "base/text.hpp"
#include "mpi/collective_calls.hpp"
#include "mpi/counted.hpp"
#include "mpi/reductions.hpp"

namespace onehop::mpi_abi {
namespace {

/// In an intercommunicator, arguments are checked only on ranks that contribute or receive values.
auto reducing(const communicator_ptr& comm, const void* from, void* to, count_type count,
              MPI_Datatype type, MPI_Op what, int root) {
  require_root(*comm, root);
  const kept_reduction how =
      root == proc_null ? kept_reduction{} : checked_reduction(count, type, what);
  if (root >= 0) require_input(how, from, comm->is_root(root) ? to : nullptr);
  if (comm->is_root(root))
    checked(to, count, type);
  else if (root >= 0 && in_place(from))
    throw mpi_error(err_buffer, "MPI_IN_PLACE is for the root");
  return [=](const communicator_ptr& seen) { reduce(seen, how, from, to, root); };
}
auto reducing_for_all(kept_reduction how, const void* from, void* to) {
  require_input(how, from, to);
  checked(to, static_cast<std::ptrdiff_t>(how.count), how.handle);
  return [=](const communicator_ptr& seen) { reduce_for_all(seen, how, from, to); };
}
auto scanning(kept_reduction how, const void* from, void* to, bool with_own) {
  require_input(how, from, to);
  return [=](const communicator_ptr& seen) { scan(seen, how, from, to, with_own); };
}

auto scattering(std::vector<std::size_t> counts, MPI_Datatype type, MPI_Op what, const void* from,
                void* to) {
  const auto all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const kept_reduction how = checked_reduction(static_cast<std::ptrdiff_t>(all), type, what);
  require_input(how, from, to);
  return [=](const communicator_ptr& seen) { reduce_scatter(seen, how, from, to, counts); };
}
std::vector<std::size_t> equal_counts(const communicator_ptr& comm, count_type count) {
  if (count < 0) throw mpi_error(err_count, text("the count is ", count));
  return std::vector<std::size_t>(static_cast<std::size_t>(comm->size()),
                                  static_cast<std::size_t>(count));
}
std::vector<std::size_t> listed_counts(const communicator_ptr& comm, const count_type* counts) {
  require_list(counts, comm->size());
  for (int rank = 0; rank < comm->size(); ++rank)
    if (counts[rank] < 0)
      throw mpi_error(err_count, text("the count of block ", rank, " is ", counts[rank]));
  return {counts, counts + comm->size()};
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

ONEHOP_COLLECTIVE(Reduce, reduce,
                  (const void* from, void* to, count_type count, MPI_Datatype type, MPI_Op what,
                   int root, ),
                  (, what, root), reducing(comm, from, to, count, type, what, root))

ONEHOP_COLLECTIVE(Allreduce, allreduce,
                  (const void* from, void* to, count_type count, MPI_Datatype type, MPI_Op what, ),
                  (, what), reducing_for_all(checked_reduction(count, type, what), from, to))

ONEHOP_COLLECTIVE(Scan, scan,
                  (const void* from, void* to, count_type count, MPI_Datatype type, MPI_Op what, ),
                  (, what), scanning(checked_reduction(count, type, what), from, to, true))

ONEHOP_COLLECTIVE(Exscan, exscan,
                  (const void* from, void* to, count_type count, MPI_Datatype type, MPI_Op what, ),
                  (, what), scanning(checked_reduction(count, type, what), from, to, false))

ONEHOP_COLLECTIVE(Reduce_scatter_block, reduce_scatter_block,
                  (const void* from, void* to, count_type count, MPI_Datatype type, MPI_Op what, ),
                  (, what), scattering(equal_counts(comm, count), type, what, from, to))

ONEHOP_COLLECTIVE(Reduce_scatter, reduce_scatter,
                  (const void* from, void* to, const count_type* counts, MPI_Datatype type,
                   MPI_Op what, ),
                  (, what), scattering(listed_counts(comm, counts), type, what, from, to))

int ONEHOP_ABI(MPI_Reduce_local)(const void* in, void* inout, count_type count, MPI_Datatype type,
                                 MPI_Op handle) {
  return guarded(__func__, [&] {
    const kept_reduction how = checked_reduction(count, type, handle);
    if (in_place(in) || in_place(inout)) throw mpi_error(err_buffer, "nothing is in place here");
    require_input(how, in, inout);
    reduce_local(how, in, inout);
  });
}
}
