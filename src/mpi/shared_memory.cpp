#include "mpi/shared_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "mpi/blocks.hpp"
#include "mpi/errors.hpp"
#include "mpi/shared_file.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

/// Returns null at all ranks if one of them cannot have the memory.
std::shared_ptr<std::byte> map_for_all(const communicator_ptr& comm, std::size_t bytes) {
  shared_file file{};
  if (comm->rank() == 0) file = shared_file::make(bytes);
  const MPI_Datatype byte = fixed<MPI_Datatype>(0x247);
  broadcast(comm, {&file, sizeof file, datatype_of(byte)}, 0);
  std::shared_ptr<std::byte> memory = file.map(bytes);
  const bool failed = largest(comm, memory == nullptr ? 1 : 0) != 0;
  if (comm->rank() == 0) file.close();
  return failed ? nullptr : memory;
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
