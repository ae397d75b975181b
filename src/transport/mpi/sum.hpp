#pragma once
#include <span>
#include <vector>

#include "transport/mpi/job.hpp"

namespace onehop::mpi {

/// MPI's own sum, which does not block here.
class sum {
 public:
  explicit sum(const job& where) : job_(where) {}

  /// Collective. The one before has finished.
  void begin(std::span<const double> values);
  /// Empty until it is there.
  std::span<const double> finished();

 private:
  const job& job_;
  std::vector<double> total_;  ///< stays where it is if a wait is given up
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace onehop::mpi
