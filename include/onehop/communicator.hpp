#pragma once
/// A program that uses MPI itself passes a communicator to say which of its ranks form a job.

#include <onehop/context.hpp>

#include <string_view>

namespace onehop {

/// Makes a job of the ranks of an MPI communicator, in a program that has initialised MPI itself.
/// In C++, call join of <onehop/mpi.hpp> instead, which takes an MPI_Comm. The call is collective
/// over the communicator, and the context keeps its order of ranks. Processes outside the
/// communicator do not take part.
///
/// The communicator is duplicated, so the program may free it as soon as the call returns, and
/// onehop's messages never mix with the program's. Any number of such contexts may exist at once,
/// on the same or on other ranks, and also beside the context of join(). Waits, deadlines and
/// failures of one context do not affect another. If a rank belongs to several contexts, their
/// ranks must use them in a consistent order, as with communicators. The program may finalise MPI
/// while contexts still exist; using them afterwards throws usage_error. The duplicate is freed by
/// the first join after all its ranks have dropped their contexts. Windows of mpi_rma between
/// machines are freed when MPI is finalised.
///
/// `fortran_handle` is what MPI_Comm_c2f returns, or MPI_Comm_toint in the standard ABI.
/// `transport` is "mixed" (which "auto" selects), "mpi_p2p" or "mpi_rma". MPI's thread level must
/// allow this thread to call MPI while other threads do.
///
/// Throws usage_error if MPI is not initialised or already finalised, if onehop has no module for
/// the MPI that the program runs on, for any other transport, and for a null communicator or an
/// intercommunicator. Throws timeout_error if some rank of the communicator does not call before
/// the deadline; the program should then end, because MPI still waits for that rank.
context join_communicator(int fortran_handle, std::string_view transport = "auto");

}  // namespace onehop
