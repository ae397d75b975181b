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
#include "machine/caller.hpp"
#include "transport/mpi/calls.hpp"
#include "transport/mpi/library.hpp"
#include "transport/mpi/requests.hpp"

namespace onehop::mpi {
namespace {

// A process has one MPI whatever we do; these variables say what has become of it.
bool joined = false;
bool finalised = false;  ///< finalised by the program or at exit
std::uint32_t joined_after_forks = 0;
bool doubtful = false;
bool broken = false;
bool failed_together = false;
MPI_Comm joined_comm = MPI_COMM_NULL;
std::unique_ptr<const processes> neighbours;
std::vector<MPI_Win> open_windows;
std::vector<MPI_Comm> open_groups;

/// Returns whether all ranks are at their end. It is false when one has died, or, where other ranks
/// may not come, when not all come soon: MPI would wait for them for ever.
bool all_come_to_the_end() {
  using namespace std::chrono_literals;
  using clock = std::chrono::steady_clock;
  constexpr clock::duration patience = 1s, look_interval = 100ms;
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(joined_comm, &request) != MPI_SUCCESS) return false;
  const auto begin = clock::now();
  auto next_look = begin + look_interval;
  auto until = doubtful ? begin + patience : clock::time_point::max();
  for (int here = 0;;) {
    if (MPI_Test(&request, &here, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (here != 0) return true;
    const auto now = clock::now();
    if (now > until) return false;
    if (now > next_look) {
      next_look = now + look_interval;
      // What a rank sent before its end is on its way through the others.
      if (neighbours->next_ended(-1)) until = std::min(until, next_look);
    }
    if (now > begin + patience)
      std::this_thread::sleep_for(1ms);
    else
      sched_yield();
  }
}

/// Farewells to ranks that had gone already; networks complain of messages that nobody took.
bool take_one_left(MPI_Comm comm) {
  int came = 0, length = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &came, &status) != MPI_SUCCESS) return false;
  if (came == 0 || MPI_Get_count(&status, MPI_BYTE, &length) != MPI_SUCCESS) return false;
  std::vector<char> bytes(static_cast<std::size_t>(length));
  return MPI_Recv(bytes.data(), length, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm,
                  MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

void take_what_is_left(MPI_Comm comm) {
  while (take_one_left(comm)) {
  }
}

/// Returns the command line, as far as the kernel remembers it.
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

/// This is checked before MPI is initialised, which may not survive variables of another MPI's
/// launcher.
void check_family(const module_request& request) {
  if (request.place == nullptr || !request.place->launcher.ends_with("Open MPI")) return;
  if (!used_library().name.starts_with("Open MPI")) refuse_launcher(request, "");
}

void check_size(const module_request& request, int size) {
  if (request.place == nullptr || request.place->size == size) return;
  refuse_launcher(request, text(", for which this job has ", size));
}

/// MPI calls this at the beginning of MPI_Finalize, whoever calls that, as long as calls are
/// allowed.
int close_at_finalise(MPI_Comm, int, void*, void*) {
  give_back_all();
  // Ranks that failed may not have opened the same windows.
  if (!broken)
    for (MPI_Win& window : open_windows) {
      MPI_Win_unlock_all(window);
      MPI_Win_free(&window);
    }
  open_windows.clear();
  finalised = true;
  return MPI_SUCCESS;
}

void close_before_finalise() {
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_at_finalise, &key, nullptr),
        "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
}

extern "C" void finalise_at_exit() {
  if (mpi_is_gone()) return;
  if (broken && !failed_together) return;
  if (joined && !broken) {
    if (!all_come_to_the_end()) return;
    take_what_is_left(joined_comm);
    for (const MPI_Comm group : open_groups) take_what_is_left(group);
  }
  MPI_Finalize();
}

/// A watchdog ends the process unless it is destroyed before the deadline: a call of MPI that waits
/// for ranks which never call it cannot be left in another way.
class watchdog {
 public:
  watchdog(const module_request& request, std::string_view call)
      : waiting_([this, late = late_line(request, call), deadline = request.deadline] {
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

  static std::string late_line(const module_request& request, std::string_view call) {
    const std::string here = request.place == nullptr
                                 ? std::string("a rank")
                                 : text("rank ", request.place->rank, " of ", request.place->size);
    return text(here, " waited ", std::chrono::duration<double>(request.deadline).count(), " s in ",
                call,
                " for the other ranks to join: let every process of the job call join, or raise "
                "ONEHOP_DEADLINE_S");
  }

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread waiting_;
};

void initialise(const module_request& request) {
  int ready = 0;
  check(MPI_Initialized(&ready), "MPI_Initialized");
  if (ready != 0) return;
  check_family(request);
  const watchdog late(request, "MPI_Init");
  int provided = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
  std::atexit(finalise_at_exit);
}

/// What one rank sends must be what the other reads, which the headers alone decide.
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

/// Launchers may pin each rank to a core: what counts is the cores that the ranks of a machine have
/// together.
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

/// Returns a communicator of onehop's own, once all ranks have called this.
MPI_Comm duplicate_world(const module_request& request) {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Request asked = MPI_REQUEST_NULL;
  check(MPI_Comm_idup(MPI_COMM_WORLD, &own, &asked), "MPI_Comm_idup");
  const auto end = std::chrono::steady_clock::now() + request.deadline;
  for (int here = 0;;) {
    check(MPI_Test(&asked, &here, MPI_STATUS_IGNORE), "MPI_Test");
    if (here != 0) return own;
    if (std::chrono::steady_clock::now() > end) {
      mark_broken();
      throw timeout_error(watchdog::late_line(request, "MPI_Comm_idup"));
    }
    sched_yield();
  }
}

}  // namespace

job join_job(const module_request& request) {
  if (joined)
    throw usage_error(
        "this process joins its MPI job a second time: join once and keep the context");
  joined_after_forks = forks_behind_us;
  initialise(request);
  job result{};
  check(MPI_Comm_size(MPI_COMM_WORLD, &result.size), "MPI_Comm_size");
  check_size(request, result.size);
  result.comm = duplicate_world(request);
  check(MPI_Comm_set_errhandler(result.comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(result.comm, &result.rank), "MPI_Comm_rank");
  check_builds(result.comm, result.rank, result.size);
  int* last_tag = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(result.comm, MPI_TAG_UB, static_cast<void*>(&last_tag), &found),
        "MPI_Comm_get_attr");
  result.last_tag = found != 0 ? *last_tag : 32767;
  result.crowded = more_ranks_than_cores(result.comm);
  neighbours = std::make_unique<const processes>(result.comm);
  // By now all ranks have mapped the memory that MPI shares between them.
  unlink_mapped_memory();
  joined_comm = result.comm;
  close_before_finalise();
  joined = true;
  return result;
}

void note_opened(MPI_Win window) { open_windows.push_back(window); }
void note_freed(MPI_Win window) noexcept { std::erase(open_windows, window); }

MPI_Comm split_off(MPI_Comm from, int color, int key) {
  MPI_Comm group = MPI_COMM_NULL;
  check(MPI_Comm_split(from, color, key, &group), "MPI_Comm_split");
  if (group == MPI_COMM_NULL) return group;
  check(MPI_Comm_set_errhandler(group, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  open_groups.push_back(group);
  return group;
}
void free_group(MPI_Comm group, int& farewells) noexcept {
  using namespace std::chrono_literals;
  constexpr auto patience = 2s;
  int size = 0;
  if (group == MPI_COMM_NULL || mpi_is_gone() || MPI_Comm_size(group, &size) != MPI_SUCCESS) return;
  // What is under way when a communicator goes is an error of MPI, which ends the job.
  const auto end = std::chrono::steady_clock::now() + patience;
  while (farewells < size - 1 && std::chrono::steady_clock::now() < end)
    if (take_one_left(group))
      ++farewells;
    else
      sched_yield();
  if (farewells < size - 1) return;
  std::erase(open_groups, group);
  MPI_Comm_free(&group);
}

bool mpi_is_gone() noexcept { return finalised || joined_after_forks != forks_behind_us; }
void require_mpi() {
  if (finalised)
    throw usage_error(
        "this program has finalised MPI and goes on using a job that runs over it: let what uses "
        "onehop end before MPI_Finalize");
}

const processes& joined_processes() noexcept { return *neighbours; }

void mark_doubtful() noexcept { doubtful = true; }
void mark_broken() noexcept { broken = true; }
void mark_failed_together() noexcept { failed_together = true; }

}  // namespace onehop::mpi
