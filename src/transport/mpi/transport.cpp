#include "transport/mpi/transport.hpp"

#include <onehop/machine.hpp>

#include "base/text.hpp"

namespace onehop::mpi {

void check_share(std::string_view transport, std::span<const std::size_t> bytes_of_rank, int rank) {
  const std::size_t wanted = bytes_of_rank[static_cast<std::size_t>(rank)];
  const std::size_t memory = inspect_machine().memory_bytes;
  if (wanted > memory)
    throw resource_error(text("rank ", rank, " wants ", wanted, " bytes for a window of the ",
                              transport, " transport, its machine has ", memory,
                              " bytes: take a smaller problem or more machines"));
}

}  // namespace onehop::mpi
