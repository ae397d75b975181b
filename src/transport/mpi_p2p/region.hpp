#pragma once
/// On a transport whose targets receive, windows are memory of their own process only.

#include <span>
#include <vector>

#include "transport/base/transport.hpp"

namespace onehop::mpi_p2p {

class windows {
 public:
  windows() = default;
  ~windows();
  windows(const windows&) = delete;
  windows& operator=(const windows&) = delete;

  memory_id expose(std::span<const std::size_t> bytes_of_rank, int rank);
  memory_id expose_existing(std::span<std::byte> mine);
  void withdraw(memory_id id) noexcept;
  std::span<std::byte> local(memory_id id) const { return by_id_[id].memory; }

 private:
  struct share {
    std::span<std::byte> memory;
    bool mapped = false;  ///< mapped by this transport, and to be unmapped by it
  };
  std::vector<share> by_id_;  ///< shares by id, empty once withdrawn
};

}  // namespace onehop::mpi_p2p
