// The functions of the ABI that open files, return their properties and change them as a whole.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/file.hpp"
#include "mpi/handles.hpp"
#include "mpi/split.hpp"
#include "mpi/state.hpp"
#include "mpi/words.hpp"

namespace onehop::mpi_abi {

const file_ptr& file_of(MPI_File handle) {
  running();
  if (const auto* const known = object_at<file_ptr>(handle)) return *known;
  throw mpi_error(err_file, number_of(handle) == file_null ? "the file is MPI_FILE_NULL"
                                                           : "no file has the handle");
}

const communicator_ptr& no_file() {
  static const communicator_ptr& none = *new communicator_ptr([] {
    auto made = std::make_shared<communicator>(std::vector{0}, 0, 0);
    made->errors = {fixed<MPI_Errhandler>(errors_return)};
    made->handle = fixed<MPI_Comm>(file_null);
    return made;
  }());
  return none;
}

namespace {

MPI_File open_file(MPI_Comm handle, const char* path, int mode, MPI_Info hints) {
  const communicator_ptr comm = private_duplicate(one_group_of(handle));
  auto* const kept = keep_object(std::make_shared<file>(comm, path, mode));
  comm->handle = reinterpret_cast<MPI_Comm>(kept);
  comm->errors = no_file()->errors;
  comm->hints = hints_in(hints);
  return reinterpret_cast<MPI_File>(kept);
}

/// Errors of calls without a file go to the error handler of MPI_FILE_NULL.
template <class Body>
int guarded_without_file(const entry& call, Body&& body) noexcept {
  return guarded(call.function, [&] {
    try {
      call.check();
      body();
    } catch (mpi_error& error) {
      error.comm = no_file();
      throw;
    }
  });
}

const communicator_ptr& errors_of(MPI_File handle) {
  return number_of(handle) == file_null ? no_file() : file_of(handle)->comm();
}

/// The bytes of a view must not go backwards in the file. If the file is written, they must not
/// overlap.
void require_order(const datatype& type, bool written) {
  std::ptrdiff_t begin = 0, end = 0;
  for (const datatype::segment& one : type.segments()) {
    if (one.offset < (written ? end : begin))
      throw mpi_error(err_io, text("a datatype of the view goes back to byte ", one.offset));
    begin = one.offset;
    end = begin + static_cast<std::ptrdiff_t>(one.bytes);
  }
}

file_view checked_view(file& here, MPI_Offset displacement, MPI_Datatype etype,
                       MPI_Datatype filetype, const char* representation) {
  const std::string as = representation;
  if (as != "native" && as != "internal" && as != "external32")
    throw mpi_error(err_unsupported_datarep, text("files have no data representation ", as));
  if (displacement == -1 && (here.mode() & mode_sequential) == 0)
    throw mpi_error(err_disp, "MPI_DISPLACEMENT_CURRENT is for sequential files");
  if (displacement < -1) throw mpi_error(err_disp, text("the displacement is ", displacement));
  if (displacement == -1)
    displacement = here.view().place_of(here.view().byte_of(here.shared_position(), 0));
  file_view view{displacement, datatype_of(etype), datatype_of(filetype), as};
  if (view.etype->size() == 0 || view.filetype->size() % view.etype->size() != 0 ||
      (view.filetype->size() > 0 && view.filetype->extent() <= 0))
    throw mpi_error(err_type, "the file type is not made of whole elements");
  const bool written = (here.mode() & mode_read_only) == 0;
  require_order(*view.etype, written);
  require_order(*view.filetype, written);
  return view;
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_File_open(MPI_Comm comm, const char* path, int mode, MPI_Info hints, MPI_File* made) {
  return guarded_without_file({__func__, hints, path, made},
                              [&] { *made = open_file(comm, path, mode, hints); });
}

int MPI_File_close(MPI_File* handle) {
  if (handle == nullptr) return guarded_without_file({__func__, handle}, [] {});
  return guarded_file(*handle, __func__, [&](file& here) {
    here.close();
    end_object(object_at<file_ptr>(*handle));
    *handle = fixed<MPI_File>(file_null);
  });
}

int MPI_File_delete(const char* path, MPI_Info hints) {
  return guarded_without_file({__func__, path, hints}, [&] {
    if (unlink(path) != 0) throw_system_error(errno, path);
  });
}

int MPI_File_set_view(MPI_File handle, MPI_Offset displacement, MPI_Datatype etype,
                      MPI_Datatype filetype, const char* representation, MPI_Info hints) {
  return guarded_file(handle, {__func__, hints, representation}, [&](file& here) {
    here.set_view(checked_view(here, displacement, etype, filetype, representation));
    if (number_of(hints) != info_null) here.comm()->hints = hints_in(hints);
  });
}

int MPI_File_get_view(MPI_File handle, MPI_Offset* displacement, MPI_Datatype* etype,
                      MPI_Datatype* filetype, char* representation) {
  return guarded_file(
      handle, {__func__, displacement, etype, filetype, representation}, [&](const file& here) {
        *displacement = here.view().displacement;
        *etype = handle_to(here.view().etype);
        *filetype = handle_to(here.view().filetype);
        give_words(here.view().representation, representation, nullptr, most_object_name);
      });
}

int MPI_File_set_size(MPI_File handle, MPI_Offset bytes) {
  return guarded_file(handle, __func__, [&](file& here) { here.set_size(bytes); });
}
int MPI_File_preallocate(MPI_File handle, MPI_Offset bytes) {
  return guarded_file(handle, __func__, [&](file& here) { here.preallocate(bytes); });
}
int MPI_File_get_size(MPI_File handle, MPI_Offset* bytes) {
  return guarded_file(handle, {__func__, bytes}, [&](const file& here) { *bytes = here.size(); });
}
int MPI_File_sync(MPI_File handle) {
  return guarded_file(handle, __func__, [](file& here) { here.sync(); });
}

int MPI_File_get_amode(MPI_File handle, int* mode) {
  return guarded_file(handle, {__func__, mode}, [&](const file& here) { *mode = here.mode(); });
}
int MPI_File_get_group(MPI_File handle, MPI_Group* made) {
  return guarded_file(handle, {__func__, made}, [&](const file& here) {
    *made = new_handle(std::make_shared<const group>(group{here.comm()->members()}));
  });
}
int MPI_File_set_info(MPI_File handle, MPI_Info hints) {
  return guarded_file(handle, __func__, [&](file& here) { here.comm()->hints = hints_in(hints); });
}
int MPI_File_get_info(MPI_File handle, MPI_Info* hints) {
  return guarded_file(handle, {__func__, hints},
                      [&](file& here) { *hints = new_handle(here.comm()->hints); });
}
int MPI_File_set_atomicity(MPI_File handle, int flag) {
  return guarded_file(handle, __func__, [&](file& here) { here.set_atomicity(flag != 0); });
}
int MPI_File_get_atomicity(MPI_File handle, int* flag) {
  return guarded_file(handle, {__func__, flag},
                      [&](const file& here) { *flag = static_cast<int>(here.atomic()); });
}
int MPI_File_get_type_extent(MPI_File handle, MPI_Datatype type, MPI_Aint* extent) {
  return guarded_file(handle, {__func__, extent},
                      [&](const file&) { *extent = datatype_of(type)->extent(); });
}
int MPI_File_get_type_extent_c(MPI_File handle, MPI_Datatype type, MPI_Count* extent) {
  return guarded_file(handle, {__func__, extent},
                      [&](const file&) { *extent = datatype_of(type)->extent(); });
}

int MPI_File_seek(MPI_File handle, MPI_Offset offset, int whence) {
  return guarded_file(handle, __func__, [&](file& here) { here.seek(offset, whence); });
}
int MPI_File_seek_shared(MPI_File handle, MPI_Offset offset, int whence) {
  return guarded_file(handle, __func__, [&](file& here) { here.seek_shared(offset, whence); });
}
int MPI_File_get_position(MPI_File handle, MPI_Offset* offset) {
  return guarded_file(handle, {__func__, offset},
                      [&](const file& here) { *offset = here.position(); });
}
int MPI_File_get_position_shared(MPI_File handle, MPI_Offset* offset) {
  return guarded_file(handle, {__func__, offset},
                      [&](file& here) { *offset = here.shared_position(); });
}
int MPI_File_get_byte_offset(MPI_File handle, MPI_Offset offset, MPI_Offset* place) {
  return guarded_file(handle, {__func__, place}, [&](const file& here) {
    *place = here.view().place_of(here.view().byte_of(offset, 0));
  });
}

int MPI_File_set_errhandler(MPI_File handle, MPI_Errhandler handler) {
  return guarded_without_file(__func__, [&] { errors_of(handle)->errors = handler_at(handler); });
}
int MPI_File_get_errhandler(MPI_File handle, MPI_Errhandler* handler) {
  return guarded_without_file({__func__, handler},
                              [&] { *handler = handle_of(errors_of(handle)->errors); });
}
int MPI_File_call_errhandler(MPI_File handle, int code) {
  const int wrong = guarded_without_file(__func__, [&] { errors_of(handle); });
  if (wrong == success)
    guarded(__func__, [&] {
      try {
        throw_code(code);
      } catch (mpi_error& error) {
        error.comm = errors_of(handle);
        throw;
      }
    });
  return wrong;
}
}
