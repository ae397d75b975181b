#pragma once
/// A program that uses MPI itself says by a communicator which of its ranks form a job.

#include <onehop/context.hpp>

#include <string_view>

namespace onehop {

/// Makes a job of the ranks of a communicator of a program that has initialised MPI itself; in C++
/// call join of <onehop/mpi.hpp>, which takes the communicator as it is. Collective among its
/// ranks, whose order is that of the context. Processes outside need not know of it.
///
/// The communicator is duplicated: the program may free it as soon as the call returns, and
/// messages never meet the program's. Any number of such contexts may live at once, on the same
/// ranks or others, also beside that of join(); waits, deadlines and failures of one do not affect
/// another. A rank on several uses them in an order on which their ranks agree, as with
/// communicators. The program may finalise MPI before they go; what uses them afterwards throws
/// usage_error. Its duplicate is given back by the first join after all its ranks have dropped a
/// context, and windows of mpi_rma between machines when MPI is finalised.
///
/// `fortran_handle` is what MPI_Comm_c2f gives, or MPI_Comm_toint in the standard ABI. `transport`
/// is "mixed", which "auto" takes, "mpi_p2p" or "mpi_rma". MPI must allow this thread to call it
/// when others do.
///
/// Throws usage_error where MPI is not initialised, or finalised, where onehop has no module for
/// the MPI that the program runs over, for another transport and for a communicator that is null or
/// has two groups; throws timeout_error when not all of its ranks call before the deadline, after
/// which the program should end, since MPI still waits for them.
context join_communicator(int fortran_handle, std::string_view transport = "auto");

}  // namespace onehop
