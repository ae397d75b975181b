#pragma once
/// Building blocks of collectives: their messages, and memory laid out according to a datatype.

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "mpi/operation.hpp"
#include "mpi/point_to_point.hpp"

namespace onehop::mpi_abi {

/// Returns the address of element `index`.
inline void* element_at(void* data, const datatype& type, std::ptrdiff_t index) noexcept {
  return static_cast<std::byte*>(data) + index * type.extent();
}

/// A working_buffer is memory for elements of a type, in the same layout as the caller's buffer.
class working_buffer {
 public:
  working_buffer(const datatype_ptr& type, std::size_t count);
  void* data() noexcept { return base_; }
  typed_buffer whole() noexcept { return {base_, count_, type_}; }

 private:
  datatype_ptr type_;
  std::size_t count_;
  std::vector<std::byte> memory_;
  std::byte* base_;
};

/// Copies elements to memory of equally many bytes, which may have another type.
void copy(const typed_buffer& from, const typed_buffer& to);

/// A collective_message is one send or receive within a collective. Messages between two ranks
/// match in order.
class collective_message {
 public:
  collective_message() = default;
  /// Waits until the message completes, since its request must not move before that.
  ~collective_message();
  collective_message(const collective_message&) = delete;
  collective_message& operator=(const collective_message&) = delete;

  void send(const communicator_ptr& comm, const typed_buffer& from, int to);
  void receive(const communicator_ptr& comm, const typed_buffer& into, int from);
  /// Throws mpi_error if the message has failed.
  void wait();

 private:
  request one_;
};

/// A message_round is a set of messages of one collective that are under way together.
class message_round {
 public:
  explicit message_round(const communicator_ptr& comm) : comm_(comm) {}

  void send(const typed_buffer& from, int to) { messages_.emplace_back().send(comm_, from, to); }
  void receive(const typed_buffer& into, int from) {
    messages_.emplace_back().receive(comm_, into, from);
  }
  /// Waits for all messages. Throws mpi_error if one has failed.
  void wait() {
    for (collective_message& one : messages_) one.wait();
  }

 private:
  const communicator_ptr& comm_;
  std::deque<collective_message> messages_;
};

/// These functions return when this rank's part is done.
void send_one(const communicator_ptr& comm, const typed_buffer& from, int to);
void receive_one(const communicator_ptr& comm, const typed_buffer& into, int from);
void exchange(const communicator_ptr& comm, const typed_buffer& out, int to, const typed_buffer& in,
              int from);

void broadcast(const communicator_ptr& comm, const typed_buffer& data, int root);

/// Describes values as a buffer of bytes.
typed_buffer bytes_of(std::span<std::byte> values);
template <class T>
typed_buffer bytes_of(std::span<T> values) {
  return bytes_of(std::as_writable_bytes(values));
}
/// Gives every rank of an intercommunicator the values that the first rank of the other group
/// supplies.
template <class T>
void hear_from_others(const communicator_ptr& comm, std::span<T> mine, std::span<T> theirs) {
  const communicator_ptr own = comm->own_group();
  if (own->rank() == 0) exchange(comm, bytes_of(mine), 0, bytes_of(theirs), 0);
  broadcast(own, bytes_of(theirs), 0);
}

/// A reduction_of holds what all ranks of a reduction agree on.
struct reduction_of {
  const operation& what;
  const datatype_ptr& type;
  MPI_Datatype handle;  ///< the handle by which a function of the caller knows the type
  std::size_t count;

  /// Replaces `inout` by `in` combined with `inout`.
  void combine(const void* in, void* inout) const { what.apply(in, inout, count, *type, handle); }
};
/// Combines the values of all ranks in rank order, in place. Rank 0 gets the result; the values at
/// other ranks are overwritten.
void reduce_to_first(const communicator_ptr& comm, const reduction_of& how, void* values);
/// Combines the values of all ranks in rank order, in place.
void all_reduce(const communicator_ptr& comm, const reduction_of& how, void* values);
/// Returns the largest number that any rank passes.
std::uint32_t largest(const communicator_ptr& comm, std::uint32_t mine);

/// Gathers `bytes` bytes from each rank at every rank. On entry `all` holds this rank's bytes in
/// their place.
void all_gather(const communicator_ptr& comm, std::span<std::byte> all, std::size_t bytes);

}  // namespace onehop::mpi_abi
