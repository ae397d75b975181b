#include "transport/shm/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <onehop/error.hpp>
#include <onehop/machine.hpp>

#include "base/text.hpp"

namespace onehop::shm {
namespace {

using stores::control_block;

/// This is more than the memory of any machine for which the transport is meant, and fits within 47
/// bits of address space.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 44;
/// If possible, a segment has this many times the addresses of the memory that it may take. Groups
/// set ranges of addresses aside without knowing what they will use.
constexpr std::uint64_t most_addresses_per_byte = 16;
/// A limit on address space or file length may leave a segment fewer bytes than /dev/shm has, but
/// not fewer than this.
constexpr std::uint64_t least_bytes = std::uint64_t{64} << 20;

[[noreturn]] void refuse(const std::string& what, int code, std::string_view advice) {
  throw resource_error(text(what, ": ", std::strerror(code), "; ", advice));
}

/// On some systems /dev/shm does not support nameless files.
int open_and_unlink() {
  std::uint64_t secret[2];
  if (getrandom(secret, sizeof secret, 0) != sizeof secret)
    refuse("cannot get random bytes for a name in /dev/shm", errno, "use --ranks 1");
  char name[64];
  std::snprintf(name, sizeof name, "/onehop.%016llx%016llx",
                static_cast<unsigned long long>(secret[0]),
                static_cast<unsigned long long>(secret[1]));
  const int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd >= 0) shm_unlink(name);
  return fd;
}

int open_nameless() {
  // O_EXCL prevents the file from being given a name later.
  int fd = open("/dev/shm", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) fd = open_and_unlink();
  if (fd < 0)
    refuse("cannot create shared memory in /dev/shm", errno,
           "mount a tmpfs there that you may write, or use one rank");
  return fd;
}

std::uint64_t capacity_bytes() {
  const machine_facts facts = inspect_machine();
  // A tmpfs without a limit reports size 0.
  const std::uint64_t bytes = facts.shm_bytes > 0 ? facts.shm_bytes : facts.memory_bytes;
  return std::min(bytes, most_bytes) / stores::page_bytes * stores::page_bytes;
}

bool can_map(std::uint64_t bytes) {
  rlimit longest_file{};
  if (getrlimit(RLIMIT_FSIZE, &longest_file) == 0 && longest_file.rlim_cur < bytes) return false;
  constexpr int unused = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const found = mmap(nullptr, bytes, PROT_NONE, unused, -1, 0);
  if (found != MAP_FAILED) munmap(found, bytes);
  return found != MAP_FAILED;
}

std::uint64_t address_bytes() {
  std::uint64_t bytes = capacity_bytes() * most_addresses_per_byte;
  // A process may map a second segment, and needs addresses for the rest of its work.
  while (bytes > most_bytes || (bytes > least_bytes && !can_map(2 * bytes))) bytes /= 2;
  return bytes / stores::page_bytes * stores::page_bytes;
}

void fill(int fd, int ranks, std::size_t ring_bytes, std::size_t head, std::size_t tail) {
  const std::size_t control =
      control_block::bytes(ranks, ring_bytes) + control_block::round_up(head);
  const std::uint64_t capacity = std::max<std::uint64_t>(address_bytes(), control) + tail;
  if (ftruncate(fd, static_cast<off_t>(capacity)) != 0)
    refuse(text("cannot size shared memory to ", capacity, " bytes"), errno,
           "raise the limit on file size (ulimit -f)");
  reserve_pages(fd, 0, control);
  void* base = mmap(nullptr, control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED)
    refuse(text("cannot map ", control, " bytes of shared memory"), errno,
           "raise the limit on address space (ulimit -v)");
  control_block::create(static_cast<std::byte*>(base), ranks, capacity, ring_bytes);
  munmap(base, control);
}

}  // namespace

void reserve_pages(int fd, std::size_t offset, std::size_t bytes) {
  const machine_facts facts = inspect_machine();
  // The free space is checked first, because a reservation takes memory from others until it fails.
  int code = bytes > facts.shm_free_bytes && facts.shm_bytes > 0 ? ENOSPC : EINTR;
  while (code == EINTR)
    code = posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  if (code == 0) return;
  release_pages(fd, offset, bytes);
  refuse(text("no room for ", bytes, " bytes in /dev/shm, where ", facts.shm_free_bytes, " of ",
              facts.shm_bytes, " bytes are free"),
         code, space_advice);
}

void release_pages(int fd, std::size_t offset, std::size_t bytes) noexcept {
  // If holes cannot be punched, the pages stay until the job ends, which affects nothing else.
  fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
            static_cast<off_t>(bytes));
}

segment_mapping::segment_mapping(int fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size < static_cast<off_t>(sizeof(control_block)))
    throw usage_error(text("descriptor ", fd,
                           " is not a onehop segment: start the ranks with "
                           "onehop run, or unset ONEHOP_SEGMENT_FD"));
  bytes_ = static_cast<std::size_t>(info.st_size);
  fd_ = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (fd_ < 0) refuse("cannot duplicate a descriptor", errno, "raise the limit (ulimit -n)");
  void* base = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
  if (base == MAP_FAILED) {
    const int code = errno;
    close(fd_);
    refuse(text("cannot map the ", bytes_, " bytes of /dev/shm"), code,
           "raise the limit on address space (ulimit -v)");
  }
  base_ = static_cast<std::byte*>(base);
  try {
    check();
  } catch (...) {
    munmap(base_, bytes_);
    close(fd_);
    throw;
  }
}

segment_mapping::~segment_mapping() {
  munmap(base_, bytes_);
  close(fd_);
}

void segment_mapping::check() const {
  const control_block& block = control();
  if (block.magic != control_block::expected_magic)
    throw usage_error(
        "the shared memory of ONEHOP_SEGMENT_FD is not a onehop segment: start the ranks "
        "with onehop run");
  const std::string_view launcher(block.build.data());
  if (launcher != ONEHOP_BUILD)
    throw usage_error(text("the launcher is onehop ", launcher, ", this program has onehop ",
                           ONEHOP_BUILD, " (version and build): use the same build for both"));
  if (block.capacity != bytes_ || block.ranks < 1)
    throw usage_error(text("the segment says ", block.capacity, " bytes for ",
                           counted(block.ranks, "rank"), ", but has ", bytes_,
                           " bytes: start the job again"));
}

int create_segment(int ranks, std::size_t ring_bytes, std::size_t head, std::size_t tail) {
  if (ranks < 1 || ranks > stores::most_ranks)
    throw usage_error(text("a job of ", ranks, " ranks: give 1 to ", stores::most_ranks));
  const int fd = open_nameless();
  try {
    fill(fd, ranks, ring_bytes, head, tail);
  } catch (...) {
    close(fd);
    throw;
  }
  return fd;
}

}  // namespace onehop::shm

namespace onehop {

int create_segment(int ranks) {
  return shm::create_segment(ranks, stores::message_ring_bytes(ranks), 0, 0);
}

void mark_failed(int segment_fd, int rank, std::string_view reason) {
  shm::segment_mapping(segment_fd).control().failure.write(rank, reason);
}

std::optional<job_failure> first_failure(int segment_fd) {
  const shm::segment_mapping mapping(segment_fd);
  const stores::failure_record& failure = mapping.control().failure;
  if (!failure.is_written()) return std::nullopt;
  return job_failure{failure.rank, failure.reason.data()};
}

}  // namespace onehop
