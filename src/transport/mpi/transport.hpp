#pragma once
/// What the transports over MPI have in common: who takes part, the rounds, and what goes wrong.

#include "transport/base/transport.hpp"
#include "transport/mpi/job.hpp"
#include "transport/mpi/notices.hpp"
#include "transport/mpi/rounds.hpp"
#include "transport/mpi/sum.hpp"

namespace onehop::mpi {

class transport : public onehop::transport {
 public:
  explicit transport(const job& where) : job_(where), notices_(job_), rounds_(job_), sum_(job_) {}

  int rank() const noexcept override { return job_.rank; }
  int size() const noexcept override { return job_.size; }
  bool crowded() const noexcept override { return job_.crowded; }

  std::size_t round_bytes() const noexcept override { return rounds::longest_bytes; }
  void post(std::uint64_t tag, std::span<const std::byte> message) override {
    rounds_.post(tag, message);
  }
  posting posted(int rank) override { return rounds_.posted(rank); }

  bool begin_sum(std::span<const double> values) override {
    sum_.begin(values);
    return true;
  }
  std::span<const double> finished_sum() override { return sum_.finished(); }

  void poll() override { notices_.poll(); }
  void probe() override {
    notices_.check_processes();
    notices_.settle();
  }
  void doubt() noexcept override { mark_doubtful(); }
  bool left(int rank) const noexcept override { return notices_.left(rank); }
  void abandon(std::string_view reason) noexcept override { notices_.abandon(reason); }
  bool failed_first() const noexcept override { return notices_.failed_first(); }

 protected:
  const job& where() const noexcept { return job_; }

 private:
  job job_;
  notices notices_;
  rounds rounds_;
  sum sum_;
};

/// Throws resource_error for a share that this machine cannot hold.
void check_share(std::string_view transport, std::span<const std::size_t> bytes_of_rank, int rank);

}  // namespace onehop::mpi
