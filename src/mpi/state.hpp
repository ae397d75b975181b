#pragma once
/// What this process has of MPI between MPI_Init and MPI_Finalize.

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
  // Any thread may ask for these at any time.
  std::atomic<bool> initialized = false, finalized = false;
  std::atomic<bool> in_virtual_time = false;
  std::atomic<int> thread_level = thread_single;
  std::atomic<pthread_t> main_thread = 0;  ///< the one that has begun MPI

  bool by_session = false;  ///< the last session ends MPI, and not MPI_Finalize
  int sessions = 0;
  /// The job is joined once, and sessions may begin and end in it any number of times.
  std::optional<context> job;
  std::unique_ptr<engine> messages;  ///< null where no session is and MPI_Init has not begun MPI
  communicator_ptr world, self;
  std::shared_ptr<class send_buffer> buffer;  ///< what MPI_Buffer_attach was given
  /// How many identities of communicators this rank has made, beside two that all ranks know.
  std::uint32_t made_identities = 2;
};

process_state& state() noexcept;
/// Begins MPI for a session unless it has begun. Its threads may do at least what the session wants
/// of the levels that are there.
void initialize_once(int wanted_level);
/// Ends the messages of the last session, or of MPI_Init where no session is.
void end_messages();
/// Returns the engine; throws mpi_error before MPI_Init and after MPI_Finalize.
engine& running();

/// Returns the time of the job to a program that looks at it, or at its own memory, in vain.
std::chrono::steady_clock::time_point look_at_clock(engine& messages);

}  // namespace onehop::mpi_abi
