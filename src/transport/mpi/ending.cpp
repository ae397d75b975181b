#include "transport/mpi/ending.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <onehop/error.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "machine/caller.hpp"
#include "transport/mpi/calls.hpp"
#include "transport/mpi/requests.hpp"
#include "transport/mpi/tags.hpp"

namespace onehop::mpi {
namespace {

struct open_window {
  MPI_Win handle;
  std::shared_ptr<const standing> state;  ///< state of its job
};

bool finalised = false;  ///< finalised by the program or at exit
bool calls_mpi = false;
std::uint32_t calls_after_forks = 0;

// These are never destroyed, because a program may finalise MPI at exit after the statics of this
// module have been destroyed.
std::optional<job>& whole = *new std::optional<job>;
std::vector<job>& open_jobs = *new std::vector<job>;
std::vector<open_window>& open_windows = *new std::vector<open_window>;

bool any_is(bool standing::*what) {
  return std::ranges::any_of(open_jobs, [&](const job& one) { return (*one.state).*what; });
}

/// Returns whether all ranks reach their end. It is false if one has died or, if other ranks may
/// not come, if not all come soon, because MPI would wait for them for ever.
bool all_come_to_the_end() {
  using namespace std::chrono_literals;
  using clock = std::chrono::steady_clock;
  constexpr clock::duration patience = 1s, look_interval = 100ms;
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(whole->comm, &request) != MPI_SUCCESS) return false;
  const auto begin = clock::now();
  auto next_look = begin + look_interval;
  auto until = any_is(&standing::doubtful) ? begin + patience : clock::time_point::max();
  for (int here = 0;;) {
    if (MPI_Test(&request, &here, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (here != 0) return true;
    const auto now = clock::now();
    if (now > until) return false;
    if (now > next_look) {
      next_look = now + look_interval;
      // A rank that has ended may have reached the barrier before, and its messages then travel
      // through other ranks. They are given one more interval.
      if (whole->neighbours->next_ended(-1)) until = std::min(until, next_look);
    }
    if (now > begin + patience)
      std::this_thread::sleep_for(1ms);
    else
      sched_yield();
  }
}

/// Receives what has arrived for a job that this rank has dropped, mostly farewells, because
/// networks complain about messages that were never received.
void take_what_is_left(const job& one) {
  for (MPI_Status status;;) {
    int came = 0, length = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, one.comm, &came, &status) != MPI_SUCCESS) return;
    if (came == 0 || MPI_Get_count(&status, MPI_BYTE, &length) != MPI_SUCCESS) return;
    std::vector<char> bytes(static_cast<std::size_t>(length));
    if (MPI_Recv(bytes.data(), length, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, one.comm,
                 MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return;
    if (status.MPI_TAG == tags::notice) ++*one.farewells;
  }
}

/// Returns whether all others have said that they leave. If messages are under way when a
/// communicator is freed, MPI reports an error that ends the process.
bool others_have_left(const job& one) {
  take_what_is_left(one);
  return *one.farewells >= one.size - 1;
}

/// MPI calls this at the beginning of MPI_Finalize, no matter who calls that, while calls are still
/// allowed.
int close_at_finalise(MPI_Comm, int, void*, void*) {
  give_back_all();
  for (open_window& window : open_windows) {
    // After a failure, ranks may not have opened the same windows.
    if (window.state->broken) continue;
    MPI_Win_unlock_all(window.handle);
    MPI_Win_free(&window.handle);
  }
  open_windows.clear();
  finalised = true;
  return MPI_SUCCESS;
}

}  // namespace

void note_job(const job& opened) { open_jobs.push_back(opened); }

void free_dropped_jobs() noexcept {
  if (mpi_is_gone()) return;
  std::erase_if(open_jobs, [](job& one) {
    // Transports share ownership of this count as long as they use the communicator.
    if (one.farewells.use_count() > 1 || one.state->broken || one.state->doubtful ||
        !others_have_left(one))
      return false;
    // All ranks must free it, but an MPI made for speed does not wait for them here.
    MPI_Comm_free(&one.comm);
    return true;
  });
}

void free_group(const job& group) noexcept {
  using namespace std::chrono_literals;
  constexpr auto patience = 2s;
  if (group.comm == MPI_COMM_NULL || mpi_is_gone()) return;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!others_have_left(group) && std::chrono::steady_clock::now() < end) sched_yield();
  if (!others_have_left(group)) return;
  std::erase_if(open_jobs, [&](const job& one) { return one.comm == group.comm; });
  MPI_Comm gone = group.comm;
  MPI_Comm_free(&gone);
}

void note_opened(MPI_Win window, const job& where) {
  open_windows.push_back({window, where.state});
}
void note_freed(MPI_Win window) noexcept {
  std::erase_if(open_windows, [&](const open_window& one) { return one.handle == window; });
}

void close_before_finalise() {
  static bool done = false;
  if (done) return;
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_at_finalise, &key, nullptr),
        "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  done = true;
}

void finalise_at_exit() {
  if (mpi_is_gone()) return;
  const bool some_fail_alone = std::ranges::any_of(
      open_jobs, [](const job& one) { return one.state->broken && !one.state->failed_together; });
  if (some_fail_alone) return;
  if (whole && !any_is(&standing::broken)) {
    if (!all_come_to_the_end()) return;
    for (const job& one : open_jobs) take_what_is_left(one);
  }
  MPI_Finalize();
}

void note_whole(const job& one) { whole = one; }

void note_caller() noexcept {
  calls_mpi = true;
  calls_after_forks = forks_behind_us;
}
bool mpi_is_gone() noexcept {
  return finalised || (calls_mpi && calls_after_forks != forks_behind_us);
}
void require_mpi() {
  if (finalised)
    throw usage_error(
        "this program has finalised MPI and goes on using a job that runs over it: let what uses "
        "onehop end before MPI_Finalize");
}

}  // namespace onehop::mpi
