// The functions of the ABI that start, free and cancel requests.

#include <span>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

void start(MPI_Request handle) {
  request& one = request_of(handle);
  if (!one.persistent) throw mpi_error(err_request, "the request is not persistent", one.comm);
  if (one.active) throw mpi_error(err_request, "the request is active", one.comm);
  running().start(one);
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Start(MPI_Request* handle) {
  return guarded({__func__, handle}, [&] { start(*handle); });
}

int MPI_Startall(int count, MPI_Request* handles) {
  return guarded({__func__, list_of{handles, count}}, [&] {
    if (count < 0) throw mpi_error(err_count, onehop::text("the number of requests is ", count));
    for (const MPI_Request handle : std::span(handles, static_cast<std::size_t>(count)))
      start(handle);
  });
}

int MPI_Request_free(MPI_Request* handle) {
  return guarded({__func__, handle}, [&] {
    request& one = request_of(*handle);
    // A message in progress continues without the caller, and deletes the request when it
    // completes.
    one.persistent = false;
    if (one.active && !one.complete) {
      one.detached = true;
    } else {
      if (one.user && one.user->freed != nullptr) one.user->freed(one.user->extra);
      delete &one;
    }
    *handle = fixed<MPI_Request>(request_null);
  });
}

int MPI_Cancel(MPI_Request* handle) {
  return guarded({__func__, handle}, [&] {
    request& one = request_of(*handle);
    if (one.user && one.user->cancel != nullptr) {
      const int code = one.user->cancel(one.user->extra, static_cast<int>(one.complete));
      if (code != success) throw_code(code);
    } else if (one.active && one.sends) {
      running().take_back(one);
    } else if (one.active && running().withdraw(one)) {
      set_cancelled(one.status, true);
    }
  });
}
}
