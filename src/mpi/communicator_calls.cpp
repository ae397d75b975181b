// The functions of the ABI for communicators.

#include <algorithm>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/handles.hpp"
#include "mpi/hints.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/split.hpp"
#include "mpi/state.hpp"
#include "mpi/words.hpp"

namespace onehop::mpi_abi {
namespace {

MPI_Comm duplicate(const communicator_ptr& parent) {
  return onehop::mpi_abi::duplicate(parent, agree_on_identity(parent, propose_identity()));
}

void require_subset(const communicator& comm, const group& chosen) {
  const group all{comm.members()};
  for (const int world : chosen.members)
    if (all.place_of(world) == undefined)
      throw mpi_error(err_group, "the group has a rank that the communicator has not");
}

/// Returns whether to split ranks by shared memory, the only part of a node that is known here.
bool by_memory(int kind, const info& hints) {
  if (kind == split_type_shared) return true;
  const auto wanted =
      std::ranges::find(hints, std::string("mpi_hw_resource_type"), &info::value_type::first);
  return (kind == split_type_guided || kind == split_type_resource) && wanted != hints.end() &&
         wanted->second == "mpi_shared_memory";
}

MPI_Comm split_by_kind(const communicator_ptr& comm, int kind, int key, const info& hints) {
  if (kind != undefined && (kind < split_type_shared || kind > split_type_resource))
    throw mpi_error(err_arg, text("no way to split is ", kind));
  const int node = node_of(running().job(), comm->world(comm->rank()));
  return split(comm, {by_memory(kind, hints) ? node : undefined, key});
}

int compare(const std::vector<int>& one, const std::vector<int>& other) {
  if (one == other) return congruent;
  std::vector<int> first = one, second = other;
  std::ranges::sort(first);
  std::ranges::sort(second);
  return first == second ? similar : unequal;
}
int compare(const communicator& one, const communicator& other) {
  if (&one == &other) return identical;
  return std::max(compare(one.members(), other.members()), compare(one.remote(), other.remote()));
}

MPI_Comm create(const communicator_ptr& comm, const group& chosen) {
  require_subset(*comm, chosen);
  if (!comm->inter()) return make_communicator(comm, chosen.members);
  const int place = chosen.place_of(comm->world(comm->rank()));
  return split(comm, {place == undefined ? undefined : 0, place});
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Comm_rank(MPI_Comm handle, int* rank) {
  return guarded(handle, {__func__, rank}, [&] { *rank = communicator_of(handle)->rank(); });
}

int MPI_Comm_size(MPI_Comm handle, int* size) {
  return guarded(handle, {__func__, size}, [&] { *size = communicator_of(handle)->size(); });
}

int MPI_Comm_dup(MPI_Comm handle, MPI_Comm* made) {
  return guarded(handle, {__func__, made}, [&] {
    *made = fixed<MPI_Comm>(comm_null);
    *made = duplicate(communicator_of(handle));
  });
}

int MPI_Comm_dup_with_info(MPI_Comm handle, MPI_Info hints, MPI_Comm* made) {
  return guarded(handle, {__func__, hints, made}, [&] {
    *made = duplicate(communicator_of(handle));
    take_hints(communicator_of(*made)->hints, hints_in(hints), communicator_hints);
  });
}

int MPI_Comm_split(MPI_Comm handle, int color, int key, MPI_Comm* made) {
  return guarded(handle, {__func__, made}, [&] {
    *made = split(communicator_of(handle), {color, key});
  });
}

int MPI_Comm_split_type(MPI_Comm handle, int kind, int key, MPI_Info hints, MPI_Comm* made) {
  return guarded(handle, {__func__, hints, made}, [&] {
    *made = split_by_kind(communicator_of(handle), kind, key, hints_in(hints));
  });
}

int MPI_Comm_create(MPI_Comm handle, MPI_Group members, MPI_Comm* made) {
  return guarded(handle, {__func__, made},
                 [&] { *made = create(communicator_of(handle), *group_of(members)); });
}

int MPI_Comm_create_group(MPI_Comm handle, MPI_Group members, int tag, MPI_Comm* made) {
  return guarded(handle, {__func__, made}, [&] {
    const communicator_ptr& comm = one_group_of(handle);
    const group& some = *group_of(members);
    if (tag < 0) throw mpi_error(err_tag, onehop::text("the tag is ", tag));
    require_subset(*comm, some);
    *made = some.place_of(comm->world(comm->rank())) == undefined
                ? fixed<MPI_Comm>(comm_null)
                : make_among(comm, some.members, tag);
  });
}

int MPI_Comm_free(MPI_Comm* handle) {
  return guarded({__func__, handle}, [&] {
    const communicator_ptr here = communicator_of(*handle);
    if (is_fixed(*handle)) throw mpi_error(err_comm, "the communicator is predefined");
    here->attributes.clear(*handle);
    // Requests in progress keep the communicator alive.
    here->handle = fixed<MPI_Comm>(comm_null);
    end_object(object_at<communicator_ptr>(*handle));
    *handle = fixed<MPI_Comm>(comm_null);
  });
}

int MPI_Comm_compare(MPI_Comm one, MPI_Comm other, int* result) {
  return guarded(one, {__func__, result},
                 [&] { *result = compare(*communicator_of(one), *communicator_of(other)); });
}

int MPI_Comm_group(MPI_Comm handle, MPI_Group* made) {
  return guarded(handle, {__func__, made}, [&] {
    const communicator& comm = *communicator_of(handle);
    *made =
        new_handle(std::make_shared<const group>(group{comm.members(), comm.buffer_of_session}));
  });
}

int MPI_Comm_set_name(MPI_Comm handle, const char* name) {
  return guarded(handle, {__func__, name}, [&] { communicator_of(handle)->name = name; });
}

int MPI_Comm_get_name(MPI_Comm handle, char* name, int* length) {
  return guarded(handle, {__func__, name, length}, [&] {
    const bool is_null = number_of(handle) == comm_null;
    give_words(is_null ? "MPI_COMM_NULL" : communicator_of(handle)->name, name, length,
               most_object_name);
  });
}

int MPI_Comm_set_info(MPI_Comm handle, MPI_Info hints) {
  return guarded(handle, __func__, [&] {
    take_hints(communicator_of(handle)->hints, hints_in(hints), communicator_hints);
  });
}
int MPI_Comm_get_info(MPI_Comm handle, MPI_Info* hints) {
  return guarded(handle, {__func__, hints}, [&] {
    *hints = new_handle(all_hints(communicator_of(handle)->hints, communicator_hints));
  });
}

int MPI_Comm_set_errhandler(MPI_Comm handle, MPI_Errhandler handler) {
  return guarded(handle, __func__, [&] { communicator_of(handle)->errors = handler_at(handler); });
}
int MPI_Comm_get_errhandler(MPI_Comm handle, MPI_Errhandler* handler) {
  return guarded(handle, {__func__, handler},
                 [&] { *handler = handle_of(communicator_of(handle)->errors); });
}
int MPI_Comm_call_errhandler(MPI_Comm handle, int code) {
  const int wrong = guarded(handle, __func__, [&] { communicator_of(handle); });
  if (wrong == success) guarded(handle, __func__, [&] { throw_code(code); });
  return wrong;
}

// MPI_Comm_spawn is not supported, so no rank has a parent.
int MPI_Comm_get_parent(MPI_Comm* parent) {
  return guarded({__func__, parent}, [&] { *parent = fixed<MPI_Comm>(comm_null); });
}
int MPI_Comm_disconnect(MPI_Comm* handle) { return MPI_Comm_free(handle); }
}
