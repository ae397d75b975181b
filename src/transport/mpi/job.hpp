#pragma once
/// The transports over MPI serve a job. It consists of all processes of MPI, of the ranks of a
/// communicator that the program has, or of a group of either.

#include <mpi.h>

#include <memory>

#include "transport/module.hpp"
#include "transport/mpi/processes.hpp"

namespace onehop {

/// The library reads these facts when it loads the module.
extern "C" const module_facts onehop_module_facts;

}  // namespace onehop

namespace onehop::mpi {

/// A standing records the state of a job; its groups share it.
struct standing {
  /// Other ranks may not come to finalising, which is skipped unless they come soon.
  bool doubtful = false;
  /// Other ranks will not come to finalising, or to anything else that needs all of them.
  bool broken = false;
  /// All ranks have failed together and will come to finalising after all, so the launcher need not
  /// end any of them.
  bool failed_together = false;
};

struct job {
  MPI_Comm comm;  ///< communicator of onehop's own
  int rank, size;
  bool crowded;  ///< more ranks on this machine than it has cores
  int last_tag;  ///< the largest that messages may carry
  /// This counts the ranks that have announced on `comm` that they leave.
  std::shared_ptr<int> farewells = std::make_shared<int>(0);
  std::shared_ptr<standing> state = std::make_shared<standing>();
  std::shared_ptr<const processes> neighbours = {};  ///< those of the job that was joined
};

/// Joins the MPI job, or the ranks of a communicator; collective there. If the program has not
/// initialised MPI, this does so, and MPI is finalised at exit. Throws usage_error if the launcher
/// belongs to another MPI, this process has joined the job before, or the communicator is not
/// suitable. Throws timeout_error if not all ranks join before the deadline. If some ranks do not
/// even initialise MPI, this ends the process with that message, because no MPI call can be left.
job join_job(const module_request& request);

/// Makes a communicator of the ranks of `from` with the same colour, ordered by `where.rank`;
/// collective. Stores it in `where`; it is null for a rank of the colour MPI_UNDEFINED.
void split_off(MPI_Comm from, int color, job& where);

}  // namespace onehop::mpi
