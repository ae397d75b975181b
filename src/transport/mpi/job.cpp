#include "transport/mpi/job.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <onehop/error.hpp>
#include <onehop/machine.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/text.hpp"
#include "transport/mpi/calls.hpp"
#include "transport/mpi/ending.hpp"
#include "transport/mpi/library.hpp"

namespace onehop::mpi {
namespace {

/// Returns the command line as far as the kernel stores it.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  while (!words.empty() && words.back() == '\0') words.pop_back();
  for (char& letter : words)
    if (letter == '\0') letter = ' ';
  return words.empty() ? "PROGRAM" : words;
}

[[noreturn]] void refuse_launcher(const module_request& request, std::string_view why) {
  const library& mine = used_library();
  std::string launcher = mine.launcher.empty() ? "mpirun" : mine.launcher;
  // srun supports all MPIs, each in its own way.
  if (request.place->launcher == "srun")
    launcher = mine.name.starts_with("Open MPI") ? "srun --mpi=pmix" : "srun --mpi=pmi2";
  throw usage_error(text(request.place->launcher, " started ", request.place->size,
                         " processes, but onehop runs over ", mine.name, why, ": start it with ",
                         launcher, " -n ", request.place->size, " ", command_line()));
}

/// This is checked before MPI is initialised, because variables of another MPI's launcher may crash
/// that.
void check_family(const module_request& request) {
  if (request.place == nullptr || !request.place->launcher.ends_with("Open MPI")) return;
  if (!used_library().name.starts_with("Open MPI")) refuse_launcher(request, "");
}

void check_size(const module_request& request, int size) {
  if (request.place == nullptr || request.place->size == size) return;
  refuse_launcher(request, text(", for which this job has ", size));
}

std::string late_line(const module_request& request, std::string_view here, std::string_view call) {
  return text(here, " waited ", std::chrono::duration<double>(request.deadline).count(), " s in ",
              call, " for the other ranks to join: let every process of the ",
              request.communicator ? "communicator" : "job",
              " call join, or raise ONEHOP_DEADLINE_S");
}

/// Returns the launcher's name for this process.
std::string name_of_place(const launcher_place* place) {
  return place == nullptr ? "a rank" : text("rank ", place->rank, " of ", place->size);
}

/// A watchdog ends the process unless it is destroyed before the deadline. There is no other way
/// out of an MPI call that waits for ranks which never make it.
class watchdog {
 public:
  watchdog(std::chrono::nanoseconds deadline, std::string late)
      : waiting_([this, late = std::move(late), deadline] {
          std::unique_lock lock(mutex_);
          if (over_.wait_for(lock, deadline, [this] { return done_; })) return;
          std::fputs(("onehop: " + late + "\n").c_str(), stderr);
          std::_Exit(2);
        }) {}
  ~watchdog() {
    {
      const std::scoped_lock lock(mutex_);
      done_ = true;
    }
    over_.notify_one();
    waiting_.join();
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread waiting_;
};

/// Initialises MPI unless the program has done so.
void initialise(const module_request& request) {
  int ready = 0;
  check(MPI_Initialized(&ready), "MPI_Initialized");
  if (ready != 0) return;
  check_family(request);
  const watchdog late(request.deadline,
                      late_line(request, name_of_place(request.place), "MPI_Init"));
  int provided = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
  std::atexit(finalise_at_exit);
}

/// Returns the communicator of all processes of MPI.
MPI_Comm find_world(const module_request& request) {
  initialise(request);
  int size = 0;
  check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  check_size(request, size);
  return MPI_COMM_WORLD;
}

MPI_Comm find_communicator(int number) {
  int ready = 0, has_two_groups = 0;
  check(MPI_Initialized(&ready), "MPI_Initialized");
  if (ready == 0)
    throw usage_error(text("join of a communicator: onehop runs over ", used_library().name,
                           ", which this program has not initialised; let it have one MPI"));
  const MPI_Comm found = MPI_Comm_f2c(number);
  if (found == MPI_COMM_NULL)
    throw usage_error(
        "join of MPI_COMM_NULL: only the ranks of a communicator join it, the others go on without "
        "onehop");
  check(MPI_Comm_test_inter(found, &has_two_groups), "MPI_Comm_test_inter");
  if (has_two_groups != 0)
    throw usage_error(
        "join of an intercommunicator, whose ranks are two groups: merge them with "
        "MPI_Intercomm_merge");
  return found;
}

/// One rank must send exactly what the other reads, and only the headers determine this.
void check_builds(MPI_Comm comm, int rank, int size) {
  using build = std::array<char, 160>;
  build mine{};
  std::string_view(onehop_module_facts.interface).copy(mine.data(), mine.size() - 1);
  std::vector<build> all(static_cast<std::size_t>(size));
  check(MPI_Allgather(mine.data(), sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm),
        "MPI_Allgather");
  const auto other = std::ranges::find_if(all, [&](const build& one) { return one != all[0]; });
  if (other == all.end()) return;
  const auto version = [](const build& one) {
    const std::string_view words(one.data());
    return words.substr(0, words.find(' '));
  };
  throw usage_error(text("rank ", other - all.begin(), " runs onehop ", version(*other),
                         ", built otherwise than onehop ", version(all[0]),
                         " of rank 0 (this is rank ", rank,
                         "): install the same build for all ranks"));
}

/// Launchers may pin each rank to one core. What counts is the set of cores that the ranks of a
/// machine have together.
int cores_of(MPI_Comm here) {
  cpu_set_t mine, all;
  CPU_ZERO(&mine);
  CPU_ZERO(&all);
  sched_getaffinity(0, sizeof mine, &mine);
  check(MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, here), "MPI_Allreduce");
  return CPU_EQUAL(&mine, &all) ? usable_cores() : CPU_COUNT(&all);
}

bool more_ranks_than_cores(MPI_Comm comm) {
  MPI_Comm here = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here),
        "MPI_Comm_split_type");
  int ranks = 0;
  check(MPI_Comm_size(here, &ranks), "MPI_Comm_size");
  const bool crowded = ranks > cores_of(here);
  check(MPI_Comm_free(&here), "MPI_Comm_free");
  return crowded;
}

