// The functions of the ABI for attributes of communicators, datatypes and windows.

#include <array>
#include <cstring>

#include "mpi/communicator.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"
#include "mpi/window_functions.hpp"

namespace onehop::mpi_abi {
namespace {

/// Returns where a predefined attribute of MPI_COMM_WORLD is, and null for another key. Other
/// threads may read what they have found there before.
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

/// Returns the value of a predefined attribute of a window, and null for another key. The base is
/// the value itself, and the others are pointed to.
void* predefined(window& here, int key, bool& known) {
  known = true;
  switch (key) {
    case key_win_base:
      return here.attributes.base;
    case key_win_size:
      return &here.attributes.bytes;
    case key_win_disp_unit:
      return &here.attributes.unit;
    case key_win_create_flavor:
      return &here.attributes.flavor;
    case key_win_model:
      return &here.attributes.model;
    default:
      known = false;
      return nullptr;
  }
}

int make_key(const char* function, attribute_copy* copy, attribute_delete* deleted, int* key,
             void* extra) {
  return guarded(function, [&] { *key = make_attribute_key(copy, deleted, extra); });
}

void give(const attribute_list& from, int key, void* value, int* flag) {
  void* found = nullptr;
  *flag = static_cast<int>(from.get(key, &found));
  if (*flag != 0) std::memcpy(value, &found, sizeof found);
}

void require_own_key(int key) {
  if (key < 1000) throw mpi_error(err_keyval, "the attribute is predefined, or the key is invalid");
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Comm_create_keyval(attribute_copy* copy, attribute_delete* deleted, int* key, void* extra) {
  return make_key(__func__, copy, deleted, key, extra);
}
int MPI_Type_create_keyval(attribute_copy* copy, attribute_delete* deleted, int* key, void* extra) {
  return make_key(__func__, copy, deleted, key, extra);
}
int MPI_Win_create_keyval(attribute_copy* copy, attribute_delete* deleted, int* key, void* extra) {
  return make_key(__func__, copy, deleted, key, extra);
}

int MPI_Comm_free_keyval(int* key) {
  return guarded(__func__, [&] { free_attribute_key(key); });
}
int MPI_Type_free_keyval(int* key) {
  return guarded(__func__, [&] { free_attribute_key(key); });
}
int MPI_Win_free_keyval(int* key) {
  return guarded(__func__, [&] { free_attribute_key(key); });
}

int MPI_Comm_set_attr(MPI_Comm handle, int key, void* value) {
  return guarded(handle, __func__, [&] {
    require_own_key(key);
    communicator_of(handle)->attributes.set(handle, key, value);
  });
}
int MPI_Type_set_attr(MPI_Datatype handle, int key, void* value) {
  return guarded(__func__, [&] {
    require_own_key(key);
    datatype_of(handle)->attributes.set(handle, key, value);
  });
}
int MPI_Win_set_attr(MPI_Win handle, int key, void* value) {
  return guarded_window(handle, __func__, [&](window& here) {
    require_own_key(key);
    here.comm()->attributes.set(handle, key, value);
  });
}

int MPI_Comm_get_attr(MPI_Comm handle, int key, void* value, int* flag) {
  return guarded(handle, __func__, [&] {
    const communicator& comm = *communicator_of(handle);
    if (int* const found = predefined(key)) {
      *flag = 1;
      std::memcpy(value, &found, sizeof found);
    } else {
      give(comm.attributes, key, value, flag);
    }
  });
}
int MPI_Type_get_attr(MPI_Datatype handle, int key, void* value, int* flag) {
  return guarded(__func__, [&] { give(datatype_of(handle)->attributes, key, value, flag); });
}
int MPI_Win_get_attr(MPI_Win handle, int key, void* value, int* flag) {
  return guarded_window(handle, __func__, [&](window& here) {
    bool known;
    void* const found = predefined(here, key, known);
    if (known) {
      *flag = 1;
      std::memcpy(value, &found, sizeof found);
    } else {
      give(here.comm()->attributes, key, value, flag);
    }
  });
}

int MPI_Comm_delete_attr(MPI_Comm handle, int key) {
  return guarded(handle, __func__, [&] {
    require_own_key(key);
    communicator_of(handle)->attributes.erase(handle, key);
  });
}
int MPI_Type_delete_attr(MPI_Datatype handle, int key) {
  return guarded(__func__, [&] {
    require_own_key(key);
    datatype_of(handle)->attributes.erase(handle, key);
  });
}
int MPI_Win_delete_attr(MPI_Win handle, int key) {
  return guarded_window(handle, __func__, [&](window& here) {
    require_own_key(key);
    here.comm()->attributes.erase(handle, key);
  });
}
}
