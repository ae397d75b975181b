#pragma once
#include <span>
#include <vector>

#include "transport/mpi/job.hpp"

namespace onehop::mpi {

/// A sum is MPI's own allreduce, called in the form that does not block.
class sum {
 public:
  explicit sum(const job& where) : job_(where) {}

  /// Begins a sum; collective. The one before has finished.
  void begin(std::span<const double> values);
  /// Returns the sum, and nothing until it is there.
  std::span<const double> finished();

 private:
  const job& job_;
  std::vector<double> total_;  ///< kept at this address if a wait is given up
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace onehop::mpi
