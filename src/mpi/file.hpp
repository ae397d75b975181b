#pragma once
/// A file of all ranks of a communicator, by pread and pwrite. Its view says which bytes a rank
/// sees.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mpi/communicator.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/window.hpp"

namespace onehop::mpi_abi {

/// A file_view shows, from `displacement` on, the bytes of `filetype` one after the other, again
/// and again. Offsets count elements of `etype`.
struct file_view {
  MPI_Offset displacement = 0;
  datatype_ptr etype, filetype;
  std::string representation;

  /// Numbers lie in the file as external32 has them.
  bool external() const noexcept { return representation == "external32"; }
  /// Returns the byte of the view at which an element begins. Throws mpi_error for a negative
  /// offset and where the `bytes` from there on would lie behind the end of the largest file.
  MPI_Offset byte_of(MPI_Offset offset, std::size_t bytes) const;
  /// Returns where in the file a byte of the view lies.
  MPI_Offset place_of(MPI_Offset byte) const;
  /// Returns the bytes of the view that lie below a place in the file.
  MPI_Offset bytes_below(MPI_Offset place) const;
  /// Calls `take(place, bytes)` with the runs of bytes in the file, from a byte of the view on.
  void for_each_run(MPI_Offset byte, std::size_t bytes,
                    const std::function<bool(MPI_Offset, std::size_t)>& take) const;
};

class file {
 public:
  /// Opens it; collective over the ranks of `comm`, which no one else uses. Throws mpi_error at all
  /// ranks where one cannot open it.
  file(communicator_ptr comm, std::string path, int mode);
  ~file();
  file(const file&) = delete;
  file& operator=(const file&) = delete;

  const communicator_ptr& comm() const noexcept { return comm_; }
  int mode() const noexcept { return mode_; }
  const file_view& view() const noexcept { return view_; }
  /// Collective, as are all that change the file as a whole.
  void set_view(file_view view);
  void set_size(MPI_Offset bytes);
  void preallocate(MPI_Offset bytes);
  MPI_Offset size() const;
  void sync();
  void close();
  /// Whether an access of several calls of the system is seen whole or not at all.
  void set_atomicity(bool atomic);
  bool atomic() const noexcept { return atomic_; }

  /// Each of these reads or writes elements at an offset, and returns the bytes that it has moved.
  std::size_t read(MPI_Offset offset, const typed_buffer& into);
  std::size_t write(MPI_Offset offset, const typed_buffer& from);

  // Positions are offsets of the next access: one of each rank, and one of all.
  MPI_Offset position() const noexcept { return position_; }
  MPI_Offset advance(std::size_t bytes);
  /// Throws mpi_error for a file that is sequential.
  void require_random_access() const;
  void seek(MPI_Offset offset, int whence);
  MPI_Offset shared_position();
  MPI_Offset advance_shared(std::size_t bytes);
  /// Returns the place of this rank's bytes behind those of the ranks before it; collective.
  MPI_Offset advance_ordered(std::size_t bytes);
  void seek_shared(MPI_Offset offset, int whence);

  /// The status that the first call of a split collective leaves for the second; empty between
  /// pairs.
  std::optional<MPI_Status> begun;

 private:
  MPI_Offset elements(std::size_t bytes) const;
  MPI_Offset sought(MPI_Offset now, MPI_Offset offset, int whence) const;
  MPI_Offset add_shared(MPI_Offset step);
  void agree(int error, const char* what);

  communicator_ptr comm_;
  std::string path_;
  int mode_, descriptor_ = -1;
  bool atomic_ = false;
  file_view view_;
  MPI_Offset position_ = 0;
  MPI_Offset shared_ = 0;  ///< at rank 0
  std::unique_ptr<window> pointer_;
};

using file_ptr = std::shared_ptr<file>;

/// Returns the file of a handle; throws mpi_error for MPI_FILE_NULL.
const file_ptr& file_of(MPI_File handle);
/// Its error handler is that of MPI_FILE_NULL.
const communicator_ptr& no_file();

/// Throws the error of MPI that an error of the system is.
[[noreturn]] void throw_system_error(int error, const std::string& what);

/// Runs the body of a function for a file, whose error handler takes the errors.
template <class Body>
int guarded_file(MPI_File handle, const entry& call, Body&& body) noexcept {
  return guarded(call.function, [&] {
    communicator_ptr where = no_file();
    try {
      const file_ptr here = file_of(handle);
      where = here->comm();
      call.check();
      body(*here);
    } catch (mpi_error& error) {
      if (!error.comm) error.comm = where;
      throw;
    }
  });
}

}  // namespace onehop::mpi_abi
