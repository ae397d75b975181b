// The functions of the ABI that begin and end epochs of windows, and free windows.

#include <atomic>
#include <utility>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/handles.hpp"
#include "mpi/hints.hpp"
#include "mpi/split.hpp"
#include "mpi/state.hpp"
#include "mpi/window_functions.hpp"
#include "mpi/words.hpp"

namespace onehop::mpi_abi {

const window_ptr& window_of(MPI_Win handle) {
  running();
  if (const auto* const known = object_at<window_ptr>(handle)) return *known;
  throw mpi_error(err_win, number_of(handle) == win_null ? "the window is MPI_WIN_NULL"
                                                         : "no window has the handle");
}

MPI_Win new_handle(window_ptr made) {
  auto* const kept = keep_object(std::move(made));
  (*kept)->comm()->handle = reinterpret_cast<MPI_Comm>(kept);
  (*kept)->comm()->errors = {fixed<MPI_Errhandler>(errors_are_fatal)};
  return reinterpret_cast<MPI_Win>(kept);
}

void require_target(const window& here, int rank) {
  if (rank < 0 || rank >= here.comm()->size())
    throw mpi_error(err_rank, text("rank ", rank, " is none of the window's ",
                                   counted(here.comm()->size(), "rank")));
}

void require_memory(const void* base, MPI_Aint bytes) {
  if (base == nullptr && bytes > 0)
    throw mpi_error(err_buffer, text("the memory of ", bytes, " bytes is NULL"));
  if (bytes > 0 && on_device(*datatype_of(fixed<MPI_Datatype>(0x247)), base))
    throw mpi_error(err_buffer,
                    text("the memory of ", bytes,
                         " bytes is a device's, and windows are the host's: give such memory to "
                         "sends, receives, collectives, and as what is put or got"));
}

namespace {

/// Runs the body of a function for one target of a window. Does nothing for MPI_PROC_NULL.
template <class Body>
int guarded_target(MPI_Win handle, int rank, const char* function, Body&& body) noexcept {
  return guarded_window(handle, function, [&](window& here) {
    if (rank == proc_null) return;
    require_target(here, rank);
    body(here);
  });
}

}  // namespace

}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Win_create_dynamic(MPI_Info hints, MPI_Comm comm, MPI_Win* made) {
  return guarded(comm, {__func__, hints, made}, [&] {
    auto here = std::make_shared<window>(private_duplicate(one_group_of(comm)), flavor_dynamic,
                                         window_part{0, 0, 1});
    take_hints(here->comm()->hints, hints_in(hints), window_hints);
    *made = new_handle(std::move(here));
  });
}

// Nothing needs to be attached, since addresses reach all memory of the process.
int MPI_Win_attach(MPI_Win handle, void* base, MPI_Aint bytes) {
  return guarded_window(handle, __func__, [&](window&) { require_memory(base, bytes); });
}
int MPI_Win_detach(MPI_Win handle, const void*) {
  return guarded_window(handle, __func__, [](window&) {});
}

int MPI_Win_free(MPI_Win* handle) {
  return guarded({__func__, handle}, [&] {
    window& here = *window_of(*handle);
    here.end_epochs();
    here.comm()->attributes.clear(*handle);
    end_object(object_at<window_ptr>(*handle));
    *handle = fixed<MPI_Win>(win_null);
  });
}

int MPI_Win_set_name(MPI_Win handle, const char* name) {
  return guarded_window(handle, {__func__, name}, [&](window& here) { here.comm()->name = name; });
}
int MPI_Win_get_name(MPI_Win handle, char* name, int* length) {
  const entry call(__func__, name, length);
  if (number_of(handle) == win_null)
    return guarded(call, [&] { give_words("MPI_WIN_NULL", name, length, most_object_name); });
  return guarded_window(handle, call, [&](const window& here) {
    give_words(here.comm()->name, name, length, most_object_name);
  });
}
int MPI_Win_set_info(MPI_Win handle, MPI_Info hints) {
  return guarded_window(handle, __func__, [&](window& here) {
    take_hints(here.comm()->hints, hints_in(hints), window_hints);
  });
}
int MPI_Win_get_info(MPI_Win handle, MPI_Info* hints) {
  return guarded_window(handle, {__func__, hints}, [&](window& here) {
    *hints = new_handle(all_hints(here.comm()->hints, window_hints));
  });
}

