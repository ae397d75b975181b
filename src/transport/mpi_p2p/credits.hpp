#pragma once
/// Credits are empty messages by which targets tell their origins which exchange they have started.

#include <vector>

#include "transport/base/chain_plan.hpp"
#include "transport/mpi/job.hpp"
#include "transport/mpi/requests.hpp"

namespace onehop::mpi_p2p {

/// All puts from one rank to another need credit or none does, so one message serves them.
class credits final : mpi::request_holder {
 public:
  credits(const chain_plan& plan, const mpi::job& where, int tag);
  ~credits();
  credits(const credits&) = delete;
  credits& operator=(const credits&) = delete;

  /// Tells all origins. Returns false while the message before is still on its way to some; it is
  /// then called again.
  bool give(std::uint64_t exchange);
  void take_in();
  /// Returns the last exchange that `target` had started when credits were last taken in.
  std::uint64_t of(int target) const;

 private:
  void give_back() noexcept override;
  struct source {
    int rank;
    MPI_Request receive;
    std::uint64_t count;
  };
  struct sink {
    MPI_Request send;
    std::uint64_t count;
  };
  std::vector<source> targets_;
  std::vector<sink> origins_;
};

}  // namespace onehop::mpi_p2p
