#pragma once
/// The library stores messages of buffered sends in its own memory. The buffer that the caller
/// attaches only says how much.

#include <cstddef>
#include <list>
#include <memory>

#include "mpi/request.hpp"

namespace onehop::mpi_abi {

class send_buffer {
 public:
  /// Bytes per message in addition to its data.
  static constexpr std::size_t overhead = 512;

  /// `base` is the address that detach returns.
  send_buffer(void* base, std::size_t bytes);
  void* base() const noexcept { return base_; }
  std::size_t bytes() const noexcept { return bytes_; }

  /// Sends a copy of a message. Throws mpi_error if the buffer is full.
  void send(std::unique_ptr<request> one);
  /// Forgets messages that have been sent, and returns whether none is left.
  bool is_empty();
  void flush();

 private:
  void* base_;
  std::size_t bytes_;
  std::list<std::unique_ptr<request>> sent_;
};

// These functions attach, detach and flush the buffer of a communicator, a session or the process.
void attach(std::shared_ptr<send_buffer>& where, void* base, std::ptrdiff_t bytes);
/// Waits for the messages, then returns the buffer's address and size.
std::ptrdiff_t detach(std::shared_ptr<send_buffer>& where, void* base);
void flush(const std::shared_ptr<send_buffer>& where);

}  // namespace onehop::mpi_abi

/// Defines the buffer functions for one kind of object, whose handle is declared last, or for the
/// process. with_buffer(handle, function, body) passes to the body the buffer and the communicator
/// for its requests.
#define ONEHOP_BUFFER(Kind, suffix, ...)                                                          \
  int MPI_##Kind##_attach##suffix(__VA_ARGS__ __VA_OPT__(, ) void* base, int bytes) {             \
    return with_buffer(__VA_OPT__(handle, ) __func__,                                             \
                       [&](auto& kept, MPI_Comm) { attach(kept, base, bytes); });                 \
  }                                                                                               \
  int MPI_##Kind##_attach##suffix##_c(__VA_ARGS__ __VA_OPT__(, ) void* base, MPI_Count bytes) {   \
    return with_buffer(__VA_OPT__(handle, ) __func__,                                             \
                       [&](auto& kept, MPI_Comm) { attach(kept, base, bytes); });                 \
  }                                                                                               \
  int MPI_##Kind##_detach##suffix(__VA_ARGS__ __VA_OPT__(, ) void* base, int* bytes) {            \
    return with_buffer(__VA_OPT__(handle, ){__func__, base, bytes}, [&](auto& kept, MPI_Comm) {   \
      *bytes = static_cast<int>(detach(kept, base));                                              \
    });                                                                                           \
  }                                                                                               \
  int MPI_##Kind##_detach##suffix##_c(__VA_ARGS__ __VA_OPT__(, ) void* base, MPI_Count* bytes) {  \
    return with_buffer(__VA_OPT__(handle, ){__func__, base, bytes},                               \
                       [&](auto& kept, MPI_Comm) { *bytes = detach(kept, base); });               \
  }                                                                                               \
  int MPI_##Kind##_flush##suffix(__VA_ARGS__) {                                                   \
    return with_buffer(__VA_OPT__(handle, ) __func__, [](auto& kept, MPI_Comm) { flush(kept); }); \
  }                                                                                               \
  int MPI_##Kind##_iflush##suffix(__VA_ARGS__ __VA_OPT__(, ) MPI_Request* made) {                 \
    return with_buffer(__VA_OPT__(handle, ){__func__, made}, [&](auto& kept, MPI_Comm comm) {     \
      *made = request_for(comm, [kept] {                                                          \
        flush(kept);                                                                              \
        return empty_status();                                                                    \
      });                                                                                         \
    });                                                                                           \
  }
