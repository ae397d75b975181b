// The functions of the ABI for intercommunicators.

#include <algorithm>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/hints.hpp"
#include "mpi/split.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

const communicator_ptr& two_groups_of(MPI_Comm handle) {
  const communicator_ptr& comm = communicator_of(handle);
  if (!comm->inter()) throw mpi_error(err_comm, "the communicator is no intercommunicator");
  return comm;
}

/// Returns a communicator of two ranks of the job, the leaders of their groups.
communicator_ptr leaders_of(const communicator& between, int mine, int other, int tag) {
  if (mine == other) throw mpi_error(err_rank, "a rank leads both groups");
  return between.among({std::min(mine, other), std::max(mine, other)}, tag);
}

communicator_ptr leaders_in(const communicator_ptr& between, int other, int tag) {
  require_peer(*between, other);
  if (other == proc_null) throw mpi_error(err_rank, "the rank is MPI_PROC_NULL");
  return leaders_of(*between, between->world(between->rank()), between->peer(other), tag);
}

/// Returns the leader of a group, given by its rank in the group.
int leader_of(const group& members, int leader) {
  if (leader < 0 || leader >= members.size())
    throw mpi_error(err_rank,
                    text("a group of ", counted(members.size(), "rank"), " has no rank ", leader));
  return members.members[static_cast<std::size_t>(leader)];
}

MPI_Comm connect_groups(const group& own, int leader, MPI_Group others, int other_leader) {
  const communicator_ptr& world = state().world;
  const int mine = world->world(world->rank());
  const int leads = leader_of(own, leader);
  const communicator_ptr part = world->among(own.members, 0);
  return connect(part, leader,
                 leads == mine
                     ? leaders_of(*world, mine, leader_of(*group_of(others), other_leader), 0)
                     : nullptr);
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Intercomm_create(MPI_Comm handle, int leader, MPI_Comm between, int other, int tag,
                         MPI_Comm* made) {
  return guarded(handle, {__func__, made}, [&] {
    *made = fixed<MPI_Comm>(comm_null);
    const communicator_ptr& own = one_group_of(handle);
    require_rank(*own, leader);
    *made =
        connect(own, leader,
                own->rank() == leader ? leaders_in(communicator_of(between), other, tag) : nullptr);
  });
}

int MPI_Intercomm_create_from_groups(MPI_Group own, int leader, MPI_Group others, int other_leader,
                                     const char* tag, MPI_Info hints, MPI_Errhandler handler,
                                     MPI_Comm* made) {
  return guarded({__func__, tag, hints, handler, made}, [&] {
    *made = connect_groups(*group_of(own), leader, others, other_leader);
    communicator_of(*made)->errors = handler_at(handler);
    communicator_of(*made)->buffer_of_session = group_of(own)->buffer;
    take_hints(communicator_of(*made)->hints, hints_in(hints), communicator_hints);
  });
}

int MPI_Intercomm_merge(MPI_Comm handle, int high, MPI_Comm* made) {
  return guarded(handle, {__func__, made},
                 [&] { *made = merge(two_groups_of(handle), high != 0); });
}

int MPI_Comm_test_inter(MPI_Comm handle, int* flag) {
  return guarded(handle, {__func__, flag},
                 [&] { *flag = static_cast<int>(communicator_of(handle)->inter()); });
}

int MPI_Comm_remote_size(MPI_Comm handle, int* size) {
  return guarded(handle, {__func__, size}, [&] { *size = two_groups_of(handle)->peer_count(); });
}

int MPI_Comm_remote_group(MPI_Comm handle, MPI_Group* made) {
  return guarded(handle, {__func__, made}, [&] {
    *made = new_handle(std::make_shared<const group>(group{two_groups_of(handle)->remote()}));
  });
}
}
