#pragma once
/// A shared_file is memory that all ranks of one machine can load from and store to.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace onehop::mpi_abi {

/// The file has no name. Other ranks find it among the open files of the rank that made it, so that
/// nothing is left behind if ranks die.
struct shared_file {
  std::int64_t process = 0, descriptor = -1;

  /// Makes a file of zeros. If that fails, no rank can map it.
  static shared_file make(std::size_t bytes);
  /// Returns the memory, or null if this process cannot map it.
  std::shared_ptr<std::byte> map(std::size_t bytes) const;
  /// Closes the file. The rank that made it calls this after all ranks have mapped it.
  void close() const;
};

}  // namespace onehop::mpi_abi
