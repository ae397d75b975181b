#pragma once
/// A file shared by all ranks of a communicator, accessed by pread and pwrite. A rank's view
/// determines which bytes it sees.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mpi/communicator.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/window.hpp"

namespace onehop::mpi_abi {

/// A file_view shows the file from `displacement` on, as repetitions of `filetype`. Offsets count
/// elements of `etype`.
struct file_view {
  MPI_Offset displacement = 0;
  datatype_ptr etype, filetype;
  std::string representation;

  /// Returns whether numbers are stored in the file as external32.
  bool external() const noexcept { return representation == "external32"; }
  /// Returns the byte of the view at which an element begins. Throws mpi_error for a negative
  /// offset, or if the next `bytes` bytes would end beyond the largest possible file.
  MPI_Offset byte_of(MPI_Offset offset, std::size_t bytes) const;
  /// Returns the position in the file of a byte of the view.
  MPI_Offset place_of(MPI_Offset byte) const;
  /// Returns how many bytes of the view lie before a position in the file.
  MPI_Offset bytes_below(MPI_Offset place) const;
  /// Calls `take(place, bytes)` for each run of bytes in the file, from a byte of the view on.
  void for_each_run(MPI_Offset byte, std::size_t bytes,
                    const std::function<bool(MPI_Offset, std::size_t)>& take) const;
};

class file {
 public:
  /// Opens the file; collective over the ranks of `comm`, which must have no other use. Throws
  /// mpi_error at all ranks if one of them cannot open it.
  file(communicator_ptr comm, std::string path, int mode);
  ~file();
  file(const file&) = delete;
  file& operator=(const file&) = delete;

  const communicator_ptr& comm() const noexcept { return comm_; }
  int mode() const noexcept { return mode_; }
  const file_view& view() const noexcept { return view_; }
  /// Collective, like all functions that change the file as a whole.
  void set_view(file_view view);
  void set_size(MPI_Offset bytes);
  void preallocate(MPI_Offset bytes);
  MPI_Offset size() const;
  void sync();
  void close();
  /// Sets whether an access that takes several system calls is seen either whole or not at all.
  void set_atomicity(bool atomic);
  bool atomic() const noexcept { return atomic_; }

  /// Each of these reads or writes elements at an offset, and returns the number of bytes moved.
  std::size_t read(MPI_Offset offset, const typed_buffer& into);
  std::size_t write(MPI_Offset offset, const typed_buffer& from);

  // A position is the offset of the next access. Each rank has one, and all ranks share another.
  MPI_Offset position() const noexcept { return position_; }
  MPI_Offset advance(std::size_t bytes);
  /// Throws mpi_error for a sequential file.
  void require_random_access() const;
  void seek(MPI_Offset offset, int whence);
  MPI_Offset shared_position();
  MPI_Offset advance_shared(std::size_t bytes);
  /// Returns the offset of this rank's bytes, after those of all lower ranks; collective.
  MPI_Offset advance_ordered(std::size_t bytes);
  void seek_shared(MPI_Offset offset, int whence);

  /// The status that the first call of a split collective leaves for the second call; empty at
  /// other times.
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
  MPI_Offset shared_ = 0;  ///< the shared position, kept at rank 0
  std::unique_ptr<window> pointer_;
};

using file_ptr = std::shared_ptr<file>;

/// Returns the file of a handle; throws mpi_error for MPI_FILE_NULL.
const file_ptr& file_of(MPI_File handle);
/// The communicator whose error handler is MPI_FILE_NULL's.
const communicator_ptr& no_file();

/// Throws the MPI error that corresponds to a system error.
[[noreturn]] void throw_system_error(int error, const std::string& what);

/// Runs the body of a function for a file, whose error handler handles the errors.
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
