#pragma once
/// Collectives that combine values of all ranks.

#include <cstddef>
#include <memory>
#include <vector>

#include "mpi/collective.hpp"

namespace onehop::mpi_abi {

/// A kept_reduction is what all ranks of a reduction agree on, with an operation and a datatype
/// that stay.
struct kept_reduction {
  operation what;
  datatype_ptr type;
  MPI_Datatype handle;
  std::size_t count;
  /// Keeps the handle valid, since a function of the caller's is given it.
  std::shared_ptr<const void> handle_kept;

  operator reduction_of() const noexcept { return {what, type, handle, count}; }
};
/// Throws mpi_error where the operation does not take the elements.
kept_reduction checked_reduction(std::ptrdiff_t count, MPI_Datatype type, MPI_Op handle);
/// Throws mpi_error unless values can be read from there, or are in place; where the rank gets a
/// result, that goes elsewhere.
void require_input(const kept_reduction& how, const void* from, const void* to);

/// In an intercommunicator each group gets what the other one gives.
/// In each of these, MPI_IN_PLACE for `from` says that what this rank gives lies in `to`.
void reduce(const communicator_ptr& comm, const reduction_of& how, const void* from, void* to,
            int root);
/// Combines the values of this rank alone, which are never in place.
void reduce_local(const reduction_of& how, const void* in, void* inout);
void reduce_for_all(const communicator_ptr& comm, const reduction_of& how, const void* from,
                    void* to);
void scan(const communicator_ptr& comm, const reduction_of& how, const void* from, void* to,
          bool with_own);
void reduce_scatter(const communicator_ptr& comm, const reduction_of& how, const void* from,
                    void* to, const std::vector<std::size_t>& counts);

}  // namespace onehop::mpi_abi
