#pragma once
/// Partitioned communication. When a send is made, it tells its receive how many partitions it has,
/// so that sends and receives match in the order in which they are made. After that, each partition
/// of the send is a message of its own.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "mpi/messages.hpp"

namespace onehop::mpi_abi {

/// A partitioned_message is one side of the communication: a send, or a receive, whose partitions
/// may differ from the send's.
class partitioned_message {
 public:
  /// The arguments describe one partition.
  partitioned_message(const message_arguments& what, int partitions, bool sends);
  ~partitioned_message();
  partitioned_message(const partitioned_message&) = delete;
  partitioned_message& operator=(const partitioned_message&) = delete;

  /// Starts sending or receiving all partitions again.
  void begin();
  /// Returns the status of a receive after all partitions have arrived.
  MPI_Status finish();
  /// Sends the given partitions. Throws mpi_error unless the send is waiting for each of them.
  void ready(int first, int last);
  /// Returns whether a partition of a receive has arrived.
  bool has(int part) const;

 private:
  /// A greeting is the first message from a send to its receive.
  struct greeting {
    std::int32_t first_tag, partitions;
    std::uint64_t bytes;  ///< size of a partition
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
  std::size_t count_;  ///< elements per partition
  datatype_ptr type_;
  int peer_, tag_, partitions_;
  bool sends_;
  greeting greeting_{};
  request greeted_;
  std::deque<request> messages_;  ///< one for each partition of the send
  std::vector<bool> ready_;
};

}  // namespace onehop::mpi_abi
