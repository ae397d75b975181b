#pragma once
/// Collectives that combine values of all ranks.

#include <cstddef>
#include <memory>
#include <vector>

#include "mpi/collective.hpp"

namespace onehop::mpi_abi {

/// A kept_reduction holds what all ranks of a reduction agree on, and keeps its operation and
/// datatype alive.
struct kept_reduction {
  operation what;
  datatype_ptr type;
  MPI_Datatype handle;
  std::size_t count;
  /// Keeps the handle valid, since it is passed to a function of the caller.
  std::shared_ptr<const void> handle_kept;

  operator reduction_of() const noexcept { return {what, type, handle, count}; }
};
/// Throws mpi_error if the operation does not apply to the elements.
kept_reduction checked_reduction(std::ptrdiff_t count, MPI_Datatype type, MPI_Op handle);
/// Throws mpi_error unless the input can be read or is MPI_IN_PLACE, and differs from the output if
/// this rank gets a result.
void require_input(const kept_reduction& how, const void* from, const void* to);

/// Reductions. In an intercommunicator each group gets the result of the other group. If `from` is
/// MPI_IN_PLACE, this rank's contribution is in `to`.
void reduce(const communicator_ptr& comm, const reduction_of& how, const void* from, void* to,
            int root);
/// Combines values of this rank only, which are never in place.
void reduce_local(const reduction_of& how, const void* in, void* inout);
void reduce_for_all(const communicator_ptr& comm, const reduction_of& how, const void* from,
                    void* to);
void scan(const communicator_ptr& comm, const reduction_of& how, const void* from, void* to,
          bool with_own);
void reduce_scatter(const communicator_ptr& comm, const reduction_of& how, const void* from,
                    void* to, const std::vector<std::size_t>& counts);

}  // namespace onehop::mpi_abi
