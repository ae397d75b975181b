#include "mpi/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.hpp"

namespace onehop::mpi_abi {

shared_file shared_file::make(std::size_t bytes) {
  const int made = memfd_create("onehop", MFD_CLOEXEC);
  if (made >= 0 && ftruncate(made, static_cast<off_t>(bytes)) != 0) {
    ::close(made);
    return {getpid(), -1};
  }
  return {getpid(), made};
}

std::shared_ptr<std::byte> shared_file::map(std::size_t bytes) const {
  const std::string name = text("/proc/", process, "/fd/", descriptor);
  const int opened = descriptor < 0 ? -1 : open(name.c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) return nullptr;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  ::close(opened);
  if (memory == MAP_FAILED) return nullptr;
  return {static_cast<std::byte*>(memory), [bytes](std::byte* one) { munmap(one, bytes); }};
}

void shared_file::close() const {
  if (descriptor >= 0) ::close(static_cast<int>(descriptor));
}

}  // namespace onehop::mpi_abi
