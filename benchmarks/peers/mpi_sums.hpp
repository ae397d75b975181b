#pragma once
#include <mpi.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/peers/mpi_features.hpp"

namespace onehop::bench {

class mpi_allreduce {
 public:
  explicit mpi_allreduce(std::size_t doubles) : mine_(doubles) {}
  std::string name() const { return "allreduce"; }
  void sum(std::span<double> values) {
    mine_.assign(values.begin(), values.end());
    MPI_Allreduce(mine_.data(), values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
  }

 private:
  std::vector<double> mine_;
};

#if ONEHOP_PEER_HAS_MPI_4
class mpi_persistent_allreduce {
 public:
  explicit mpi_persistent_allreduce(std::size_t doubles) : mine_(doubles), total_(doubles) {
    MPI_Allreduce_init(mine_.data(), total_.data(), static_cast<int>(doubles), MPI_DOUBLE, MPI_SUM,
                       MPI_COMM_WORLD, MPI_INFO_NULL, &request_);
  }
  ~mpi_persistent_allreduce() {
    if (request_ != MPI_REQUEST_NULL) MPI_Request_free(&request_);
  }
  mpi_persistent_allreduce(mpi_persistent_allreduce&& other) noexcept
      : mine_(std::move(other.mine_)),
        total_(std::move(other.total_)),
        request_(std::exchange(other.request_, MPI_REQUEST_NULL)) {}

  std::string name() const { return "persistent"; }
  void sum(std::span<double> values) {
    mine_.assign(values.begin(), values.end());
    MPI_Start(&request_);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    std::copy(total_.begin(), total_.end(), values.begin());
  }

 private:
  std::vector<double> mine_, total_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};
#endif

}  // namespace onehop::bench
