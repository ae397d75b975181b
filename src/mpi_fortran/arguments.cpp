#include "mpi_fortran/arguments.hpp"

#include <cstring>
#include <string_view>

extern "C" {
// A program that includes mpif.h has these itself, and the linker takes the program's for both.
alignas(32) int onehop_mpi_bottom_, onehop_mpi_in_place_, onehop_mpi_buffer_automatic_,
    onehop_mpi_unweighted_, onehop_mpi_weights_empty_, onehop_mpi_status_ignore_[8],
    onehop_mpi_statuses_ignore_[8];

int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Comm_remote_size(MPI_Comm comm, int* size);
int MPI_Comm_test_inter(MPI_Comm comm, int* flag);
}

namespace onehop::mpi_fortran {

std::string trimmed(const char* from, std::size_t bytes) {
  const std::string_view all(from, bytes);
  const std::size_t first = all.find_first_not_of(' ');
  if (first == all.npos) return {};
  return std::string(all.substr(first, all.find_last_not_of(' ') + 1 - first));
}

text_out::~text_out() {
  const std::size_t come = std::min(std::strlen(text_.c_str()), bytes_);
  std::memcpy(to_, text_.data(), come);
  std::memset(to_ + come, ' ', bytes_ - come);
}

int types_of_ranks::ranks(int number) {
  const auto handle = from_integer<MPI_Comm>(number);
  int is_inter = 0, found = 0;
  MPI_Comm_test_inter(handle, &is_inter);
  if (is_inter != 0)
    MPI_Comm_remote_size(handle, &found);
  else
    MPI_Comm_size(handle, &found);
  return found;
}

}  // namespace onehop::mpi_fortran
