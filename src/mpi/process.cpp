// How MPI begins and ends in a process, and what it tells about the process.

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <onehop/error.hpp>
#include <onehop/launch.hpp>
#include <onehop/machine.hpp>
#include <utility>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "machine/caller.hpp"
#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/program_clock.hpp"
#include "mpi/send_buffer.hpp"
#include "mpi/state.hpp"
#include "mpi/words.hpp"
#include "transport/base/transport.hpp"

// These functions exist if onehop run has loaded libonehop_clock.so.
extern "C" [[gnu::weak]] void onehop_follow_time(onehop_time_to_follow);
extern "C" [[gnu::weak]] void onehop_take_host_name(const char*);

namespace onehop::mpi_abi {

process_state& state() noexcept {
  // This is never destroyed, since other libraries may call MPI while the process exits.
  static process_state& only = *new process_state;
  return only;
}

engine& running() {
  const process_state& here = state();
  if (here.messages) [[likely]]
    return *here.messages;
  throw mpi_error(err_other,
                  here.finalized ? "called after MPI_Finalize" : "called before MPI_Init");
}

// A program that reads the same time a thousand times in a row is waiting for the clock, or for its
// own memory. In virtual time neither changes while the rank only looks. From then on each look
// lets some time pass, as each unsuccessful MPI_Test does.
std::chrono::steady_clock::time_point look_at_clock(engine& messages) {
  static std::chrono::steady_clock::time_point seen;
  static int looks = 0;
  constexpr int most_looks = 1000;
  auto now = messages.job().now();
  looks = now == seen ? std::min(looks + 1, most_looks) : 0;
  if (looks == most_looks) {
    messages.look([] { return false; });
    now = messages.job().now();
  }
  return seen = now;
}

namespace {

double seconds_of(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

/// A program_time holds when the system's clocks began to show a program the time of a virtual
/// machine, and to which of its threads they show it.
struct program_time {
  pthread_t caller;
  std::chrono::steady_clock::time_point begin;
};
program_time& time_of_program() {
  static program_time only{};
  return only;
}
/// Returns the nanoseconds since MPI_Init. Returns -1 if the clock is read by this library, or by
/// another thread than the one that called MPI_Init, since both wait by the system's clock.
std::int64_t passed_for_program() {
  const program_time& seen = time_of_program();
  if (calls().is_mine() || pthread_equal(seen.caller, pthread_self()) == 0) return -1;
  auto now = seen.begin;
  guarded("a look at the system's clock", [&] { now = look_at_clock(running()); });
  return std::chrono::nanoseconds(now - seen.begin).count();
}
std::string node_name(const context& ctx) {
  if (is_virtual(ctx)) return text("node", node_of(ctx, ctx.rank()));
  return inspect_machine().host;
}

void show_time_of(const context& ctx) {
  if (!is_virtual(ctx) || onehop_follow_time == nullptr) return;
  time_of_program() = {pthread_self(), ctx.now()};
  onehop_follow_time(passed_for_program);
  onehop_take_host_name(node_name(ctx).c_str());
}

context join_job() {
  if (const auto place = launched_by_mpi(); place && place->size > 1)
    throw usage_error(text("another launcher started ", place->size,
                           " processes with onehop's libmpi_abi.so.1: start them with onehop run "
                           "-n ",
                           place->size, " --mpi -- PROGRAM"));
  return join();
}

/// Raises the thread level to the wanted one, as far as supported, and never lowers it. A rank of a
/// virtual machine has one time, which limits the level; there, calls are also locked against reads
/// of the system's clocks.
void allow(int wanted_level) {
  process_state& here = state();
  const int most = here.in_virtual_time ? thread_serialized : thread_multiple;
  here.thread_level = std::max<int>(here.thread_level, std::min(wanted_level, most));
  calls().share(here.thread_level == thread_multiple || here.in_virtual_time);
  if (here.thread_level >= thread_serialized) bits_of_threads = 0;
}

void initialize(int wanted_level) {
  process_state& here = state();
  if (here.messages && here.by_session) {
    allow(wanted_level);
    here.by_session = false;
    here.initialized = true;
    return;
  }
  if (here.finalized) throw mpi_error(err_other, "called after MPI_Finalize, which leaves the job");
  if (here.initialized) throw mpi_error(err_other, "called a second time");
  if (!here.job) here.job = join_job();
  const context& ctx = *here.job;
  here.messages = std::make_unique<engine>(ctx);
  std::vector<int> everyone(static_cast<std::size_t>(ctx.size()));
  for (int rank = 0; rank < ctx.size(); ++rank) everyone[static_cast<std::size_t>(rank)] = rank;
  here.world = std::make_shared<communicator>(everyone, ctx.rank(), 0);
  here.self = std::make_shared<communicator>(std::vector{ctx.rank()}, 0, 1);
  here.world->handle = fixed<MPI_Comm>(comm_world);
  here.self->handle = fixed<MPI_Comm>(comm_self);
  here.world->name = "MPI_COMM_WORLD";
  here.self->name = "MPI_COMM_SELF";
  here.main_thread = pthread_self();
  here.in_virtual_time = is_virtual(ctx);
  allow(wanted_level);
  show_time_of(ctx);
}

}  // namespace

void initialize_once(int wanted_level) {
  if (state().messages) return allow(wanted_level);
  initialize(wanted_level);
  state().by_session = true;
}

void end_messages() {
  process_state& here = state();
  engine& messages = running();
  if (here.buffer) here.buffer->flush();
  // Ranks may call MPI_Finalize and end their last session in different orders, but all must meet
  // in this barrier. So it belongs to MPI_Finalize on every rank.
  const named_function ending("MPI_Finalize");
  // All messages that ranks still send each other come before any rank says that it sends no more.
  barrier(*here.world);
  for (const std::string& line : messages.finish())
    std::fprintf(stderr, "onehop: rank %d: MPI_Finalize: %s\n", here.world->rank(), line.c_str());
  here.in_virtual_time = false;
  if (onehop_follow_time != nullptr) onehop_follow_time(nullptr);
  here.messages.reset();
  forget_devices();
}

namespace {

/// Ends MPI, except that open sessions continue.
void finalize() {
  process_state& here = state();
  running();
  if (!here.initialized || here.finalized) throw mpi_error(err_other, "called without MPI_Init");
  here.self->attributes.clear(here.self->handle);
  here.world->attributes.clear(here.world->handle);
  here.by_session = here.sessions > 0;
  if (!here.by_session) {
    end_messages();
    here.job.reset();
  }
  here.finalized = true;
}

}  // namespace

int node_of(const context& ctx, int rank) { return transport_of(ctx).node_of(rank).value_or(0); }

bool is_virtual(const context& ctx) noexcept { return ctx.transport().starts_with("virtual:"); }

}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Init(int*, char***) {
  return guarded(__func__, [] {
    initialize(thread_single);
    state().initialized = true;
  });
}

int MPI_Init_thread(int*, char***, int required, int* provided) {
  return guarded("MPI_Init_thread", [&] {
    initialize(required);
    state().initialized = true;
    if (provided != nullptr) *provided = state().thread_level;
  });
}

int MPI_Initialized(int* flag) {
  return at_any_time({__func__, flag}, [&] { *flag = state().initialized; });
}

int MPI_Finalized(int* flag) {
  return at_any_time({__func__, flag}, [&] { *flag = state().finalized; });
}

int MPI_Finalize(void) { return guarded("MPI_Finalize", finalize); }

int MPI_Query_thread(int* provided) {
  return at_any_time({__func__, provided}, [&] { *provided = state().thread_level; });
}

int MPI_Is_thread_main(int* flag) {
  return at_any_time({__func__, flag}, [&] {
    *flag = static_cast<int>(state().main_thread.load() == pthread_self());
  });
}

int MPI_Abort(MPI_Comm, int code) {
  std::fflush(nullptr);
  const int rank = state().world ? state().world->rank() : 0;
  std::fprintf(stderr, "onehop: rank %d: MPI_Abort was called with code %d\n", rank, code);
  // The launcher ends the other ranks when one has failed, but would take status 0 for a success.
  _exit((code & 0xff) == 0 ? 1 : code & 0xff);
}

double MPI_Wtime(void) {
  if (!state().in_virtual_time) return seconds_of(std::chrono::steady_clock::now());
  std::chrono::steady_clock::time_point now;
  guarded("MPI_Wtime", [&] { now = look_at_clock(running()); });
  return seconds_of(now);
}

double MPI_Wtick(void) { return 1e-9; }

int MPI_Get_version(int* major, int* minor) {
  return at_any_time({__func__, major, minor}, [&] {
    *major = version;
    *minor = subversion;
  });
}

int MPI_Get_library_version(char* words, int* length) {
  return at_any_time({__func__, words, length}, [&] {
    give_words("onehop " ONEHOP_VERSION ", MPI 5.0 ABI", words, length, 8192);
  });
}

int MPI_Get_processor_name(char* name, int* length) {
  return guarded({__func__, name, length}, [&] {
    give_words(node_name(running().job()), name, length, most_processor_name);
  });
}

int MPI_Alloc_mem(MPI_Aint bytes, MPI_Info hints, void* base) {
  return guarded({__func__, hints, base}, [&] {
    if (bytes < 0) throw mpi_error(err_arg, onehop::text("the size is ", bytes));
    constexpr std::size_t line = 64;
    void* const memory =
        aligned_alloc(line, (static_cast<std::size_t>(bytes) + line) / line * line);
    if (memory == nullptr)
      throw mpi_error(err_no_mem, onehop::text("there are no ", bytes, " bytes of memory left"));
    std::memcpy(base, &memory, sizeof memory);
  });
}

int MPI_Free_mem(void* base) {
  free(base);
  return success;
}

int MPI_Get_address(const void* location, MPI_Aint* address) {
  return at_any_time({__func__, address}, [&] { *address = reinterpret_cast<MPI_Aint>(location); });
}

MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint displacement) { return base + displacement; }
MPI_Aint MPI_Aint_diff(MPI_Aint first, MPI_Aint second) { return first - second; }
}
