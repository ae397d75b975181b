#pragma once
/// Messages of buffered sends lie in memory of the library's; what the caller attaches says how
/// much.

#include <cstddef>
#include <list>
#include <memory>

#include "mpi/request.hpp"

namespace onehop::mpi_abi {

class send_buffer {
 public:
  /// Bytes of a message beside its own.
  static constexpr std::size_t overhead = 512;

  /// `base` is what detach gives back.
  send_buffer(void* base, std::size_t bytes);
  void* base() const noexcept { return base_; }
  std::size_t bytes() const noexcept { return bytes_; }

  /// Sends a copy of a message; throws mpi_error where there is no room left.
  void send(std::unique_ptr<request> one);
  /// Returns whether all messages have been sent, and forgets those that have.
  bool is_empty();
  void flush();

 private:
  void* base_;
  std::size_t bytes_;
  std::list<std::unique_ptr<request>> sent_;
};

// What callers do with the buffer of a communicator, of a session, or of all.
void attach(std::shared_ptr<send_buffer>& where, void* base, std::ptrdiff_t bytes);
/// Waits for the messages, and gives back the memory and its size.
std::ptrdiff_t detach(std::shared_ptr<send_buffer>& where, void* base);
void flush(const std::shared_ptr<send_buffer>& where);

}  // namespace onehop::mpi_abi

/// Defines the functions for the buffer of an object of one kind, whose handle is declared last, or
/// of the process. with_buffer(handle, function, body) gives the body the buffer, and the
/// communicator of a request for it.
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
