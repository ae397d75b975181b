#pragma once
/// A request is a send, a receive or a collective that goes on.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mpi/abi.hpp"
#include "mpi/collective_call.hpp"
#include "mpi/datatype.hpp"
#include "mpi/device_memory.hpp"
#include "mpi/handles.hpp"

namespace onehop::mpi_abi {

class communicator;

/// An envelope is what messages and receives are matched by; a receive may leave the source and the
/// tag open.
struct envelope {
  std::uint32_t context;
  int source, tag;

  bool takes(const envelope& message) const noexcept {
    return context == message.context && (source == any_source || source == message.source) &&
           (tag == any_tag || tag == message.tag);
  }
};

/// A generalized_request is carried out by the caller, whose functions these are.
struct generalized_request {
  using query_function = int(void* extra, MPI_Status* status);
  using free_function = int(void* extra);
  using cancel_function = int(void* extra, int complete);
  query_function* query;
  free_function* freed;
  cancel_function* cancel;
  void* extra;
};

struct request {
  // Callers have handles of requests.
  static void* operator new(std::size_t);
  static void operator delete(void* one) noexcept;

  // These members say what the call asked for.
  bool sends = false, synchronous = false, persistent = false;
  std::shared_ptr<const communicator> comm;
  void* buffer = nullptr;
  std::size_t count = 0;
  datatype_ptr type;
  int peer = proc_null;   ///< rank in the communicator, or a wildcard
  int label = proc_null;  ///< how the message that a receive takes names its sender
  int tag = 0;
  std::uint32_t context = 0;
  collective_call call{};  ///< whose message it is
  /// Starts what is no message, such as a collective.
  std::function<void(request&)> begin;
  std::shared_ptr<generalized_request> user;         ///< null unless the caller carries it out
  std::shared_ptr<class partitioned_message> parts;  ///< null unless it goes in partitions

  // What has become of it.
  bool active = false;     ///< started, and not yet seen to be complete
  bool complete = false;   ///< a request that is not active is not complete either
  bool announced = false;  ///< a long message, which waits for its receive
  bool detached = false;   ///< freed by the caller while active; it is deleted when complete
  MPI_Status status{};
  error_class error = success;
  std::string why;  ///< the text of the error

  std::byte* data = nullptr;  ///< the bytes that travel, in the buffer or packed
  std::size_t bytes = 0;      ///< bytes of the message
  std::size_t moved = 0;      ///< bytes of a long message that were sent or received so far
  int world = 0;              ///< rank in the job of the one that it talks to
  std::uint64_t partner = 0;  ///< names the other side's request
  std::vector<std::byte> packed;
  staging staged{};  ///< packed bytes of a device's memory

  std::size_t room() const noexcept { return count * type->size(); }
  /// Lets `data` be the buffer where its elements are one run of bytes that the host reaches, and
  /// room for the packed bytes elsewhere, which this returns.
  bool packs();
  envelope wanted() const noexcept { return {context, label, tag}; }
};

inline void* request::operator new(std::size_t) { return pool_of<request>().take(); }
inline void request::operator delete(void* one) noexcept { pool_of<request>().give(one); }

/// Returns the request of a handle that a caller has not freed, and null where there is none.
inline request* known_request(MPI_Request handle) noexcept {
  request* const one = object_at<request>(handle);
  return one == nullptr || one->detached ? nullptr : one;
}
/// Returns the request of a handle; throws mpi_error for MPI_REQUEST_NULL, too.
request& request_of(MPI_Request handle);
/// Returns the request of a handle that is known not to be MPI_REQUEST_NULL.
inline request& request_at(MPI_Request handle) noexcept {
  return *reinterpret_cast<request*>(handle);
}
inline MPI_Request handle_of(request& of) noexcept { return reinterpret_cast<MPI_Request>(&of); }

/// Other ranks name objects of this process by their addresses.
template <class T>
std::uint64_t token_of(T* object) noexcept {
  return reinterpret_cast<std::uintptr_t>(object);
}
inline request& request_of(std::uint64_t token) noexcept {
  return *reinterpret_cast<request*>(static_cast<std::uintptr_t>(token));
}

/// The number of bytes received lies in the status where the standard leaves room.
void set_status(MPI_Status& status, int source, int tag, std::size_t bytes) noexcept;
void set_bytes(MPI_Status& status, std::size_t bytes) noexcept;
std::size_t bytes_in(const MPI_Status& status) noexcept;
void set_cancelled(MPI_Status& status, bool cancelled) noexcept;
bool is_cancelled(const MPI_Status& status) noexcept;
/// Returns what a wait for nothing gives.
MPI_Status empty_status() noexcept;
/// Copies a status to where the caller wants it, if anywhere; its error is left alone.
void give_status(MPI_Status* to, const MPI_Status& status) noexcept;

}  // namespace onehop::mpi_abi
