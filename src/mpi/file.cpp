#include "mpi/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "mpi/collective.hpp"
#include "mpi/errors.hpp"
#include "mpi/external.hpp"
#include "mpi/split.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

const MPI_Datatype byte_handle = fixed<MPI_Datatype>(0x247);

error_class class_of_system(int error) {
  switch (error) {
    case ENOENT:
      return err_no_such_file;
    case EEXIST:
      return err_file_exists;
    case EACCES:
    case EPERM:
    case EBADF:
      return err_access;
    case EROFS:
      return err_read_only;
    case ENOSPC:
      return err_no_space;
    case EDQUOT:
      return err_quota;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
      return err_bad_file;
    default:
      return err_io;
  }
}

int flags_of(int mode) {
  int flags = O_CLOEXEC;
  const int ways = mode & (mode_read_only | mode_read_write | mode_write_only);
  if (ways == mode_read_only)
    flags |= O_RDONLY;
  else if (ways == mode_read_write)
    flags |= O_RDWR;
  else if (ways == mode_write_only)
    flags |= O_WRONLY;
  else
    throw mpi_error(err_amode, "the mode has not exactly one of reading, writing and both");
  if (ways == mode_read_only && (mode & (mode_create | mode_exclusive)) != 0)
    throw mpi_error(err_amode, "a file that is only read is not created");
  if (ways == mode_read_write && (mode & mode_sequential) != 0)
    throw mpi_error(err_amode, "a sequential file is not both read and written");
  if ((mode & mode_create) != 0) flags |= O_CREAT;
  if ((mode & mode_exclusive) != 0) flags |= O_EXCL;
  return flags;
}

}  // namespace

void throw_system_error(int error, const std::string& what) {
  throw mpi_error(class_of_system(error), text(what, ": ", std::strerror(error)));
}

// All ranks fail if one of them does.
void file::agree(int error, const char* what) {
  const auto worst = static_cast<int>(largest(comm_, static_cast<std::uint32_t>(error)));
  if (worst == 0) return;
  throw_system_error(error != 0 ? error : worst, text(what, " ", path_));
}

// The first rank creates the file, so that it exists when the others open it.
file::file(communicator_ptr comm, std::string path, int mode)
    : comm_(std::move(comm)), path_(std::move(path)), mode_(mode) {
  const int flags = flags_of(mode);
  const auto try_open = [&](int how) {
    descriptor_ = ::open(path_.c_str(), how, 0666);
    return descriptor_ < 0 ? errno : 0;
  };
  int error = comm_->rank() == 0 ? try_open(flags) : 0;
  broadcast(comm_, {&error, sizeof error, datatype_of(byte_handle)}, 0);
  if (comm_->rank() != 0 && error == 0) error = try_open(flags & ~(O_CREAT | O_EXCL));
  try {
    agree(error, "cannot open");
  } catch (...) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw;
  }
  view_ = {0, datatype_of(byte_handle), datatype_of(byte_handle), "native"};
  const communicator_ptr others = private_duplicate(comm_);
  pointer_ = std::make_unique<window>(
      others, flavor_create,
      window_part{token_of(&shared_), comm_->rank() == 0 ? MPI_Aint{sizeof shared_} : 0, 1});
  if ((mode & mode_append) == 0) return;
  seek(0, seek_end);
  seek_shared(0, seek_end);
}

file::~file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void file::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  barrier(*comm_);
  if ((mode_ & mode_delete_on_close) != 0 && comm_->rank() == 0) unlink(path_.c_str());
  barrier(*comm_);
}

void file::set_view(file_view view) {
  view_ = std::move(view);
  position_ = 0;
  barrier(*comm_);
  if (comm_->rank() == 0) shared_ = 0;
  barrier(*comm_);
}

void file::set_atomicity(bool atomic) {
  barrier(*comm_);
  atomic_ = atomic;
}

void file::set_size(MPI_Offset bytes) {
  if ((mode_ & mode_read_only) != 0) throw mpi_error(err_read_only, "the file is only read");
  if (bytes < 0) throw mpi_error(err_arg, text("the size is ", bytes));
  barrier(*comm_);
  const bool failed = comm_->rank() == 0 && ftruncate(descriptor_, bytes) != 0;
  agree(failed ? errno : 0, "cannot change the size of");
}

