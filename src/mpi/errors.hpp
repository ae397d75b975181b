#pragma once
/// Errors of MPI: how a function of the ABI turns what went wrong into the code that it returns, or
/// ends the job.

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "mpi/abi.hpp"

namespace onehop::mpi_abi {

class communicator;

/// An mpi_error is a mistake of the caller that has an error class of the standard.
class mpi_error : public std::runtime_error {
 public:
  mpi_error(error_class of, const std::string& what,
            std::shared_ptr<const communicator> where = nullptr)
      : std::runtime_error(what), code(of), comm(std::move(where)) {}
  error_class code;
  /// Its error handler is called; null where that is the one of the function's own communicator.
  std::shared_ptr<const communicator> comm;
};

/// Returns the text of an error class, and null where there is none of that number.
const char* error_text(int code) noexcept;

/// Does what the communicator's error handler says about an error in a function; returns the code
/// where the handler returns.
int handle_error(MPI_Comm comm, const char* function, const mpi_error& error);

/// Ends the job for what is no error of MPI: a rank that died, a wait that reached its deadline.
[[noreturn]] void end_job() noexcept;

/// Returns the name of the function of the ABI that runs, or ran last.
inline const char*& current_function() noexcept {
  static const char* name = "MPI_Init";
  return name;
}

/// Runs the body of a function of the ABI, which no exception leaves.
template <class Body>
int guarded(MPI_Comm comm, const char* function, Body&& body) noexcept {
  current_function() = function;
  try {
    body();
    return success;
  } catch (const mpi_error& error) {
    return handle_error(comm, function, error);
  } catch (...) {
    end_job();
  }
}
template <class Body>
int guarded(const char* function, Body&& body) noexcept {
  return guarded(fixed<MPI_Comm>(comm_self), function, body);
}

}  // namespace onehop::mpi_abi
