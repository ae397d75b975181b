#include "transport/mpi_p2p/region.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "transport/mpi/transport.hpp"

namespace onehop::mpi_p2p {

windows::~windows() {
  for (memory_id id = 0; id < by_id_.size(); ++id) withdraw(id);
}

memory_id windows::expose(std::span<const std::size_t> bytes_of_rank, int rank) {
  const auto id = static_cast<memory_id>(by_id_.size());
  by_id_.emplace_back();
  mpi::check_share("mpi_p2p", bytes_of_rank, rank);
  const std::size_t bytes = bytes_of_rank[static_cast<std::size_t>(rank)];
  if (bytes == 0) return id;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw resource_error(text("no memory for a window of ", bytes, " bytes on rank ", rank, ": ",
                              std::strerror(errno), "; take a smaller problem"));
  by_id_[id] = {{static_cast<std::byte*>(memory), bytes}, true};
  return id;
}

memory_id windows::expose_existing(std::span<std::byte> mine) {
  by_id_.push_back({mine, false});
  return static_cast<memory_id>(by_id_.size() - 1);
}

void windows::withdraw(memory_id id) noexcept {
  const share& gone = by_id_[id];
  if (gone.mapped) munmap(gone.memory.data(), gone.memory.size());
  by_id_[id] = {};
}

}  // namespace onehop::mpi_p2p
