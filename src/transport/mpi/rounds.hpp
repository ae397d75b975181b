#pragma once
/// The rounds of the control plane: every rank's message to every other, over plain messages, so
/// that a rank that has not come can be named.

#include <array>
#include <vector>

#include "transport/base/transport.hpp"
#include "transport/mpi/job.hpp"

namespace onehop::mpi {

class rounds {
 public:
  static constexpr std::size_t longest_bytes = 4080;

  explicit rounds(const job& where);
  ~rounds();
  rounds(const rounds&) = delete;
  rounds& operator=(const rounds&) = delete;

  void post(std::uint64_t tag, std::span<const std::byte> message);
  onehop::transport::posting posted(int rank);

 private:
  struct packet {
    std::uint64_t tag;
    std::array<std::byte, longest_bytes> data;
  };
  /// Of even and of odd rounds: those of one stay readable while the next is under way.
  struct bank {
    packet mine;
    std::vector<packet> theirs;
    std::vector<MPI_Request> sends, receives;  ///< null for this rank itself and once complete
  };

  const job& job_;
  std::uint64_t round_ = 0;
  std::array<bank, 2> banks_;
};

}  // namespace onehop::mpi
