#pragma once
/// A context is a rank's membership of its job. All state belongs to a context, none is global, so
/// several ranks can live in one process.

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
/// usage_error there, and its end is not taken for the rank's.
class context {
 public:
  explicit context(std::shared_ptr<onehop::transport> transport);

  int rank() const noexcept;
  int size() const noexcept;
  /// Returns the name of the transport: "self", "shm", "mixed", "mpi_p2p", "mpi_rma", "adversary"
  /// or that of a virtual machine, as "virtual:apenet-v4".
  std::string_view transport() const noexcept;

  /// Returns a job of the ranks that give the same colour, numbered by key and, where keys are
  /// equal, in their order here; none for a negative colour or no colour. Collective. Windows, put
  /// chains, halos, streams and collectives work on it as on the whole, also on several groups at
  /// once, and a group can be split again. It inherits transport, clock and present deadline of the
  /// whole; when any rank of the job fails, waits in every group throw.
  ///
  /// The memory that groups share, a few pages for each rank, is freed at the first allocate,
  /// register_existing, commit or split of the whole after all ranks have dropped their groups and
  /// what they made of them. Throws, on every rank, resource_error where there is no room.
  std::optional<context> split(std::optional<int> color, int key = 0) const;

  /// Returns the number of this rank, or of another one of this context, in the job that was
  /// joined. Throws usage_error for a rank that is not there.
  int rank_in_job() const noexcept;
  int rank_in_job(int rank) const;

  /// Returns the time of the job's transport: the steady clock, or that of a virtual machine.
  std::chrono::steady_clock::time_point now() const noexcept;

  /// Tells the transport of work of this cost that the rank's program does outside onehop. On a
  /// virtual machine, time passes as its host takes for it, or its GPU where memory lies in
  /// devices: seconds + launches * launch + max(flops / rate, bytes / rate). Ranks of one node
  /// share their host's rates. On other transports the call does nothing, since the time has passed
  /// already.
  void work(const kernel_cost& cost) const;

  /// Returns the longest time any wait may last before it throws timeout_error: 60 s by default, or
  /// ONEHOP_DEADLINE_S of the environment.
  std::chrono::nanoseconds deadline() const noexcept;
  void set_deadline(std::chrono::nanoseconds deadline) const noexcept;

  /// Tells every other rank that this one gives up, with its reason. Their next wait throws
  /// peer_error carrying the reason. Safe to call from any state; never throws.
  void abandon(std::string_view reason) const noexcept;
  /// Returns, after abandon, whether this rank is to report the failure to the user. When several
  /// ranks of mpirun or srun fail together it is the lowest of them; onehop run chooses one itself.
  bool failed_first() const noexcept;

  /// Records from now on the starts, puts, waits, arrivals and collectives of this context and its
  /// copies; null ends the recording. Costs one comparison per call while off.
  void set_trace(std::shared_ptr<onehop::trace> recorder) const noexcept;
  /// Returns the recorder, or null while nothing is recorded.
  onehop::trace* trace() const noexcept;

 private:
  friend onehop::transport& transport_of(const context& ctx) noexcept;
  friend block_exchange& exchange_of(const context& ctx);
  friend sparse_router& router_of(const context& ctx);
  struct state;
  std::shared_ptr<state> state_;
};

/// Joins the job this process was started for, as told by the launcher's environment, or a job of
/// one rank when the environment names none. `transport` is "auto", "self", "shm", "mixed",
/// "mpi_p2p" or "mpi_rma"; "auto" takes self for one rank, shm for several ranks of onehop run, and
/// mixed for several ranks of mpirun or srun: shared memory among the ranks of each machine,
/// mpi_p2p between machines.
///
/// The transports over MPI are modules that are loaded when needed. They initialise MPI unless the
/// program has done so, and finalise it at exit if they have initialised it; a process joins once.
///
/// Throws usage_error for a transport that is unknown or does not fit the launcher, for a module
/// that is not there and for the launcher of another MPI; throws resource_error when the job's
/// shared memory cannot be mapped.
context join(std::string_view transport = "auto");

/// Runs `body` as `ranks` ranks on threads of this process, over the shm protocol on one mapping.
/// The first exception of any rank abandons the others and is rethrown here, once all have stopped.
void run_on_threads(int ranks, const std::function<void(context)>& body);

}  // namespace onehop
