// The functions of the ABI for info objects.

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/handles.hpp"
#include "mpi/info.hpp"
#include "mpi/state.hpp"
#include "mpi/words.hpp"

namespace onehop::mpi_abi {
namespace {

constexpr std::size_t most_key = 256, most_value = 1024;

/// MPI_INFO_ENV describes how the job was started. It is the same before and after MPI_Init.
const info& environment_hints() {
  static const info& hints = *new info{{"thread_level", "MPI_THREAD_FUNNELED"},
                                       {"maxprocs", text(environment::read().size.value_or(1))}};
  return hints;
}

info& info_of(MPI_Info handle) {
  if (auto* const known = object_at<info>(handle)) return *known;
  throw mpi_error(err_info, is_fixed(handle) ? "the info object is predefined or MPI_INFO_NULL"
                                             : "no info object has the handle");
}
const info& readable(MPI_Info handle) {
  return number_of(handle) == info_env ? environment_hints() : info_of(handle);
}

template <class Info>
auto find(Info& hints, const char* key) {
  return std::ranges::find(hints, std::string(key), &info::value_type::first);
}

void require_key(const char* key) {
  if (std::strlen(key) == 0 || std::strlen(key) >= most_key)
    throw mpi_error(err_info_key, "the key is empty or too long");
}

void set(MPI_Info handle, const char* key, const char* value) {
  require_key(key);
  if (std::strlen(value) >= most_value) throw mpi_error(err_info_value, "the value is too long");
  info& hints = info_of(handle);
  const auto found = find(hints, key);
  if (found == hints.end())
    hints.emplace_back(key, value);
  else
    found->second = value;
}

/// Returns the value of a key, or null if the object lacks the key. `flag` tells which.
const std::string* value_of(MPI_Info handle, const char* key, int* flag) {
  require_key(key);
  const info& hints = readable(handle);
  const auto found = find(hints, key);
  *flag = static_cast<int>(found != hints.end());
  return found == hints.end() ? nullptr : &found->second;
}

}  // namespace

error_class entry::flaw(MPI_Info hints) noexcept {
  const bool is_known = number_of(hints) == info_null || number_of(hints) == info_env ||
                        object_at<info>(hints) != nullptr;
  return is_known ? success : err_info;
}

info hints_in(MPI_Info handle) {
  return number_of(handle) == info_null ? info() : readable(handle);
}

MPI_Info new_handle(info hints) {
  return reinterpret_cast<MPI_Info>(keep_object(std::move(hints)));
}

}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Info_create(MPI_Info* handle) {
  return guarded({__func__, handle}, [&] { *handle = new_handle(info()); });
}
int MPI_Info_create_env(int, char**, MPI_Info* handle) {
  return guarded({__func__, handle}, [&] { *handle = new_handle(environment_hints()); });
}
int MPI_Info_dup(MPI_Info from, MPI_Info* handle) {
  return guarded({__func__, handle}, [&] { *handle = new_handle(readable(from)); });
}

int MPI_Info_free(MPI_Info* handle) {
  return guarded({__func__, handle}, [&] {
    end_object(&info_of(*handle));
    *handle = fixed<MPI_Info>(info_null);
  });
}

int MPI_Info_set(MPI_Info handle, const char* key, const char* value) {
  return guarded({__func__, key, value}, [&] { set(handle, key, value); });
}

int MPI_Info_delete(MPI_Info handle, const char* key) {
  return guarded({__func__, key}, [&] {
    info& hints = info_of(handle);
    const auto found = find(hints, key);
    if (found == hints.end())
      throw mpi_error(err_info_nokey, onehop::text("the info object has no key ", key));
    hints.erase(found);
  });
}

int MPI_Info_get(MPI_Info handle, const char* key, int room, char* value, int* flag) {
  return guarded({__func__, key, value, flag}, [&] {
    if (const std::string* const found = value_of(handle, key, flag))
      give_words(*found, value, nullptr, std::max(room, 0) + 1);
  });
}

// The length returned is that of the whole value and its terminating zero, so that the caller can
// see whether the value was cut off.
int MPI_Info_get_string(MPI_Info handle, const char* key, int* room, char* value, int* flag) {
  return guarded({__func__, key, room, flag}, [&] {
    const std::string* const found = value_of(handle, key, flag);
    if (found == nullptr) return;
    require_list(value, *room);
    if (*room > 0) give_words(*found, value, nullptr, *room);
    *room = static_cast<int>(found->size()) + 1;
  });
}

int MPI_Info_get_valuelen(MPI_Info handle, const char* key, int* length, int* flag) {
  return guarded({__func__, key, length, flag}, [&] {
    if (const std::string* const found = value_of(handle, key, flag))
      *length = static_cast<int>(found->size());
  });
}

int MPI_Info_get_nkeys(MPI_Info handle, int* count) {
  return guarded({__func__, count}, [&] { *count = static_cast<int>(readable(handle).size()); });
}

int MPI_Info_get_nthkey(MPI_Info handle, int index, char* key) {
  return guarded({__func__, key}, [&] {
    const info& all = readable(handle);
    if (index < 0 || index >= std::ssize(all))
      throw mpi_error(err_arg, onehop::text("an info object of ", all.size(),
                                            " keys has none with number ", index));
    std::strcpy(key, all[static_cast<std::size_t>(index)].first.c_str());
  });
}
}