void file::preallocate(MPI_Offset bytes) {
  if (bytes < 0) throw mpi_error(err_arg, text("the size is ", bytes));
  const int error =
      comm_->rank() == 0 && bytes > size() ? posix_fallocate(descriptor_, 0, bytes) : 0;
  agree(error, "cannot make room for");
}

MPI_Offset file::size() const {
  struct stat seen {};
  if (fstat(descriptor_, &seen) != 0) throw_system_error(errno, path_);
  return seen.st_size;
}

void file::sync() {
  const int error = fsync(descriptor_) != 0 && errno != EINVAL ? errno : 0;
  agree(error, "cannot write");
}

namespace {

/// A range_lock locks the range of an atomic access against other ranks while it exists. Such an
/// access takes several system calls if the view has gaps, and even without gaps a read may see
/// half of a write.
class range_lock {
 public:
  range_lock(int descriptor, int kind, const file_view& view, MPI_Offset byte, std::size_t bytes)
      : descriptor_(bytes > 0 ? descriptor : -1) {
    if (bytes == 0) return;
    range_.l_type = static_cast<short>(kind);
    range_.l_whence = SEEK_SET;
    range_.l_start = view.place_of(byte);
    range_.l_len = view.place_of(byte + static_cast<MPI_Offset>(bytes) - 1) + 1 - range_.l_start;
    while (fcntl(descriptor_, F_OFD_SETLKW, &range_) != 0)
      if (errno != EINTR) throw_system_error(errno, "cannot lock a part of a file");
  }
  ~range_lock() {
    if (descriptor_ < 0) return;
    range_.l_type = F_UNLCK;
    fcntl(descriptor_, F_OFD_SETLK, &range_);
  }
  range_lock(const range_lock&) = delete;
  range_lock& operator=(const range_lock&) = delete;

 private:
  int descriptor_;
  struct flock range_ {};
};

/// A view describes the layout of memory, so numbers must have the same size in the file.
void require_convertible(const datatype& type, const file_view& view) {
  if (view.external() && external_bytes(type) != type.size())
    throw mpi_error(err_unsupported_datarep,
                    "a file in external32 takes no type with numbers of another size there");
}

}  // namespace

std::size_t file::read(MPI_Offset offset, const typed_buffer& into) {
  if ((mode_ & mode_write_only) != 0) throw mpi_error(err_access, "the file is only written");
  const std::size_t bytes = into.count * into.type->size();
  const MPI_Offset begin = view_.byte_of(offset, bytes);
  const range_lock lock(descriptor_, F_RDLCK, view_, begin, atomic_ ? bytes : 0);
  require_convertible(*into.type, view_);
  const bool is_run = is_run_of_host(*into.type, into.data) && !view_.external();
  std::vector<std::byte> copy(is_run ? 0 : bytes);
  std::byte* to = copy.empty() ? static_cast<std::byte*>(into.data) : copy.data();
  std::size_t done = 0;
  view_.for_each_run(begin, bytes, [&](MPI_Offset place, std::size_t run) {
    for (std::size_t got = 0; got < run;) {
      const ssize_t now =
          pread(descriptor_, to + done, run - got, place + static_cast<MPI_Offset>(got));
      if (now < 0 && errno == EINTR) continue;
      if (now < 0) throw_system_error(errno, "cannot read " + path_);
      if (now == 0) return false;
      got += static_cast<std::size_t>(now);
      done += static_cast<std::size_t>(now);
    }
    return true;
  });
  if (view_.external()) {
    const std::vector<std::byte> external(copy);
    from_external(external.data(), *into.type, copy);
  }
  if (!copy.empty()) into.type->unpack(std::span(copy).first(done), into.data);
  return done;
}

