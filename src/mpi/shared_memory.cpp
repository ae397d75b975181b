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

/// Returns null at all ranks where one cannot have the memory.
std::shared_ptr<std::byte> map_for_all(const communicator_ptr& comm, std::size_t bytes) {
  shared_file file{};
  if (comm->rank() == 0) file = make_file(bytes);
  const MPI_Datatype byte = fixed<MPI_Datatype>(0x247);
  broadcast(comm, {&file, sizeof file, datatype_of(byte)}, 0);
  void* const memory = map_file(file, bytes);
  const bool failed = largest(comm, memory == MAP_FAILED ? 1 : 0) != 0;
  if (comm->rank() == 0 && file.descriptor >= 0) close(static_cast<int>(file.descriptor));
  if (memory == MAP_FAILED) return nullptr;
  std::shared_ptr<std::byte> owner(static_cast<std::byte*>(memory),
                                   [bytes](std::byte* one) { munmap(one, bytes); });
  return failed ? nullptr : owner;
}

bool are_on_one_node(const communicator& comm) {
  const context& job = running().job();
  return std::ranges::all_of(comm.members(), [&](int member) {
    return node_of(job, member) == node_of(job, comm.members().front());
  });
}

}  // namespace

std::shared_ptr<shared_parts> shared_parts::make(const communicator_ptr& comm, std::size_t mine,
                                                 std::size_t alignment) {
  if (!are_on_one_node(*comm)) return nullptr;
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(comm->size()));
  sizes[static_cast<std::size_t>(comm->rank())] = (mine + alignment - 1) / alignment * alignment;
  all_gather(comm, std::as_writable_bytes(std::span(sizes)), sizeof mine);
  std::vector<std::size_t> offsets;
  std::size_t all = line * sizes.size();
  for (const std::uint64_t size : sizes) {
    offsets.push_back(all);
    all += size;
  }
  auto made = std::make_shared<shared_parts>();
  made->memory_ = map_for_all(comm, all);
  if (!made->memory_) return nullptr;
  for (const std::size_t offset : offsets) made->begins_.push_back(made->memory_.get() + offset);
  return made;
}

}  // namespace onehop::mpi_abi
