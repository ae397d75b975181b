#pragma once
/// A message in partitions. A send tells its receive, when it is made, how many partitions it has,
/// so that both match in the order in which they are made. Then each partition of the send is a
/// message of its own.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "mpi/messages.hpp"

namespace onehop::mpi_abi {

/// A partitioned_message is one side of it: a send, or a receive, which may have other partitions.
class partitioned_message {
 public:
  /// The arguments are those of one partition.
  partitioned_message(const message_arguments& what, int partitions, bool sends);
  ~partitioned_message();
  partitioned_message(const partitioned_message&) = delete;
  partitioned_message& operator=(const partitioned_message&) = delete;

  /// Begins to send or to receive all partitions once more.
  void begin();
  /// Returns the status of a receive once all of them are through.
  MPI_Status finish();
  /// Lets partitions of a send leave; throws mpi_error unless it waits for each of them.
  void ready(int first, int last);
  /// Returns whether a partition of a receive is here.
  bool has(int part) const;

 private:
  /// A greeting is what a send tells its receive.
  struct greeting {
    std::int32_t first_tag, partitions;
    std::uint64_t bytes;  ///< bytes of a partition
  };
  void require_part(int part) const;
  std::size_t bytes() const noexcept { return count_ * type_->size(); }
  void greet();
  void expect_greeting();
  void describe_partition(int part);
  void start_receives();
  std::vector<missing_piece> missing() const;

  communicator_ptr comm_;
  void* data_;
  std::size_t count_;  ///< elements in a partition
  datatype_ptr type_;
  int peer_, tag_, partitions_;
  bool sends_;
  greeting greeting_{};
  request greeted_;
  std::deque<request> messages_;  ///< by partition of the send
  std::vector<bool> ready_;
};

}  // namespace onehop::mpi_abi
