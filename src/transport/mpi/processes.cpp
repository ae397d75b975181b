#include "transport/mpi/processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>

#include "transport/mpi/calls.hpp"

namespace onehop::mpi {
namespace {

struct located_process {
  boot_identity boot;
  process_identity process;

  bool sees(const located_process& other) const {
    return boot == other.boot && process.name_space == other.process.name_space;
  }
};

}  // namespace

processes::processes(MPI_Comm comm) {
  int rank = 0, size = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  const located_process mine{this_boot(), this_process()};
  std::vector<located_process> all(static_cast<std::size_t>(size));
  check(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm),
        "MPI_Allgather");
  for (int other = 0; other < size; ++other) {
    const located_process& there = all[static_cast<std::size_t>(other)];
    if (other != rank && mine.sees(there)) here_.push_back({other, there.process});
  }
}

std::optional<ended_process> processes::next_ended(int rank) const noexcept {
  const auto found = std::ranges::find_if(
      here_, [&](const neighbour& one) { return one.rank > rank && has_ended(one.process); });
  if (found == here_.end()) return std::nullopt;
  return ended_process{found->rank, found->process.number};
}

void unlink_mapped_memory() noexcept {
  constexpr std::string_view prefix = "/dev/shm/mpich_shm_";
  try {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      const std::size_t at = line.find(prefix);
      // If a name has been removed already, the kernel shows it followed by a word.
      if (at != line.npos && line.find(' ', at) == line.npos) unlink(line.c_str() + at);
    }
  } catch (const std::exception&) {
    // If the names cannot be read, they stay as long as MPICH leaves them.
  }
}

}  // namespace onehop::mpi
