// The functions of the ABI for attributes of communicators, datatypes and windows.

#include <array>
#include <cstring>

#include "mpi/communicator.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"
#include "mpi/window_functions.hpp"

namespace onehop::mpi_abi {
namespace {

/// Returns the address of a predefined attribute of MPI_COMM_WORLD, or null for any other key.
/// Other threads may still read through an address returned earlier.
int* predefined(int key) {
  static std::array<int, 7> values{tag_upper_bound, 1, 0,        state().world->size(),
                                   any_source,      0, proc_null};
  switch (key) {
    case key_tag_upper_bound:
      return &values[0];
    case key_wtime_is_global:
      return &values[1];
    case key_application_number:
      return &values[2];
    case key_universe_size:
      return &values[3];
    case key_io:
      return &values[4];
    case key_last_used_code:
      values[5] = last_used_code();
      return &values[5];
    case key_host:
      return &values[6];
    default:
      return nullptr;
  }
}

/// Finds a predefined attribute of a window and returns whether the key belongs to one. `found`
/// becomes the base itself, or for other attributes the address of the value.
bool give_predefined(window& here, int key, void*& found) {
  switch (key) {
    case key_win_base:
      found = here.attributes.base;
      return true;
    case key_win_size:
      found = &here.attributes.bytes;
      return true;
    case key_win_disp_unit:
      found = &here.attributes.unit;
      return true;
    case key_win_create_flavor:
      found = &here.attributes.flavor;
      return true;
    case key_win_model:
      found = &here.attributes.model;
      return true;
    default:
      return false;
  }
}

void give(bool is_there, const void* found, void* value, int* flag) {
  *flag = static_cast<int>(is_there);
  if (is_there) std::memcpy(value, &found, sizeof found);
}
void give(const attribute_list& from, attribute_owner owner, int key, void* value, int* flag) {
  void* found = nullptr;
  const bool is_there = from.get(owner, key, &found);
  give(is_there, found, value, flag);
}

/// Runs the body of a function on the attributes of an object.
template <class Body>
int with_attributes(MPI_Comm handle, const entry& call, Body&& body) noexcept {
  return guarded(handle, call, [&] { body(communicator_of(handle)->attributes); });
}
template <class Body>
int with_attributes(MPI_Datatype handle, const entry& call, Body&& body) noexcept {
  return guarded(call, [&] { body(datatype_of(handle)->attributes); });
}
template <class Body>
int with_attributes(MPI_Win handle, const entry& call, Body&& body) noexcept {
  return guarded_window(handle, call, [&](window& here) { body(here.comm()->attributes); });
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

/// Defines the functions that are the same for every kind of object with attributes.
#define ONEHOP_ATTRIBUTES(Kind, Handle)                                                       \
  int MPI_##Kind##_create_keyval(attribute_copy* copy, attribute_delete* deleted, int* key,   \
                                 void* extra) {                                               \
    return guarded({__func__, key}, [&] {                                                     \
      *key = make_attribute_key(attribute_owner::Kind, copy, deleted, extra);                 \
    });                                                                                       \
  }                                                                                           \
  int MPI_##Kind##_free_keyval(int* key) {                                                    \
    return guarded({__func__, key}, [&] { free_attribute_key(attribute_owner::Kind, key); }); \
  }                                                                                           \
  int MPI_##Kind##_set_attr(Handle handle, int key, void* value) {                            \
    return with_attributes(handle, __func__, [&](attribute_list& all) {                       \
      all.set(handle, attribute_owner::Kind, key, value);                                     \
    });                                                                                       \
  }                                                                                           \
  int MPI_##Kind##_delete_attr(Handle handle, int key) {                                      \
    return with_attributes(handle, __func__, [&](attribute_list& all) {                       \
      all.erase(handle, attribute_owner::Kind, key);                                          \
    });                                                                                       \
  }

extern "C" {

ONEHOP_ATTRIBUTES(Comm, MPI_Comm)
ONEHOP_ATTRIBUTES(Type, MPI_Datatype)
ONEHOP_ATTRIBUTES(Win, MPI_Win)

int MPI_Comm_get_attr(MPI_Comm handle, int key, void* value, int* flag) {
  return with_attributes(handle, {__func__, value, flag}, [&](const attribute_list& all) {
    if (const int* const found = predefined(key)) return give(true, found, value, flag);
    give(all, attribute_owner::Comm, key, value, flag);
  });
}
int MPI_Type_get_attr(MPI_Datatype handle, int key, void* value, int* flag) {
  return with_attributes(handle, {__func__, value, flag}, [&](const attribute_list& all) {
    give(all, attribute_owner::Type, key, value, flag);
  });
}
int MPI_Win_get_attr(MPI_Win handle, int key, void* value, int* flag) {
  return guarded_window(handle, {__func__, value, flag}, [&](window& here) {
    void* found = nullptr;
    if (give_predefined(here, key, found)) return give(true, found, value, flag);
    give(here.comm()->attributes, attribute_owner::Win, key, value, flag);
  });
}
}
