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
