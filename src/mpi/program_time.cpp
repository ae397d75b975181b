#include "mpi/program_time.hpp"

#include "mpi/errors.hpp"
#include "mpi/state.hpp"
#include "transport/base/transport.hpp"

using namespace onehop::mpi_abi;

extern "C" {

std::int64_t onehop_program_time() {
  return std::chrono::nanoseconds(running().job().now().time_since_epoch()).count();
}

void onehop_program_computes(std::int64_t nanoseconds) {
  guarded("a program that computes", [&] {
    onehop::clock& clock = onehop::clock_of(running().job());
    const auto until = clock.now() + std::chrono::nanoseconds(nanoseconds);
    // An arriving message interrupts idle, but is handled only in the next call of MPI.
    while (clock.now() < until) clock.idle(0, until);
  });
}
}
