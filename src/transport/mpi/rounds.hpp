#pragma once
/// The rounds of the control plane send every rank's message to every other over plain messages, so
/// that a rank that has not come can be named.

#include <array>
#include <vector>

#include "transport/base/bootstrap.hpp"
#include "transport/mpi/job.hpp"
#include "transport/mpi/requests.hpp"
#include "transport/mpi/sum.hpp"

namespace onehop::mpi {

class rounds final : public bootstrap, private request_holder {
 public:
  static constexpr std::size_t longest_bytes = 4080;

  explicit rounds(const job& where);
  ~rounds() override;
  rounds(const rounds&) = delete;
  rounds& operator=(const rounds&) = delete;

  std::size_t round_bytes() const noexcept override { return longest_bytes; }
  void post(std::uint64_t tag, std::span<const std::byte> message) override;
  posting posted(int rank) override;

  bool begin_sum(std::span<const double> values) override {
    sum_.begin(values);
    return true;
  }
  std::span<const double> finished_sum() override { return sum_.finished(); }

 private:
  void give_back() noexcept override;
  struct packet {
    std::uint64_t tag;
    std::array<std::byte, longest_bytes> data;
  };
  /// Even and odd rounds have a bank each: those of one stay readable while the next is under way.
  struct bank {
    packet mine;
    std::vector<packet> theirs;
    std::vector<MPI_Request> sends, receives;  ///< requests by rank; null for this rank itself and
                                               ///< once complete
  };

  const job& job_;
  sum sum_;
  std::uint64_t round_ = 0;
  std::array<bank, 2> banks_;
};

}  // namespace onehop::mpi
