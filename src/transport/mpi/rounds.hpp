#pragma once
/// The rounds of the control plane are an allgather by dissemination (Bruck et al., IEEE TPDS 8
/// (1997) 1143). In each step a rank sends what it has heard so far to up to radix - 1 others, so
/// that N ranks take ceil(log N / log radix) steps. Up to `radix` ranks hear each other directly,
/// so that a missing one can be named.

#include <span>
#include <vector>

#include "transport/base/bootstrap.hpp"
#include "transport/mpi/job.hpp"
#include "transport/mpi/requests.hpp"

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
  posting posted(int rank, int before) override;
  int heard_through(int rank) const noexcept override;

  /// The sum uses MPI's own non-blocking allreduce.
  bool begin_sum(std::span<const double> values) override;
  std::span<const double> finished_sum() override;

 private:
  static constexpr int radix = 16;

  /// A head precedes the message of each rank.
  struct head {
    std::uint64_t tag, bytes;
  };
  static constexpr std::size_t room_bytes = sizeof(head) + longest_bytes;

  /// Even and odd rounds each have a bank, so that the messages of one stay readable while the next
  /// is under way. A distance is counted from this rank upwards and around.
  struct bank {
    std::vector<std::byte> incoming;           ///< room for every rank's message, by distance
    std::vector<const head*> heard;            ///< by distance; null until it is in
    std::vector<MPI_Request> sends, receives;  ///< by distance of the other rank; most are null
    std::vector<std::vector<std::byte>> sent;  ///< the bytes that each later step sends
    std::size_t step = 0;                      ///< the one under way
    int known = 0;                             ///< ranks nearer than this are heard
    int missing = 0;                           ///< messages of the step under way
  };

  void give_back() noexcept override;
  int distance_of(int rank) const noexcept { return (rank - job_.rank + job_.size) % job_.size; }
  int at_distance(int distance) const noexcept { return (job_.rank + distance) % job_.size; }
  /// Returns how many messages travel together over this distance in a step that starts with
  /// `known`.
  int together(int known, int distance) const noexcept;

  void begin_step(bank& now);
  /// Returns this rank's own message, which the first step sends.
  std::span<const std::byte> own(const bank& now) const;
  /// Copies the messages of all ranks heard so far one after the other.
  std::span<const std::byte> gather(bank& now);
  /// Processes what has arrived over these distances in the current step. Returns whether the step
  /// has ended and the next one has begun.
  bool take_step(bank& now, int first, int last);
  void read(bank& now, int distance);

  const job& job_;
  std::vector<double> total_;  ///< the sum under way, kept at this address if a wait is given up
  MPI_Request sum_ = MPI_REQUEST_NULL;
  std::uint64_t round_ = 0;
  bank banks_[2];
  std::vector<std::size_t> ends_;  ///< those of the messages that a step sends
};

}  // namespace onehop::mpi
