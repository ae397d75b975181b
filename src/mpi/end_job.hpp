#pragma once
/// Ends the job for an exception in a library that programs call through a C interface.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace onehop::mpi_abi {

/// Ends the job with one line of text. Must be called while an exception is being handled.
[[noreturn]] inline void end_job() noexcept {
  // If a launcher listens, the terminate handler that join has set reports the reason to it.
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
