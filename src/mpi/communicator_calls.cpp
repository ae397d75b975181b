// The functions of the ABI for communicators.

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/split.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

MPI_Comm duplicate(const communicator_ptr& parent) {
  return onehop::mpi_abi::duplicate(parent, agree_on_identity(parent, propose_identity()));
}

void require_own(MPI_Comm handle) {
  if (is_fixed(handle))
    throw mpi_error(err_comm, "the communicator is predefined or MPI_COMM_NULL");
}

int compare(const communicator& one, const communicator& other) {
  if (&one == &other) return identical;
  if (one.members() == other.members()) return congruent;
  std::vector<int> first = one.members(), second = other.members();
  std::ranges::sort(first);
  std::ranges::sort(second);
  return first == second ? similar : unequal;
}

/// Returns the value of an attribute that MPI_COMM_WORLD has, and null for another key.
int* attribute(int key) {
  static std::array<int, 4> values;
  values = {tag_upper_bound, 1, 0, state().world->size()};
  switch (key) {
    case key_tag_upper_bound:
      return &values[0];
    case key_wtime_is_global:
      return &values[1];
    case key_application_number:
      return &values[2];
    case key_universe_size:
      return &values[3];
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Comm_rank(MPI_Comm handle, int* rank) {
  return guarded(handle, "MPI_Comm_rank", [&] { *rank = communicator_of(handle)->rank(); });
}

int MPI_Comm_size(MPI_Comm handle, int* size) {
  return guarded(handle, "MPI_Comm_size", [&] { *size = communicator_of(handle)->size(); });
}

int MPI_Comm_dup(MPI_Comm handle, MPI_Comm* made) {
  return guarded(handle, "MPI_Comm_dup", [&] { *made = duplicate(communicator_of(handle)); });
}

int MPI_Comm_dup_with_info(MPI_Comm handle, MPI_Info, MPI_Comm* made) {
  return guarded(handle, "MPI_Comm_dup_with_info",
                 [&] { *made = duplicate(communicator_of(handle)); });
}

int MPI_Comm_split(MPI_Comm handle, int color, int key, MPI_Comm* made) {
  return guarded(handle, "MPI_Comm_split", [&] {
    *made = split(communicator_of(handle), {color, key});
  });
}

int MPI_Comm_split_type(MPI_Comm handle, int kind, int key, MPI_Info, MPI_Comm* made) {
  return guarded(handle, "MPI_Comm_split_type", [&] {
    const communicator_ptr& comm = communicator_of(handle);
    if (kind != split_type_shared && kind != undefined)
      throw mpi_error(err_unsupported_operation, "it splits by MPI_COMM_TYPE_SHARED only");
    // A virtual machine has one rank on each node, and this machine all of them.
    const int node = is_virtual(running().job()) ? comm->world(comm->rank()) : 0;
    *made = split(comm, {kind == undefined ? undefined : node, key});
  });
}

int MPI_Comm_create(MPI_Comm handle, MPI_Group members, MPI_Comm* made) {
  return guarded(handle, "MPI_Comm_create", [&] {
    const communicator_ptr& comm = communicator_of(handle);
    const group all{comm->members()};
    for (const int world : group_of(members)->members)
      if (all.place_of(world) == undefined)
        throw mpi_error(err_group, "the group has a rank that the communicator has not");
    *made = make_communicator(comm, group_of(members)->members);
  });
}

int MPI_Comm_free(MPI_Comm* handle) {
  return guarded("MPI_Comm_free", [&] {
    require_own(*handle);
    auto* const kept = reinterpret_cast<communicator_ptr*>(*handle);
    // Requests that are under way keep the communicator.
    (*kept)->handle = fixed<MPI_Comm>(comm_null);
    delete kept;
    *handle = fixed<MPI_Comm>(comm_null);
  });
}

int MPI_Comm_compare(MPI_Comm one, MPI_Comm other, int* result) {
  return guarded(one, "MPI_Comm_compare",
                 [&] { *result = compare(*communicator_of(one), *communicator_of(other)); });
}

int MPI_Comm_group(MPI_Comm handle, MPI_Group* made) {
  return guarded(handle, "MPI_Comm_group", [&] {
    *made = new_handle(std::make_shared<const group>(group{communicator_of(handle)->members()}));
  });
}

int MPI_Comm_test_inter(MPI_Comm handle, int* flag) {
  return guarded(handle, "MPI_Comm_test_inter", [&] {
    communicator_of(handle);
    *flag = 0;
  });
}

int MPI_Comm_set_name(MPI_Comm handle, const char* name) {
  return guarded(handle, "MPI_Comm_set_name", [&] { communicator_of(handle)->name = name; });
}

int MPI_Comm_get_name(MPI_Comm handle, char* name, int* length) {
  return guarded(handle, "MPI_Comm_get_name", [&] {
    const std::string& known = communicator_of(handle)->name;
    const std::size_t size = std::min<std::size_t>(known.size(), most_object_name - 1);
    std::memcpy(name, known.data(), size);
    name[size] = '\0';
    *length = static_cast<int>(size);
  });
}

int MPI_Comm_get_attr(MPI_Comm handle, int key, void* value, int* flag) {
  return guarded(handle, "MPI_Comm_get_attr", [&] {
    communicator_of(handle);
    int* const found = attribute(key);
    *flag = static_cast<int>(found != nullptr);
    if (found != nullptr) std::memcpy(value, &found, sizeof found);
  });
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* call, MPI_Errhandler* handle) {
  return guarded("MPI_Comm_create_errhandler", [&] {
    *handle = reinterpret_cast<MPI_Errhandler>(new error_handler{.call = call});
  });
}

int MPI_Comm_set_errhandler(MPI_Comm handle, MPI_Errhandler handler) {
  return guarded(handle, "MPI_Comm_set_errhandler", [&] {
    if (number_of(handler) == errhandler_null)
      throw mpi_error(err_errhandler, "the error handler is MPI_ERRHANDLER_NULL");
    communicator_of(handle)->errors =
        is_fixed(handler) ? error_handler{handler} : *reinterpret_cast<error_handler*>(handler);
  });
}

int MPI_Comm_get_errhandler(MPI_Comm handle, MPI_Errhandler* handler) {
  return guarded(handle, "MPI_Comm_get_errhandler", [&] {
    const error_handler& found = communicator_of(handle)->errors;
    *handler = found.call == nullptr ? found.fixed_handle
                                     : reinterpret_cast<MPI_Errhandler>(new error_handler(found));
  });
}

int MPI_Comm_call_errhandler(MPI_Comm handle, int code) {
  return guarded(handle, "MPI_Comm_call_errhandler", [&] {
    communicator_of(handle);
    const char* const words = error_text(code);
    throw mpi_error(static_cast<error_class>(code),
                    words != nullptr ? words : onehop::text("error code ", code));
  });
}

int MPI_Errhandler_free(MPI_Errhandler* handler) {
  return guarded("MPI_Errhandler_free", [&] {
    if (!is_fixed(*handler)) delete reinterpret_cast<error_handler*>(*handler);
    *handler = fixed<MPI_Errhandler>(errhandler_null);
  });
}
}
