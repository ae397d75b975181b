#pragma once
/// These are the steps of collectives by MPI, both with new calls each time and persistent.

#include <mpi.h>

#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/carried.hpp"
#include "benchmarks/peers/mpi_features.hpp"

namespace onehop::bench {

using const_bytes = std::span<const std::byte>;
using bytes_to_fill = std::span<std::byte>;

struct mpi_broadcast {
  mpi_broadcast(int rank, const carried_blocks&) : rank(rank) {}
  std::string name() const { return "broadcast"; }
  void carry(const_bytes send, bytes_to_fill receive) const {
    if (rank == 0) std::memcpy(receive.data(), send.data(), send.size());
    MPI_Bcast(receive.data(), static_cast<int>(receive.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  int rank;
};

struct mpi_allgather {
  mpi_allgather(int, const carried_blocks&) {}
  std::string name() const { return "allgather"; }
  void carry(const_bytes send, bytes_to_fill receive) const {
    const auto count = static_cast<int>(send.size());
    MPI_Allgather(send.data(), count, MPI_BYTE, receive.data(), count, MPI_BYTE, MPI_COMM_WORLD);
  }
};

struct mpi_alltoall {
  mpi_alltoall(int, const carried_blocks& blocks)
      : count(static_cast<int>(blocks.sent.front().bytes)) {}
  std::string name() const { return "alltoall"; }
  void carry(const_bytes send, bytes_to_fill receive) const {
    MPI_Alltoall(send.data(), count, MPI_BYTE, receive.data(), count, MPI_BYTE, MPI_COMM_WORLD);
  }
  int count;
};

/// mpi_places contains counts and places of blocks that follow each other.
struct mpi_places {
  explicit mpi_places(const std::vector<carried_block>& blocks) {
    for (const carried_block& one : blocks) {
      offsets.push_back(counts.empty() ? 0 : offsets.back() + counts.back());
      counts.push_back(static_cast<int>(one.bytes));
    }
  }
  std::vector<int> counts, offsets;
};

/// In mpi_alltoallv all ranks know the counts from the beginning.
struct mpi_alltoallv {
  mpi_alltoallv(int, const carried_blocks& blocks) : sent(blocks.sent), received(blocks.received) {}
  std::string name() const { return "alltoallv"; }
  void carry(const_bytes send, bytes_to_fill receive) const {
    MPI_Alltoallv(send.data(), sent.counts.data(), sent.offsets.data(), MPI_BYTE, receive.data(),
                  received.counts.data(), received.offsets.data(), MPI_BYTE, MPI_COMM_WORLD);
  }
  mpi_places sent, received;
};

/// In mpi_counts_alltoallv the receivers must be told the counts, as if these changed from step to
/// step.
struct mpi_counts_alltoallv {
  mpi_counts_alltoallv(int rank, const carried_blocks& blocks) : known(rank, blocks) {}
  std::string name() const { return "counts-alltoallv"; }
  void carry(const_bytes send, bytes_to_fill receive) {
    MPI_Alltoall(known.sent.counts.data(), 1, MPI_INT, known.received.counts.data(), 1, MPI_INT,
                 MPI_COMM_WORLD);
    for (std::size_t i = 1; i < known.received.counts.size(); ++i)
      known.received.offsets[i] = known.received.offsets[i - 1] + known.received.counts[i - 1];
    known.carry(send, receive);
  }
  mpi_alltoallv known;
};

/// An mpi_barrier carries nothing.
class mpi_barrier final : public contender {
 public:
  std::string name() const override { return "barrier"; }
  std::size_t bytes() const override { return 0; }
  std::uint64_t wrong() const override { return 0; }
  void run(std::uint64_t steps) override {
    for (std::uint64_t n = 0; n < steps; ++n) MPI_Barrier(MPI_COMM_WORLD);
  }
  void run_checked(std::uint64_t steps) override { run(steps); }
};

struct mpi_reduce_scatter {
  explicit mpi_reduce_scatter(std::size_t) {}
  std::string name() const { return "reduce-scatter-block"; }
  void sum(std::span<const double> all, std::span<double> mine) const {
    MPI_Reduce_scatter_block(all.data(), mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE,
                             MPI_SUM, MPI_COMM_WORLD);
  }
};

}  // namespace onehop::bench
