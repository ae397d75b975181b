#include "qmp/call.hpp"

#include <unistd.h>

#include <cstdio>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "mpi/end_job.hpp"
#include "mpi/standard/mpi.h"
#include "qmp/process.hpp"

namespace onehop::qmp {
namespace {

const char* running = nullptr;  ///< the function that the program has called
double waited_seconds = 0;

}  // namespace

void fail(const std::string& what) noexcept {
  const std::string line = text(running != nullptr ? running : "QMP", ": ", what);
  if (!process().is_joined) {
    // No launcher listens to a process that has not joined the job.
    std::fprintf(stderr, "onehop: %s\n", line.c_str());
    _exit(2);
  }
  try {
    throw error(text("rank ", process().world.rank, ": ", line));
  } catch (...) {
    mpi_abi::end_job();
  }
}

call::call(const char* function) : is_first_(running == nullptr) {
  if (is_first_) running = function;
  if (!process().is_joined)
    fail(process().has_left ? "called after QMP_finalize_msg_passing"
                            : "called before QMP_init_msg_passing");
}

call::~call() {
  if (is_first_) running = nullptr;
}

timed_wait::timed_wait() : begun_(MPI_Wtime()) {}
timed_wait::~timed_wait() { waited_seconds += MPI_Wtime() - begun_; }

void require(const void* pointer, std::string_view what) {
  if (pointer == nullptr) fail(text(what, " is NULL"));
}

}  // namespace onehop::qmp

using namespace onehop::qmp;

extern "C" {

double QMP_get_total_qmp_time(void) { return waited_seconds; }
void QMP_reset_total_qmp_time(void) { waited_seconds = 0; }
}
