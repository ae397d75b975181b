#include "mpi/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/text.hpp"
#include "mpi/blocks.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

/// A shared_file has no name: the other ranks find it among the open files of the one that has made
/// it, and nothing stays where ranks die.
struct shared_file {
  std::int64_t process, descriptor;
};

shared_file make_file(std::size_t bytes) {
  const int made = memfd_create("onehop", MFD_CLOEXEC);
  if (made >= 0 && ftruncate(made, static_cast<off_t>(bytes)) != 0) {
    close(made);
    return {getpid(), -1};
  }
  return {getpid(), made};
}

void* map_file(const shared_file& file, std::size_t bytes) {
  const std::string name = text("/proc/", file.process, "/fd/", file.descriptor);
  const int opened = file.descriptor < 0 ? -1 : open(name.c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) return MAP_FAILED;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  close(opened);
  return memory;
}

}  // namespace

std::shared_ptr<void> share_memory(const communicator_ptr& comm, std::size_t bytes) {
  if (comm->size() > 1 && is_virtual(running().job()))
    throw mpi_error(err_rma_shared, "the ranks are on different nodes of a virtual machine");
  bytes = std::max<std::size_t>(bytes, 1);
  shared_file file{};
  if (comm->rank() == 0) file = make_file(bytes);
  const MPI_Datatype byte = fixed<MPI_Datatype>(0x247);
  broadcast(comm, {&file, sizeof file, datatype_of(byte)}, 0);
  void* const memory = map_file(file, bytes);
  const bool failed = largest(comm, memory == MAP_FAILED ? 1 : 0) != 0;
  if (comm->rank() == 0 && file.descriptor >= 0) close(static_cast<int>(file.descriptor));
  std::shared_ptr<void> owner(memory, [bytes](void* one) {
    if (one != MAP_FAILED) munmap(one, bytes);
  });
  if (failed)
    throw mpi_error(err_rma_shared, text("ranks cannot share ", bytes, " bytes of memory"));
  return owner;
}

}  // namespace onehop::mpi_abi