int MPI_Win_set_errhandler(MPI_Win handle, MPI_Errhandler handler) {
  return guarded_window(handle, __func__,
                        [&](window& here) { here.comm()->errors = handler_at(handler); });
}
int MPI_Win_get_errhandler(MPI_Win handle, MPI_Errhandler* handler) {
  return guarded_window(handle, {__func__, handler},
                        [&](window& here) { *handler = handle_of(here.comm()->errors); });
}
int MPI_Win_call_errhandler(MPI_Win handle, int code) {
  const int wrong = guarded_window(handle, __func__, [](window&) {});
  if (wrong == success) guarded_window(handle, __func__, [&](window&) { throw_code(code); });
  return wrong;
}

int MPI_Win_get_group(MPI_Win handle, MPI_Group* made) {
  return guarded_window(handle, {__func__, made}, [&](const window& here) {
    *made = new_handle(std::make_shared<const group>(group{here.comm()->members()}));
  });
}

int MPI_Win_fence(int promises, MPI_Win handle) {
  return guarded_window(handle, __func__,
                        [&](window& here) { here.fence((promises & mode_no_succeed) == 0); });
}

int MPI_Win_lock(int kind, int rank, int promises, MPI_Win handle) {
  return guarded_target(handle, rank, __func__, [&](window& here) {
    here.lock(kind, rank, (promises & mode_no_check) == 0);
  });
}
int MPI_Win_unlock(int rank, MPI_Win handle) {
  return guarded_target(handle, rank, __func__, [&](window& here) { here.unlock(rank); });
}
int MPI_Win_lock_all(int promises, MPI_Win handle) {
  return guarded_window(handle, __func__,
                        [&](window& here) { here.lock_all((promises & mode_no_check) == 0); });
}
int MPI_Win_unlock_all(MPI_Win handle) {
  return guarded_window(handle, __func__, [](window& here) { here.unlock_all(); });
}

int MPI_Win_flush(int rank, MPI_Win handle) {
  return guarded_target(handle, rank, __func__, [&](window& here) {
    here.require_locked(rank);
    here.flush(rank);
  });
}
int MPI_Win_flush_all(MPI_Win handle) {
  return guarded_window(handle, __func__, [](window& here) {
    here.require_locked(-1);
    here.flush_all();
  });
}
// The origin's buffer was copied at once, but a rank that never waited for the target would fill
// its own memory with packets. So this waits as MPI_Win_flush does.
int MPI_Win_flush_local(int rank, MPI_Win handle) { return MPI_Win_flush(rank, handle); }
int MPI_Win_flush_local_all(MPI_Win handle) { return MPI_Win_flush_all(handle); }

// Only the compiler, and the processor's own buffers, can delay stores.
int MPI_Win_sync(MPI_Win handle) {
  return guarded_window(handle, __func__, [](window&) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    running().progress();
    look_at_clock(running());
  });
}

int MPI_Win_post(MPI_Group origins, int, MPI_Win handle) {
  return guarded_window(handle, __func__, [&](window& here) { here.post(*group_of(origins)); });
}
int MPI_Win_start(MPI_Group targets, int, MPI_Win handle) {
  return guarded_window(handle, __func__, [&](window& here) { here.start(*group_of(targets)); });
}
int MPI_Win_complete(MPI_Win handle) {
  return guarded_window(handle, __func__, [](window& here) { here.complete(); });
}
int MPI_Win_wait(MPI_Win handle) {
  return guarded_window(handle, __func__, [](window& here) { here.wait(); });
}
int MPI_Win_test(MPI_Win handle, int* flag) {
  return guarded_window(handle, {__func__, flag},
                        [&](window& here) { *flag = static_cast<int>(here.test()); });
}
}
