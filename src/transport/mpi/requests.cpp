#include "transport/mpi/requests.hpp"

#include <sched.h>

#include <chrono>

#include "transport/mpi/job.hpp"

namespace onehop::mpi {

void withdraw(MPI_Request& receive) noexcept {
  if (receive == MPI_REQUEST_NULL || in_forked_child()) return;
  int over = 0;
  // Of an inactive persistent request there is nothing to cancel.
  if (MPI_Request_get_status(receive, &over, MPI_STATUS_IGNORE) == MPI_SUCCESS && over == 0) {
    MPI_Cancel(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
  }
  if (receive != MPI_REQUEST_NULL) MPI_Request_free(&receive);
}

void finish_sends(std::vector<MPI_Request>& sends) noexcept {
  if (in_forked_child()) return;
  using namespace std::chrono_literals;
  constexpr auto patience = 2s;
  const auto end = std::chrono::steady_clock::now() + patience;
  int done = 0;
  while (MPI_Testall(static_cast<int>(sends.size()), sends.data(), &done, MPI_STATUSES_IGNORE) ==
             MPI_SUCCESS &&
         done == 0 && std::chrono::steady_clock::now() < end)
    sched_yield();
  for (MPI_Request& send : sends)
    if (send != MPI_REQUEST_NULL) MPI_Request_free(&send);
}

}  // namespace onehop::mpi
