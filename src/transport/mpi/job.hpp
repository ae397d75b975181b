#pragma once
/// A job is what the transports over MPI serve: all processes of MPI, the ranks of a communicator
/// that the program has, or a group of either.

#include <mpi.h>

#include <memory>

#include "transport/module.hpp"
#include "transport/mpi/processes.hpp"

namespace onehop {

/// The module says these facts of itself.
extern "C" const module_facts onehop_module_facts;

}  // namespace onehop

namespace onehop::mpi {

/// A standing is what has become of a job; its groups share it.
struct standing {
  /// Other ranks may not come to finalising: it is left out unless they are there soon.
  bool doubtful = false;
  /// Other ranks will not come to finalising, or to what else takes all of them.
  bool broken = false;
  /// All ranks have failed together and will come to finalising after all, so that the launcher
  /// need not end any.
  bool failed_together = false;
};

struct job {
  MPI_Comm comm;  ///< communicator of onehop's own
  int rank, size;
  bool crowded;  ///< more ranks on this machine than it has cores
  int last_tag;  ///< the largest that messages may carry
  /// This counts the ranks that have said on `comm` that they leave.
  std::shared_ptr<int> farewells = std::make_shared<int>(0);
  std::shared_ptr<standing> state = std::make_shared<standing>();
  std::shared_ptr<const processes> neighbours = {};  ///< those of the job that was joined
};

/// Joins the MPI job, or the ranks of a communicator; collective there. Initialises MPI for the job
/// unless the program has; it is then finalised at exit. Throws usage_error when the launcher is
/// another MPI's, when this process has joined the job before, or for a communicator that cannot be
/// one; timeout_error when not all ranks join before the deadline. Where some do not even
/// initialise MPI, it ends the process with that message, since no call of MPI can be left.
job join_job(const module_request& request);

/// Makes a communicator of the ranks of `from` with the same colour, ordered by `where.rank`;
/// collective. It becomes that of `where`, and is null for a rank of the colour MPI_UNDEFINED.
void split_off(MPI_Comm from, int color, job& where);

}  // namespace onehop::mpi
