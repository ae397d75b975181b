// These functions make communicators, which a replay makes again in the same order.

#include <numeric>
#include <vector>

#include "recorder/recording.hpp"

#define ONEHOP_ABI(name) name

extern "C" {
[[gnu::weak]] int PMPI_Comm_size(MPI_Comm comm, int* size);
[[gnu::weak]] int PMPI_Comm_rank(MPI_Comm comm, int* rank);
[[gnu::weak]] int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group);
[[gnu::weak]] int PMPI_Group_size(MPI_Group group, int* size);
[[gnu::weak]] int PMPI_Group_free(MPI_Group* group);
[[gnu::weak]] int PMPI_Group_translate_ranks(MPI_Group from, int count, const int* ranks,
                                             MPI_Group to, int* found);
[[gnu::weak]] int PMPI_Cartdim_get(MPI_Comm comm, int* dimensions);
}

namespace onehop::recorder {
namespace {

std::int64_t rank_in(MPI_Comm comm) {
  int rank = -1;
  if (mpi_abi::number_of(comm) != mpi_abi::comm_null) PMPI_Comm_rank(comm, &rank);
  return rank;
}

/// Returns the members of a group as ranks of the communicator from which it was taken.
std::vector<std::int64_t> members_of(MPI_Group group, MPI_Comm parent) {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> own(static_cast<std::size_t>(size)), found(own.size());
  std::iota(own.begin(), own.end(), 0);
  MPI_Group all = nullptr;
  PMPI_Comm_group(parent, &all);
  PMPI_Group_translate_ranks(group, size, own.data(), all, found.data());
  PMPI_Group_free(&all);
  return {found.begin(), found.end()};
}

std::vector<std::int64_t> members_of(MPI_Comm made, MPI_Comm parent) {
  if (mpi_abi::number_of(made) == mpi_abi::comm_null) return {};
  MPI_Group group = nullptr;
  PMPI_Comm_group(made, &group);
  std::vector<std::int64_t> found = members_of(group, parent);
  PMPI_Group_free(&group);
  return found;
}

std::vector<std::int64_t> list(int count, const int* numbers) { return {numbers, numbers + count}; }

/// Every line has the number of the new communicator (-1 for none) and this rank's number in it.
template <class... Rest>
void write_made(const call& seen, const char* kind, MPI_Comm parent, MPI_Comm made,
                const Rest&... rest) {
  write_event(seen, kind, parent, here().add_communicator(made), rank_in(made), rest...);
}

/// A split by type is recorded as the split that resulted where the program ran.
void write_split_type(const call& seen, MPI_Comm parent, MPI_Comm made) {
  const std::vector<std::int64_t> members = members_of(made, parent);
  const std::int64_t color = members.empty() ? mpi_abi::undefined : members.front();
  write_made(seen, "split", parent, made, color, rank_in(made));
}

void write_freed(const call& seen, MPI_Comm comm) {
  write_event(seen, "comm_free", comm);
  here().forget(comm);
}

int cartesian_dimensions(MPI_Comm comm) {
  int dimensions = 0;
  PMPI_Cartdim_get(comm, &dimensions);
  return dimensions;
}

}  // namespace
}  // namespace onehop::recorder

using namespace onehop::mpi_abi;
using namespace onehop::recorder;

extern "C" {

ONEHOP_RECORD(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made),
              write_made(seen, "dup", comm, *made))
ONEHOP_RECORD(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* made),
              (comm, info, made), write_made(seen, "dup", comm, *made))
ONEHOP_RECORD(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made),
              (comm, color, key, made), write_made(seen, "split", comm, *made, color, key))
ONEHOP_RECORD(MPI_Comm_split_type,
              (MPI_Comm comm, int kind, int key, MPI_Info info, MPI_Comm* made),
              (comm, kind, key, info, made), write_split_type(seen, comm, *made))
ONEHOP_RECORD(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made),
              (comm, group, made), write_made(seen, "create", comm, *made, members_of(group, comm)))
ONEHOP_RECORD(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made),
              (comm, group, tag, made),
              write_made(seen, "create_group", comm, *made, tag, members_of(group, comm)))
ONEHOP_RECORD(MPI_Cart_create,
              (MPI_Comm comm, int count, const int* extents, const int* periodic, int reorder,
               MPI_Comm* made),
              (comm, count, extents, periodic, reorder, made),
              write_made(seen, "cart", comm, *made, list(count, extents), list(count, periodic)))
ONEHOP_RECORD(MPI_Cart_sub, (MPI_Comm comm, const int* remains, MPI_Comm* made),
              (comm, remains, made),
              write_made(seen, "cart_sub", comm, *made, list(cartesian_dimensions(comm), remains)))

ONEHOP_RECORD_AFTER(const MPI_Comm before = *comm, MPI_Comm_free, (MPI_Comm * comm), (comm),
                    write_freed(seen, before))
ONEHOP_RECORD_AFTER(const MPI_Comm before = *comm, MPI_Comm_disconnect, (MPI_Comm * comm), (comm),
                    write_freed(seen, before))
}