/// Makes a communicator for onehop alone, once all ranks have called this.
void duplicate(MPI_Comm given, const module_request& request, job& joined) {
  MPI_Request asked = MPI_REQUEST_NULL;
  check(MPI_Comm_idup(given, &joined.comm, &asked), "MPI_Comm_idup");
  const auto end = std::chrono::steady_clock::now() + request.deadline;
  for (int here = 0;;) {
    check(MPI_Test(&asked, &here, MPI_STATUS_IGNORE), "MPI_Test");
    if (here != 0) break;
    if (std::chrono::steady_clock::now() > end) {
      joined.state->broken = true;
      joined.comm = MPI_COMM_NULL;
      note_job(joined);
      throw timeout_error(
          late_line(request, text("rank ", joined.rank, " of ", joined.size), "MPI_Comm_idup"));
    }
    sched_yield();
  }
  check(MPI_Comm_set_errhandler(joined.comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

int last_tag_of(MPI_Comm comm) {
  int* last_tag = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&last_tag), &found),
        "MPI_Comm_get_attr");
  return found != 0 ? *last_tag : 32767;
}

/// Makes a job of the ranks of a communicator; collective.
job open_job(MPI_Comm given, const module_request& request) {
  job joined{.comm = MPI_COMM_NULL, .rank = 0, .size = 0, .crowded = false, .last_tag = 0};
  check(MPI_Comm_rank(given, &joined.rank), "MPI_Comm_rank");
  check(MPI_Comm_size(given, &joined.size), "MPI_Comm_size");
  duplicate(given, request, joined);
  note_job(joined);
  check_builds(joined.comm, joined.rank, joined.size);
  joined.last_tag = last_tag_of(joined.comm);
  joined.crowded = more_ranks_than_cores(joined.comm);
  joined.neighbours = std::make_shared<const processes>(joined.comm);
  close_before_finalise();
  return joined;
}

}  // namespace

job join_job(const module_request& request) {
  static bool joined_all = false;
  if (joined_all && !request.communicator)
    throw usage_error(
        "this process joins its MPI job a second time: join once and keep the context");
  require_mpi();
  if (mpi_is_gone())
    throw usage_error("join in a process that was forked since it joined: leave it to the parent");
  note_caller();
  free_dropped_jobs();
  if (request.communicator) return open_job(find_communicator(*request.communicator), request);
  const job all = open_job(find_world(request), request);
  // By now all ranks have mapped the memory that MPI shares between them.
  unlink_mapped_memory();
  note_whole(all);
  joined_all = true;
  return all;
}

void split_off(MPI_Comm from, int color, job& where) {
  check(MPI_Comm_split(from, color, where.rank, &where.comm), "MPI_Comm_split");
  if (where.comm == MPI_COMM_NULL) return;
  check(MPI_Comm_set_errhandler(where.comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  note_job(where);
}

}  // namespace onehop::mpi
