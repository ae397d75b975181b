#pragma once
/// What the conductor of a virtual machine owns: the network and whose turn it is.

#include <memory>
#include <onehop/kernel_cost.hpp>
#include <string>
#include <utility>
#include <vector>

#include "netsim/workload/dispatcher.hpp"
#include "netsim/workload/routes.hpp"
#include "transport/base/transport.hpp"
#include "transport/virtual/progress.hpp"

namespace onehop::virtual_machine {

/// A machine is what a job is run on.
struct machine {
  netsim::machine_description description;
  netsim::memory where = netsim::memory::host;  ///< memory of sources, whose processor's time
                                                ///< counts
  std::string variant = "direct";               ///< variant of the protocols
  netsim::memory windows = where;
};

/// Returns the number of ranks, one on each of the first nodes or as the machine places them.
/// Throws usage_error when there are fewer places.
int checked_count(int ranks, const machine& on);

/// A pause ends the pause of one rank when its time has come.
class pause final : public netsim::receiver {
 public:
  pause(scheduler& progress, int rank) : progress_(progress), rank_(rank) {}
  void begin(netsim::dispatcher& messages, picoseconds length);
  bool is_over() const noexcept { return is_over_; }
  /// Notes that something has come for the rank that it will not look at before its next wait.
  void note_news() noexcept { has_news_ = true; }
  /// Returns whether that was noted, or the rank woken while a pause lasted, since this was last
  /// asked.
  bool take_news() noexcept { return std::exchange(has_news_, false); }

  void source_free(std::uint32_t) override {}
  void delivered(std::uint32_t) override {}
  void reminded(std::uint32_t) override;

 private:
  scheduler& progress_;
  int rank_;
  bool is_over_ = true, has_news_ = false;
  std::uint64_t wakes_ = 0;  ///< number of the rank's wakes before the pause
};

/// A job is everything behind the transports of one run.
struct job {
  /// Throws usage_error as checked_count, and when the machine has no such protocols.
  job(int ranks, machine on);

  machine what;
  netsim::dispatcher messages;
  scheduler progress;
  netsim::routes ways;

  struct member {
    /// The pause lasts while the rank computes, or does something else that takes it some time by
    /// itself.
    virtual_machine::pause pause;
    bool has_kernels = false;  ///< the host has not waited for what the GPU does since it worked
    /// Stopped by its deadline: the others have until theirs to say whom they wait for.
    bool stalled = false;
  };
  std::vector<member> members;
  std::string failure;  ///< empty as long as nothing has failed
  std::string name;     ///< name of the transport

  int size() const noexcept { return static_cast<int>(members.size()); }
  member& at(int rank) { return members[static_cast<std::size_t>(rank)]; }
  void fail(std::string why);
  /// Returns how long such work of a rank takes on the processor that this job's memory belongs to:
  /// a GPU of its own, or its share of the host, whose ranks share the host's rates.
  picoseconds time_of(int rank, const kernel_cost& cost) const;
  /// Notes that a rank works, and returns how long it does.
  picoseconds begin_work(int rank, const kernel_cost& cost);
  /// Returns how long the host waits for its GPU before it sends what that has made: nothing where
  /// it has waited since.
  picoseconds drain(int rank);
};

/// Reports what the machine has done so far.
netsim::machine_accounts accounts_of(const job& what);

/// Returns how the message about a deadlock begins, which goes on with who waits for whom.
inline std::string nothing_under_way(const job& what) {
  return "virtual machine " + what.what.description.name + ": nothing is under way and ";
}

}  // namespace onehop::virtual_machine
