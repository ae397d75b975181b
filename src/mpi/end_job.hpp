#pragma once
/// How a library that programs call through a C interface ends the job for an exception.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace onehop::mpi_abi {

/// Ends the job with one line; called while an exception is handled.
[[noreturn]] inline void end_job() noexcept {
  // Where a launcher listens, the handler that join has set tells it the reason.
  if (std::getenv("ONEHOP_REPORT_FD") != nullptr) std::terminate();
  try {
    throw;
  } catch (const std::exception& what) {
    std::fflush(nullptr);
    std::fprintf(stderr, "onehop: %s\n", what.what());
  } catch (...) {
    std::terminate();
  }
  _exit(2);
}

}  // namespace onehop::mpi_abi
