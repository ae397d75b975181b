#include "transport/mpi/requests.hpp"

#include <sched.h>

#include <chrono>

#include "transport/mpi/ending.hpp"

namespace onehop::mpi {
namespace {

// The list is never destroyed, because holders may outlive the statics of this module.
std::vector<request_holder*>& holders() {
  static auto* const all = new std::vector<request_holder*>;
  return *all;
}

}  // namespace

request_holder::request_holder() { holders().push_back(this); }
request_holder::~request_holder() { std::erase(holders(), this); }

void give_back_all() noexcept {
  while (!holders().empty()) {
    request_holder* const latest = holders().back();
    holders().pop_back();
    latest->give_back();
  }
}

bool withdraw(MPI_Request& receive) noexcept {
  if (receive == MPI_REQUEST_NULL || mpi_is_gone()) return false;
  int over = 0, cancelled = 0;
  // An inactive persistent request has nothing to cancel.
  if (MPI_Request_get_status(receive, &over, MPI_STATUS_IGNORE) == MPI_SUCCESS && over == 0) {
    MPI_Status status;
    MPI_Cancel(&receive);
    MPI_Wait(&receive, &status);
    MPI_Test_cancelled(&status, &cancelled);
  }
  if (receive != MPI_REQUEST_NULL) MPI_Request_free(&receive);
  return cancelled == 0;
}

void finish_sends(std::vector<MPI_Request>& sends) noexcept {
  if (mpi_is_gone()) return;
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
