#pragma once
/// Threads of a rank take turns: one of them is in MPI, and lets the others in while it waits.

namespace onehop::mpi_abi {

/// Says whether several threads call MPI at once; without them turns cost nothing.
void take_turns(bool several) noexcept;

/// A turn is a call of MPI by a thread; a call within a call belongs to it.
class turn {
 public:
  turn() noexcept;
  ~turn();
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;
};

/// Lets other threads that wait for their turn in; called by the one whose turn it is.
void let_others_in() noexcept;

}  // namespace onehop::mpi_abi