std::size_t file::write(MPI_Offset offset, const typed_buffer& from) {
  if ((mode_ & mode_read_only) != 0) throw mpi_error(err_read_only, "the file is only read");
  const std::size_t bytes = from.count * from.type->size();
  const MPI_Offset begin = view_.byte_of(offset, bytes);
  const range_lock lock(descriptor_, F_WRLCK, view_, begin, atomic_ ? bytes : 0);
  require_convertible(*from.type, view_);
  const bool is_run = is_run_of_host(*from.type, from.data) && !view_.external();
  std::vector<std::byte> copy(is_run ? 0 : bytes);
  if (!copy.empty()) from.type->pack(from.data, from.count, copy.data());
  if (view_.external()) {
    const std::vector<std::byte> packed(copy);
    to_external(packed, *from.type, copy.data());
  }
  const std::byte* data = copy.empty() ? static_cast<const std::byte*>(from.data) : copy.data();
  view_.for_each_run(begin, bytes, [&](MPI_Offset place, std::size_t run) {
    while (run > 0) {
      const ssize_t now = pwrite(descriptor_, data, run, place);
      if (now < 0 && errno == EINTR) continue;
      if (now < 0) throw_system_error(errno, "cannot write " + path_);
      run -= static_cast<std::size_t>(now);
      data += now;
      place += now;
    }
    return true;
  });
  return bytes;
}

MPI_Offset file::elements(std::size_t bytes) const {
  const std::size_t one = view_.etype->size();
  return static_cast<MPI_Offset>((bytes + one - 1) / one);
}

MPI_Offset file::advance(std::size_t bytes) {
  return std::exchange(position_, position_ + elements(bytes));
}

MPI_Offset file::sought(MPI_Offset now, MPI_Offset offset, int whence) const {
  MPI_Offset from = 0;
  if (whence == seek_current)
    from = now;
  else if (whence == seek_end)
    from = elements(static_cast<std::size_t>(view_.bytes_below(size())));
  else if (whence != seek_set)
    throw mpi_error(err_arg, text("no way to seek is ", whence));
  MPI_Offset position = 0;
  if (__builtin_add_overflow(from, offset, &position) || position < 0)
    throw mpi_error(err_arg, text("no position is ", offset, " from ", from));
  view_.byte_of(position, 0);
  return position;
}

void file::require_random_access() const {
  if ((mode_ & mode_sequential) != 0)
    throw mpi_error(err_unsupported_operation,
                    "the file is sequential: only its shared position is there");
}

void file::seek(MPI_Offset offset, int whence) {
  require_random_access();
  position_ = sought(position_, offset, whence);
}

// The shared position is a number at the first rank, which other ranks access through a window.
MPI_Offset file::add_shared(MPI_Offset step) {
  const datatype_ptr& number = datatype_of(fixed<MPI_Datatype>(0x203));
  MPI_Offset before = 0;
  pointer_->get_accumulate({&step, 1, number}, {&before, 1, number}, {0, 0, 1, number},
                           fixed<MPI_Op>(op_sum), nullptr);
  pointer_->flush(0);
  return before;
}

MPI_Offset file::shared_position() { return add_shared(0); }
MPI_Offset file::advance_shared(std::size_t bytes) { return add_shared(elements(bytes)); }

MPI_Offset file::advance_ordered(std::size_t bytes) {
  std::vector<MPI_Offset> all(static_cast<std::size_t>(comm_->size()));
  all[static_cast<std::size_t>(comm_->rank())] = elements(bytes);
  all_gather(comm_, std::as_writable_bytes(std::span(all)), sizeof(MPI_Offset));
  MPI_Offset begin = shared_;
  // After a rank has its position, it may advance the shared one before this rank continues.
  if (comm_->rank() == 0) shared_ = std::accumulate(all.begin(), all.end(), begin);
  broadcast(comm_, {&begin, sizeof begin, datatype_of(byte_handle)}, 0);
  return std::accumulate(all.begin(), all.begin() + comm_->rank(), begin);
}

void file::seek_shared(MPI_Offset offset, int whence) {
  require_random_access();
  const MPI_Offset there = sought(add_shared(0), offset, whence);
  barrier(*comm_);
  if (comm_->rank() == 0) shared_ = there;
  barrier(*comm_);
}

}  // namespace onehop::mpi_abi
