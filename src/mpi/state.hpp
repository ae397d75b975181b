#pragma once
/// The state of MPI in this process between MPI_Init and MPI_Finalize.

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <onehop/context.hpp>
#include <optional>

#include "mpi/communicator.hpp"
#include "mpi/engine.hpp"

namespace onehop::mpi_abi {

struct process_state {
  // Any thread may read these at any time.
  std::atomic<bool> initialized = false, finalized = false;
  std::atomic<bool> in_virtual_time = false;
  std::atomic<int> thread_level = thread_single;
  std::atomic<pthread_t> main_thread = 0;  ///< the thread that started MPI

  bool by_session = false;  ///< whether the last session, and not MPI_Finalize, ends MPI
  int sessions = 0;
  /// The process joins the job once. Any number of sessions may begin and end in it.
  std::optional<context> job;
  std::unique_ptr<engine>
      messages;  ///< null if there is no session and MPI_Init has not started MPI
  communicator_ptr world, self;
  std::shared_ptr<class send_buffer> buffer;  ///< the buffer given to MPI_Buffer_attach
  /// How many identities of communicators this rank has made, plus two that all ranks know.
  std::uint32_t made_identities = 2;
};

process_state& state() noexcept;
/// Starts MPI for a session unless it has started. Sets the thread level to at least the one that
/// the session wants, as far as it is supported.
void initialize_once(int wanted_level);
/// Ends communication with the last session, or with MPI_Finalize if there is no session.
void end_messages();
/// Returns the engine; throws mpi_error before MPI_Init and after MPI_Finalize.
engine& running();

/// Returns the time of the job. It lets time pass for a program that looks repeatedly in vain at
/// the time, or at its own memory.
std::chrono::steady_clock::time_point look_at_clock(engine& messages);

}  // namespace onehop::mpi_abi
