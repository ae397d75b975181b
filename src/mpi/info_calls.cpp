// The functions of the ABI for info objects. Nothing reads the hints that they hold.

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <string>

#include "base/text.hpp"
#include "mpi/errors.hpp"

namespace onehop::mpi_abi {
namespace {

using info = std::map<std::string, std::string>;

info& info_of(MPI_Info handle) {
  if (is_fixed(handle)) throw mpi_error(err_info, "the info object is predefined or MPI_INFO_NULL");
  return *reinterpret_cast<info*>(handle);
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Info_create(MPI_Info* handle) {
  return guarded("MPI_Info_create", [&] { *handle = reinterpret_cast<MPI_Info>(new info); });
}

int MPI_Info_dup(MPI_Info from, MPI_Info* handle) {
  return guarded("MPI_Info_dup",
                 [&] { *handle = reinterpret_cast<MPI_Info>(new info(info_of(from))); });
}

int MPI_Info_free(MPI_Info* handle) {
  return guarded("MPI_Info_free", [&] {
    delete &info_of(*handle);
    *handle = fixed<MPI_Info>(info_null);
  });
}

int MPI_Info_set(MPI_Info handle, const char* key, const char* value) {
  return guarded("MPI_Info_set", [&] { info_of(handle)[key] = value; });
}

int MPI_Info_delete(MPI_Info handle, const char* key) {
  return guarded("MPI_Info_delete", [&] {
    if (info_of(handle).erase(key) == 0)
      throw mpi_error(err_info_nokey, onehop::text("the info object has no key ", key));
  });
}

int MPI_Info_get(MPI_Info handle, const char* key, int room, char* value, int* flag) {
  return guarded("MPI_Info_get", [&] {
    const auto found = info_of(handle).find(key);
    *flag = static_cast<int>(found != info_of(handle).end());
    if (*flag == 0) return;
    const std::size_t size =
        std::min(found->second.size(), static_cast<std::size_t>(std::max(room, 0)));
    std::memcpy(value, found->second.data(), size);
    value[size] = '\0';
  });
}

int MPI_Info_get_nkeys(MPI_Info handle, int* count) {
  return guarded("MPI_Info_get_nkeys", [&] { *count = static_cast<int>(info_of(handle).size()); });
}

int MPI_Info_get_nthkey(MPI_Info handle, int index, char* key) {
  return guarded("MPI_Info_get_nthkey", [&] {
    const info& all = info_of(handle);
    if (index < 0 || index >= static_cast<int>(all.size()))
      throw mpi_error(err_arg, onehop::text("an info object of ", all.size(),
                                            " keys has none with number ", index));
    std::strcpy(key, std::next(all.begin(), index)->first.c_str());
  });
}
}
