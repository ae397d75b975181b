#include "mpi/reductions.hpp"

#include "base/text.hpp"
#include "mpi/errors.hpp"

namespace onehop::mpi_abi {

kept_reduction checked_reduction(std::ptrdiff_t count, MPI_Datatype type, MPI_Op handle) {
  if (count < 0) throw mpi_error(err_count, text("the count is ", count));
  const operation& what = operation_of(handle);
  const datatype_ptr& elements = datatype_of(type);
  require_applies(what, *elements);
  return {what, elements, type, static_cast<std::size_t>(count)};
}

namespace {

/// Puts what this rank gives to where its result will be; MPI_IN_PLACE says that it is there.
void place_input(const reduction_of& how, const void* from, void* to) {
  if (!in_place(from))
    copy({const_cast<void*>(from), how.count, how.type}, {to, how.count, how.type});
}

}  // namespace

void reduce(const communicator_ptr& comm, const reduction_of& how, const void* from, void* to,
            int root) {
  const bool is_root = comm->rank() == root;
  working_buffer values(how.type, is_root ? 0 : how.count);
  void* const mine = is_root ? to : values.data();
  place_input(how, from, mine);
  reduce_to_first(comm, how, mine);
  if (root == 0) return;
  if (comm->rank() == 0) send_one(comm, {mine, how.count, how.type}, root);
  if (is_root) receive_one(comm, {mine, how.count, how.type}, 0);
}

void reduce_for_all(const communicator_ptr& comm, const reduction_of& how, const void* from,
                    void* to) {
  place_input(how, from, to);
  all_reduce(comm, how, to);
}

// Each rank gets the values of the ranks before it, and hands them on with its own.
void scan(const communicator_ptr& comm, const reduction_of& how, const void* from, void* to,
          bool with_own) {
  working_buffer mine(how.type, how.count), before(how.type, how.count);
  place_input(how, in_place(from) ? to : from, mine.data());
  if (comm->rank() > 0) {
    receive_one(comm, before.whole(), comm->rank() - 1);
    how.combine(before.data(), mine.data());
  }
  if (comm->rank() + 1 < comm->size()) send_one(comm, mine.whole(), comm->rank() + 1);
  const typed_buffer result{to, how.count, how.type};
  if (with_own)
    copy(mine.whole(), result);
  else if (comm->rank() > 0)
    copy(before.whole(), result);
}

// Rank 0 combines everything and sends each rank its part.
void reduce_scatter(const communicator_ptr& comm, const reduction_of& how, const void* from,
                    void* to, const std::vector<std::size_t>& counts) {
  working_buffer values(how.type, how.count);
  place_input(how, in_place(from) ? to : from, values.data());
  reduce_to_first(comm, how, values.data());
  const std::size_t mine = counts[static_cast<std::size_t>(comm->rank())];
  if (comm->rank() != 0) {
    receive_one(comm, {to, mine, how.type}, 0);
    return;
  }
  message_round parts(comm);
  std::ptrdiff_t begin = 0;
  for (int rank = 0; rank < comm->size(); ++rank) {
    const std::size_t count = counts[static_cast<std::size_t>(rank)];
    const typed_buffer part{element_at(values.data(), *how.type, begin), count, how.type};
    if (rank == 0)
      copy(part, {to, count, how.type});
    else
      parts.send(part, rank);
    begin += static_cast<std::ptrdiff_t>(count);
  }
  parts.wait();
}

}  // namespace onehop::mpi_abi
