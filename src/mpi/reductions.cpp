#include "mpi/reductions.hpp"

#include <optional>

#include "base/text.hpp"
#include "mpi/device_memory.hpp"
#include "mpi/errors.hpp"

namespace onehop::mpi_abi {

kept_reduction checked_reduction(std::ptrdiff_t count, MPI_Datatype type, MPI_Op handle) {
  if (count < 0) throw mpi_error(err_count, text("the count is ", count));
  const operation& what = operation_of(handle);
  const datatype_ptr& elements = datatype_of(type);
  require_applies(what, *elements);
  if (!elements->committed) throw mpi_error(err_type, "the datatype is not committed");
  return {what, elements, type, static_cast<std::size_t>(count), keep_handle(type)};
}

void require_input(const kept_reduction& how, const void* from, const void* to) {
  if (in_place(from)) return;
  const typed_buffer given = checked(from, static_cast<std::ptrdiff_t>(how.count), how.handle);
  if (to != nullptr) require_apart(given, {const_cast<void*>(to), how.count, how.type});
}

namespace {

/// Copies this rank's contribution to where the result will be, unless MPI_IN_PLACE says that it is
/// there already.
void place_input(const reduction_of& how, const void* from, void* to) {
  if (!in_place(from))
    copy({const_cast<void*>(from), how.count, how.type}, {to, how.count, how.type});
}

/// The host combines values. If the caller's are on a device, these are copies in host memory.
class host_values {
 public:
  host_values(const reduction_of& how, void* of) : home_{of, how.count, how.type} {
    if (how.count > 0 && on_device(*how.type, of)) copy_.emplace(how.type, how.count);
  }

  void* data() noexcept { return copy_ ? copy_->data() : home_.data; }
  void read() {
    if (copy_) copy(home_, copy_->whole());
  }
  void write() {
    if (copy_) copy(copy_->whole(), home_);
  }

 private:
  typed_buffer home_;
  std::optional<working_buffer> copy_;
};

/// Combines the values of this rank's group of an intercommunicator. The first rank of the group
/// gets the result.
void reduce_own_group(const communicator_ptr& own, const reduction_of& how, const void* from,
                      void* values) {
  if (in_place(from)) throw mpi_error(err_buffer, "MPI_IN_PLACE is not for intercommunicators");
  place_input(how, from, values);
  reduce_to_first(own, how, values);
}

void reduce_between(const communicator_ptr& comm, const reduction_of& how, const void* from,
                    void* to, int root) {
  if (root == root_here) receive_one(comm, {to, how.count, how.type}, 0);
  if (root < 0) return;
  working_buffer values(how.type, how.count);
  const communicator_ptr own = comm->own_group();
  reduce_own_group(own, how, from, values.data());
  if (own->rank() == 0) send_one(comm, values.whole(), root);
}

/// Gives the first rank of each group the combined values of the other group.
void reduce_others(const communicator_ptr& comm, const communicator_ptr& own,
                   const reduction_of& how, const void* from, void* to) {
  working_buffer values(how.type, how.count);
  reduce_own_group(own, how, from, values.data());
  if (own->rank() == 0) exchange(comm, values.whole(), 0, {to, how.count, how.type}, 0);
}

/// Does the root's part.
void reduce_here(const communicator_ptr& comm, const reduction_of& how, const void* from,
                 void* to) {
  host_values result(how, to);
  if (in_place(from)) result.read();
  place_input(how, from, result.data());
  reduce_to_first(comm, how, result.data());
  if (comm->rank() != 0) receive_one(comm, {result.data(), how.count, how.type}, 0);
  result.write();
}

/// Rank 0 has the combined values of all ranks, and sends each rank its part.
void hand_out(const communicator_ptr& comm, const reduction_of& how, void* values, void* to,
              const std::vector<std::size_t>& counts) {
  if (comm->rank() != 0) {
    receive_one(comm, {to, counts[static_cast<std::size_t>(comm->rank())], how.type}, 0);
    return;
  }
  message_round parts(comm);
  std::ptrdiff_t begin = 0;
  for (int rank = 0; rank < comm->size(); ++rank) {
    const std::size_t count = counts[static_cast<std::size_t>(rank)];
    const typed_buffer part{element_at(values, *how.type, begin), count, how.type};
    if (rank == 0)
      copy(part, {to, count, how.type});
    else
      parts.send(part, rank);
    begin += static_cast<std::ptrdiff_t>(count);
  }
  parts.wait();
}

}  // namespace

void reduce(const communicator_ptr& comm, const reduction_of& how, const void* from, void* to,
            int root) {
  if (comm->inter()) return reduce_between(comm, how, from, to, root);
  if (comm->rank() == root) return reduce_here(comm, how, from, to);
  working_buffer values(how.type, how.count);
  place_input(how, from, values.data());
  reduce_to_first(comm, how, values.data());
  if (comm->rank() == 0) send_one(comm, values.whole(), root);
}

void reduce_for_all(const communicator_ptr& comm, const reduction_of& how, const void* from,
                    void* to) {
  if (comm->inter()) {
    const communicator_ptr own = comm->own_group();
    reduce_others(comm, own, how, from, to);
    return broadcast(own, {to, how.count, how.type}, 0);
  }
  host_values result(how, to);
  if (in_place(from)) result.read();
  place_input(how, from, result.data());
  all_reduce(comm, how, result.data());
  result.write();
}

void reduce_local(const reduction_of& how, const void* in, void* inout) {
  host_values theirs(how, const_cast<void*>(in)), ours(how, inout);
  theirs.read();
  ours.read();
  how.combine(theirs.data(), ours.data());
  ours.write();
}

// Each rank receives the combined values of the ranks before it, and sends on the values combined
// with its own.
void scan(const communicator_ptr& comm, const reduction_of& how, const void* from, void* to,
          bool with_own) {
  if (comm->inter()) throw mpi_error(err_comm, "the communicator is an intercommunicator");
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

void reduce_scatter(const communicator_ptr& comm, const reduction_of& how, const void* from,
                    void* to, const std::vector<std::size_t>& counts) {
  working_buffer values(how.type, how.count);
  if (comm->inter()) {
    const communicator_ptr own = comm->own_group();
    reduce_others(comm, own, how, from, values.data());
    return hand_out(own, how, values.data(), to, counts);
  }
  place_input(how, in_place(from) ? to : from, values.data());
  reduce_to_first(comm, how, values.data());
  hand_out(comm, how, values.data(), to, counts);
}

}  // namespace onehop::mpi_abi
