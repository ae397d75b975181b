#include "mpi_fortran/arguments.hpp"

#include <cstring>
#include <mutex>
#include <set>
#include <string_view>
#include <unordered_set>

extern "C" {
// A program that includes mpif.h defines these as well, and the linker uses the program's for both.
alignas(32) int onehop_mpi_bottom_, onehop_mpi_in_place_, onehop_mpi_buffer_automatic_,
    onehop_mpi_unweighted_, onehop_mpi_weights_empty_, onehop_mpi_status_ignore_[8],
    onehop_mpi_statuses_ignore_[8];

int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Comm_remote_size(MPI_Comm comm, int* size);
int MPI_Comm_test_inter(MPI_Comm comm, int* flag);
int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Topo_test(MPI_Comm comm, int* kind);
int MPI_Cartdim_get(MPI_Comm comm, int* dimensions);
int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* count);
int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int* from, int* to, int* weighted);
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

namespace {

/// Each integer set as an attribute has a permanent address, since C may copy the address.
struct attribute_places {
  std::mutex lock;
  std::set<MPI_Aint> integers;
  std::unordered_set<const void*> places;
};
attribute_places& places() {
  static auto& all = *new attribute_places;
  return all;
}

}  // namespace

void* attribute_of(MPI_Aint number) {
  const std::lock_guard guard(places().lock);
  const MPI_Aint* const place = &*places().integers.insert(number).first;
  places().places.insert(place);
  return const_cast<MPI_Aint*>(place);
}
MPI_Aint integer_of(const void* attribute) {
  const std::lock_guard guard(places().lock);
  return places().places.contains(attribute) ? *static_cast<const MPI_Aint*>(attribute)
                                             : reinterpret_cast<MPI_Aint>(attribute);
}

types_of_each::types_of_each(const int* at, int count) {
  static std::mutex lock;
  static auto& kept = *new std::set<std::vector<MPI_Datatype>>;
  std::vector<MPI_Datatype> made(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = from_integer<MPI_Datatype>(at[i]);
  const std::lock_guard guard(lock);
  types_ = kept.insert(std::move(made)).first->data();
}

int ranks(int number) {
  const auto handle = from_integer<MPI_Comm>(number);
  int is_inter = 0, found = 0;
  MPI_Comm_test_inter(handle, &is_inter);
  if (is_inter != 0)
    MPI_Comm_remote_size(handle, &found);
  else
    MPI_Comm_size(handle, &found);
  return found;
}

namespace {

struct neighbours {
  int from = 0, to = 0;
};
/// A communicator without a topology has no neighbours here; the function that is called reports
/// it.
neighbours neighbours_of(int number) {
  const auto handle = from_integer<MPI_Comm>(number);
  int kind = 0, count = 0, rank = 0, weighted = 0;
  neighbours found;
  MPI_Topo_test(handle, &kind);
  if (kind == mpi_abi::topology_distributed_graph) {
    MPI_Dist_graph_neighbors_count(handle, &found.from, &found.to, &weighted);
  } else if (kind == mpi_abi::topology_cartesian) {
    MPI_Cartdim_get(handle, &count);
    found = {2 * count, 2 * count};
  } else if (kind == mpi_abi::topology_graph) {
    MPI_Comm_rank(handle, &rank);
    MPI_Graph_neighbors_count(handle, rank, &count);
    found = {count, count};
  }
  return found;
}

}  // namespace

int targets(int number) { return neighbours_of(number).to; }
int sources(int number) { return neighbours_of(number).from; }

}  // namespace onehop::mpi_fortran
