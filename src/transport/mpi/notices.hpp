#pragma once
/// By notices, ranks tell each other outside of rounds that they leave in good order, or that they
/// give up.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "transport/base/failure.hpp"
#include "transport/mpi/job.hpp"
#include "transport/mpi/requests.hpp"

namespace onehop::mpi {

class notices final : public failure, private request_holder {
 public:
  /// Notices of a group only say who leaves the group; failures are reported to the `whole`.
  explicit notices(const job& where, notices* whole = nullptr);
  /// Announces that this rank leaves, unless the job has failed.
  ~notices() override;
  notices(const notices&) = delete;
  notices& operator=(const notices&) = delete;

  /// Processes the notices that have arrived. Throws peer_error once a rank has given up.
  void poll() override;
  /// Throws if a rank on this machine has died; it cannot see deaths elsewhere.
  void probe() override;
  void timed_out(std::string_view) noexcept override { job_.state->doubtful = true; }
  bool left(int rank) const noexcept override { return left_[static_cast<std::size_t>(rank)]; }
  /// Tells all ranks, and waits briefly for others that fail at the same time.
  void abandon(std::string_view reason) noexcept override;
  /// Returns, after abandon, true on one rank: the lowest that had a reason of its own.
  bool failed_first() const noexcept override {
    return whole_ != nullptr ? whole_->failed_first() : own_ && first_failed_ == job_.rank;
  }

 private:
  void give_back() noexcept override;
  enum class kind : int { leaves, gives_up, follows };
  struct notice {
    kind what;
    std::array<char, 1000> reason;
  };

  /// Throws peer_error if a rank of this machine has died without saying why.
  void check_processes();
  /// Makes left() count the departures that have arrived so far. What those ranks sent earlier has
  /// arrived by the next look at it.
  void accept_departures();
  bool take_one();
  void note(const notice& came, int rank);
  void tell(kind what, std::string_view reason);
  bool all_ended() const;
  bool has_failed() const noexcept {
    return whole_ != nullptr ? whole_->has_failed() : !failure_.empty();
  }
  void hear_the_others();

  const job& job_;
  notices* whole_;  ///< null where this is the whole
  MPI_Request request_ = MPI_REQUEST_NULL;
  notice incoming_{}, outgoing_{};
  std::vector<MPI_Request> sends_;
  std::vector<char> leaving_, left_, ended_;
  int first_failed_ = -1;
  bool told_ = false, own_ = false;
  std::string failure_;
};

}  // namespace onehop::mpi
