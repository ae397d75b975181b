#pragma once
/// A request is a send, a receive, a collective, or another operation in progress.

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

/// Messages and receives match by their envelopes. The envelope of a receive may have wildcards for
/// source and tag.
struct envelope {
  std::uint32_t context;
  int source, tag;

  bool takes(const envelope& message) const noexcept {
    return context == message.context && (source == any_source || source == message.source) &&
           (tag == any_tag || tag == message.tag);
  }
};

/// A generalized_request is completed by the caller, who supplies these functions.
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
  // Callers hold handles of requests.
  static void* operator new(std::size_t);
  static void operator delete(void* one) noexcept;

  // The members that follow describe the operation requested.
  bool sends = false, synchronous = false, persistent = false;
  std::shared_ptr<const communicator> comm;
  void* buffer = nullptr;
  std::size_t count = 0;
  datatype_ptr type;
  int peer = proc_null;   ///< rank in the communicator, or a wildcard
  int label = proc_null;  ///< how the message that a receive takes names its sender
  int tag = 0;
  std::uint32_t context = 0;
  collective_call call{};  ///< the call that the message belongs to
  /// Starts an operation other than a message, such as a collective.
  std::function<void(request&)> begin;
  std::shared_ptr<generalized_request> user;         ///< null unless it is a generalized request
  std::shared_ptr<class partitioned_message> parts;  ///< null unless it is partitioned

  // The members that follow describe the state of the operation.
  bool active = false;     ///< started, and not yet seen complete by the caller
  bool complete = false;   ///< never set while the request is inactive
  bool announced = false;  ///< a long message that waits for its receive
  bool detached = false;   ///< freed by the caller while active, and deleted when complete
  MPI_Status status{};
  error_class error = success;
  std::string why;  ///< the text of the error

  std::byte* data = nullptr;  ///< the bytes sent or received, either in the buffer or packed
  std::size_t bytes = 0;      ///< size of the message
  std::size_t moved = 0;      ///< bytes of a long message sent or received so far
  int world = 0;              ///< the partner's rank in the job
  std::uint64_t partner = 0;  ///< identifies the partner's request
  std::vector<std::byte> packed;
  staging staged{};  ///< packed bytes of device memory

  std::size_t room() const noexcept { return count * type->size(); }
  /// Points `data` to the buffer if its elements are one run of bytes that the host can access.
  /// Otherwise allocates space for the packed bytes and returns true.
  bool packs();
  envelope wanted() const noexcept { return {context, label, tag}; }
};

inline void* request::operator new(std::size_t) { return pool_of<request>().take(); }
inline void request::operator delete(void* one) noexcept { pool_of<request>().give(one); }

/// Returns the request of a handle, or null if the caller has freed it or it never existed.
inline request* known_request(MPI_Request handle) noexcept {
  request* const one = object_at<request>(handle);
  return one == nullptr || one->detached ? nullptr : one;
}
/// Returns the request of a handle; throws mpi_error for MPI_REQUEST_NULL, too.
request& request_of(MPI_Request handle);
/// Returns the request of a handle, which must not be MPI_REQUEST_NULL.
inline request& request_at(MPI_Request handle) noexcept {
  return *reinterpret_cast<request*>(handle);
}
inline MPI_Request handle_of(request& of) noexcept { return reinterpret_cast<MPI_Request>(&of); }

/// Other ranks identify objects of this process by address.
template <class T>
std::uint64_t token_of(T* object) noexcept {
  return reinterpret_cast<std::uintptr_t>(object);
}
inline request& request_of(std::uint64_t token) noexcept {
  return *reinterpret_cast<request*>(static_cast<std::uintptr_t>(token));
}

/// Stores the number of bytes received in the part of the status that the standard leaves to the
/// library.
void set_status(MPI_Status& status, int source, int tag, std::size_t bytes) noexcept;
void set_bytes(MPI_Status& status, std::size_t bytes) noexcept;
std::size_t bytes_in(const MPI_Status& status) noexcept;
void set_cancelled(MPI_Status& status, bool cancelled) noexcept;
bool is_cancelled(const MPI_Status& status) noexcept;
/// Returns the status for a wait that has no request.
MPI_Status empty_status() noexcept;
/// Copies a status to `to` unless that is null, except for the error.
void give_status(MPI_Status* to, const MPI_Status& status) noexcept;

}  // namespace onehop::mpi_abi
