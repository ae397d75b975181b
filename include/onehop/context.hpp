#pragma once
/// A context is a rank's membership of its job. All state belongs to a context and none is global,
/// so several ranks can live in one process.

#include <onehop/kernel_cost.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace onehop {

class block_exchange;
class sparse_router;
class trace;
class transport;

/// A context is a cheap handle and may be copied freely. One context serves one thread at a time;
/// two ranks in one process need two contexts. A forked child is not a rank: collectives throw
/// usage_error in it, and when the child ends, the rank does not count as ended.
class context {
 public:
  explicit context(std::shared_ptr<onehop::transport> transport);

  int rank() const noexcept;
  int size() const noexcept;
  /// Returns the name of the transport: "self", "shm", "mixed", "mpi_p2p", "mpi_rma", "adversary",
  /// or the name of a virtual machine, such as "virtual:apenet-v4".
  std::string_view transport() const noexcept;

  /// Returns a job of the ranks that pass the same colour. Its ranks are numbered by key, and by
  /// their order in this context where keys are equal. Returns nothing for a negative colour or no
  /// colour. Collective. Windows, put chains, halos, streams and collectives work on the new job as
  /// on the whole one, also on several groups at once, and a group can be split again. The group
  /// inherits the transport, the clock and the current deadline. If any rank of the job fails,
  /// waits in every group throw.
  ///
  /// The memory that the ranks of a group share, a few pages for each rank, is freed once all ranks
  /// have dropped the group and everything made from it, by the next allocate, register_existing,
  /// commit or split of the whole job. Throws resource_error on every rank if there is no room.
  std::optional<context> split(std::optional<int> color, int key = 0) const;

  /// Returns the number of this rank, or of a given rank of this context, in the job that was
  /// joined. Throws usage_error for a rank outside this context.
  int rank_in_job() const noexcept;
  int rank_in_job(int rank) const;

  /// Returns the time by the clock of the job's transport: the steady clock, or the clock of a
  /// virtual machine.
  std::chrono::steady_clock::time_point now() const noexcept;

  /// Tells the transport that this rank's program does work of this cost outside onehop. On a
  /// virtual machine, time then advances by what the work takes on its host, or on its GPU if
  /// memory lies in devices: seconds + launches * launch + max(flops / rate, bytes / rate). The
  /// ranks of one node share the rates of their host. On other transports the call does nothing,
  /// because the time has already passed.
  void work(const kernel_cost& cost) const;

  /// Returns the longest time that any wait may last before it throws timeout_error. The default is
  /// 60 s, or ONEHOP_DEADLINE_S if that is set in the environment.
  std::chrono::nanoseconds deadline() const noexcept;
  void set_deadline(std::chrono::nanoseconds deadline) const noexcept;

  /// Tells every other rank that this one gives up, and why. Their next wait throws peer_error with
  /// the reason. The call is safe in any state and never throws.
  void abandon(std::string_view reason) const noexcept;
  /// Returns, after abandon, whether this rank should report the failure to the user. If several
  /// ranks of mpirun or srun fail together, it is the lowest of them; onehop run makes this choice
  /// itself.
  bool failed_first() const noexcept;

  /// Starts recording the starts, puts, waits, arrivals and collectives of this context and its
  /// copies; null stops the recording. While recording is off, each call costs one comparison.
  void set_trace(std::shared_ptr<onehop::trace> recorder) const noexcept;
  /// Returns the recorder, or null if nothing is being recorded.
  onehop::trace* trace() const noexcept;

 private:
  friend onehop::transport& transport_of(const context& ctx) noexcept;
  friend block_exchange& exchange_of(const context& ctx);
  friend sparse_router& router_of(const context& ctx);
  struct state;
  std::shared_ptr<state> state_;
};

/// Joins the job for which this process was started, as the launcher's environment describes it, or
/// a job of one rank if the environment describes none. `transport` is "auto", "self", "shm",
/// "mixed", "mpi_p2p" or "mpi_rma". "auto" selects self for one rank, shm for several ranks of
/// onehop run, and mixed for several ranks of mpirun or srun: shared memory among the ranks of each
/// machine, and mpi_p2p between machines.
///
/// The transports over MPI are modules that are loaded when needed. They initialise MPI unless the
/// program has done so, and if they initialised it, they finalise it at exit. A process joins once.
///
/// Throws usage_error for a transport that is unknown or does not fit the launcher, for a missing
/// module, and if the launcher belongs to another MPI. Throws resource_error if the job's shared
/// memory cannot be mapped.
context join(std::string_view transport = "auto");

/// Runs `body` as `ranks` ranks on threads of this process, over the shm protocol on one mapping.
/// If any rank throws, the others are abandoned, and the first exception is rethrown here once all
/// ranks have stopped.
void run_on_threads(int ranks, const std::function<void(context)>& body);

}  // namespace onehop
