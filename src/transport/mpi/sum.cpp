#include "transport/mpi/sum.hpp"

#include <limits>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "transport/mpi/calls.hpp"
#include "transport/mpi/ending.hpp"
#include "transport/mpi/job.hpp"

namespace onehop::mpi {

void sum::begin(std::span<const double> values) {
  require_mpi();
  if (values.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw usage_error(text("sum of ", values.size(),
                           " numbers in fast order, more than MPI counts: "
                           "sum them in parts or in fixed order"));
  total_.assign(values.begin(), values.end());
  check(MPI_Iallreduce(MPI_IN_PLACE, total_.data(), static_cast<int>(total_.size()), MPI_DOUBLE,
                       MPI_SUM, job_.comm, &request_),
        "MPI_Iallreduce");
}

std::span<const double> sum::finished() {
  int here = 0;
  check(MPI_Test(&request_, &here, MPI_STATUS_IGNORE), "MPI_Test");
  return here == 0 ? std::span<const double>() : std::span<const double>(total_);
}

}  // namespace onehop::mpi
