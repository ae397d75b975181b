#pragma once
/// A shared_file is memory that ranks of one machine load from and store to.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace onehop::mpi_abi {

/// The file has no name: the other ranks find it among the open files of the one that has made it,
/// and nothing stays where ranks die.
struct shared_file {
  std::int64_t process = 0, descriptor = -1;

  /// Makes a file of zeros. Where that fails no rank can map it.
  static shared_file make(std::size_t bytes);
  /// Returns the memory, or null where this process cannot have it.
  std::shared_ptr<std::byte> map(std::size_t bytes) const;
  /// Called by the one that has made the file, once all have mapped it.
  void close() const;
};

}  // namespace onehop::mpi_abi
