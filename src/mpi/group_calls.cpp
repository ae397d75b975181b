// The functions of the ABI for groups.

#include <algorithm>
#include <functional>
#include <span>

#include "base/text.hpp"
#include "mpi/communicator.hpp"
#include "mpi/errors.hpp"
#include "mpi/handles.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

using places = std::vector<int>;

/// Makes a group of some ranks, in the session of the group `from`.
void give(MPI_Group* made, std::vector<int> members, const group& from) {
  *made = members.empty()
              ? fixed<MPI_Group>(group_empty)
              : new_handle(std::make_shared<const group>(group{std::move(members), from.buffer}));
}

places checked_places(const group& of, const places& ranks) {
  for (auto one = ranks.begin(); one != ranks.end(); ++one) {
    if (*one < 0 || *one >= of.size())
      throw mpi_error(err_rank,
                      text("a group of ", counted(of.size(), "rank"), " has no rank ", *one));
    if (std::find(ranks.begin(), one, *one) != one)
      throw mpi_error(err_rank, text("rank ", *one, " is named twice"));
  }
  return ranks;
}

places listed(const group& of, int count, const int* ranks) {
  if (count < 0) throw mpi_error(err_count, text("the number of ranks is ", count));
  return checked_places(of, places(ranks, ranks + count));
}

/// Makes a list of ranks from ranges: each has a first rank, a last rank and a stride.
places ranged(const group& of, int count, const int (*ranges)[3]) {
  places ranks;
  for (int i = 0; i < count; ++i) {
    const int first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
    if (stride == 0) throw mpi_error(err_arg, "the stride of a range is 0");
    for (int rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride)
      ranks.push_back(rank);
  }
  return checked_places(of, ranks);
}

std::vector<int> included(const group& of, const places& ranks) {
  std::vector<int> members;
  for (const int rank : ranks) members.push_back(of.members[static_cast<std::size_t>(rank)]);
  return members;
}

std::vector<int> excluded(const group& of, const places& ranks) {
  std::vector<int> members;
  for (int rank = 0; rank < of.size(); ++rank)
    if (std::ranges::find(ranks, rank) == ranks.end())
      members.push_back(of.members[static_cast<std::size_t>(rank)]);
  return members;
}

/// Returns the members of the first group that are (or are not) in the second.
std::vector<int> members_in(const group& first, const group& second, bool wanted) {
  std::vector<int> members;
  for (const int world : first.members)
    if ((second.place_of(world) != undefined) == wanted) members.push_back(world);
  return members;
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Group_size(MPI_Group handle, int* size) {
  return guarded({__func__, size}, [&] { *size = group_of(handle)->size(); });
}

int MPI_Group_rank(MPI_Group handle, int* rank) {
  return guarded({__func__, rank},
                 [&] { *rank = group_of(handle)->place_of(running().job().rank()); });
}

int MPI_Group_translate_ranks(MPI_Group one, int count, const int* ranks, MPI_Group other,
                              int* translated) {
  return guarded({__func__, list_of{ranks, count}, list_of{translated, count}}, [&] {
    const group& from = *group_of(one);
    for (int i = 0; i < count; ++i) {
      if (ranks[i] == proc_null) {
        translated[i] = proc_null;
        continue;
      }
      const int rank = checked_places(from, {ranks[i]}).front();
      translated[i] = group_of(other)->place_of(from.members[static_cast<std::size_t>(rank)]);
    }
  });
}

int MPI_Group_compare(MPI_Group one, MPI_Group other, int* result) {
  return guarded({__func__, result}, [&] {
    const group &first = *group_of(one), &second = *group_of(other);
    const bool same = first.size() == second.size() &&
                      members_in(first, second, true).size() == first.members.size();
    *result = first.members == second.members ? identical : same ? similar : unequal;
  });
}

int MPI_Group_incl(MPI_Group handle, int count, const int* ranks, MPI_Group* made) {
  return guarded({__func__, list_of{ranks, count}, made}, [&] {
    const group& of = *group_of(handle);
    give(made, included(of, listed(of, count, ranks)), of);
  });
}

int MPI_Group_excl(MPI_Group handle, int count, const int* ranks, MPI_Group* made) {
  return guarded({__func__, list_of{ranks, count}, made}, [&] {
    const group& of = *group_of(handle);
    give(made, excluded(of, listed(of, count, ranks)), of);
  });
}

int MPI_Group_range_incl(MPI_Group handle, int count, int ranges[][3], MPI_Group* made) {
  return guarded({__func__, list_of{ranges, count}, made}, [&] {
    const group& of = *group_of(handle);
    give(made, included(of, ranged(of, count, ranges)), of);
  });
}

int MPI_Group_range_excl(MPI_Group handle, int count, int ranges[][3], MPI_Group* made) {
  return guarded({__func__, list_of{ranges, count}, made}, [&] {
    const group& of = *group_of(handle);
    give(made, excluded(of, ranged(of, count, ranges)), of);
  });
}

int MPI_Group_union(MPI_Group one, MPI_Group other, MPI_Group* made) {
  return guarded({__func__, made}, [&] {
    std::vector<int> members = group_of(one)->members;
    std::ranges::copy(members_in(*group_of(other), *group_of(one), false),
                      std::back_inserter(members));
    give(made, std::move(members), *group_of(one));
  });
}

int MPI_Group_intersection(MPI_Group one, MPI_Group other, MPI_Group* made) {
  return guarded({__func__, made}, [&] {
    give(made, members_in(*group_of(one), *group_of(other), true), *group_of(one));
  });
}

int MPI_Group_difference(MPI_Group one, MPI_Group other, MPI_Group* made) {
  return guarded({__func__, made}, [&] {
    give(made, members_in(*group_of(one), *group_of(other), false), *group_of(one));
  });
}

int MPI_Group_free(MPI_Group* handle) {
  return guarded({__func__, handle}, [&] {
    group_of(*handle);
    if (!is_fixed(*handle)) end_object(object_at<group_ptr>(*handle));
    *handle = fixed<MPI_Group>(group_null);
  });
}
}
