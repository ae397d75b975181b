#pragma once
/// These wrappers turn errors of MPI calls into exceptions, and allow byte counts that exceed an
/// int.

#include <mpi.h>

#include <cstddef>
#include <string_view>

namespace onehop::mpi {

/// Throws error with MPI's own words for `code`.
[[noreturn]] void fail(int code, std::string_view call);

/// Fails when `code` is not MPI_SUCCESS.
inline void check(int code, std::string_view call) {
  if (code != MPI_SUCCESS) fail(code, call);
}

/// A byte_count is a number of bytes in the form that MPI takes. MPI-3 counts in int, so more than
/// 2 GiB travel as one element of a type of that length.
class byte_count {
 public:
  explicit byte_count(std::size_t bytes);
  ~byte_count();
  byte_count(const byte_count&) = delete;
  byte_count& operator=(const byte_count&) = delete;

  int count() const noexcept { return count_; }
  MPI_Datatype type() const noexcept { return type_; }

 private:
  int count_;
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace onehop::mpi
