#include "mpi/errors.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "mpi/communicator.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

struct class_text {
  int code;
  const char* text;
};
constexpr class_text class_texts[] = {
    {success, "MPI_SUCCESS: no error"},
    {err_buffer, "MPI_ERR_BUFFER: the buffer is not valid"},
    {err_count, "MPI_ERR_COUNT: the count is not valid"},
    {err_type, "MPI_ERR_TYPE: the datatype is not valid"},
    {err_tag, "MPI_ERR_TAG: the tag is not valid"},
    {err_comm, "MPI_ERR_COMM: the communicator is not valid"},
    {err_rank, "MPI_ERR_RANK: the rank is not valid"},
    {err_request, "MPI_ERR_REQUEST: the request is not valid"},
    {err_root, "MPI_ERR_ROOT: the root is not valid"},
    {err_group, "MPI_ERR_GROUP: the group is not valid"},
    {err_op, "MPI_ERR_OP: the operator is not valid"},
    {err_topology, "MPI_ERR_TOPOLOGY: the communicator has no such topology"},
    {err_dims, "MPI_ERR_DIMS: the dimensions are not valid"},
    {err_arg, "MPI_ERR_ARG: an argument is not valid"},
    {err_unknown, "MPI_ERR_UNKNOWN: unknown error"},
    {err_truncate, "MPI_ERR_TRUNCATE: the message is longer than the receive"},
    {err_other, "MPI_ERR_OTHER: another error"},
    {err_intern, "MPI_ERR_INTERN: an error within MPI"},
    {err_pending, "MPI_ERR_PENDING: the operation is not complete"},
    {err_in_status, "MPI_ERR_IN_STATUS: the errors are in the statuses"},
    {err_info_key, "MPI_ERR_INFO_KEY: the key is too long or empty"},
    {err_info_nokey, "MPI_ERR_INFO_NOKEY: the info object has no such key"},
    {err_info, "MPI_ERR_INFO: the info object is not valid"},
    {err_keyval, "MPI_ERR_KEYVAL: the attribute key is not valid"},
    {err_no_mem, "MPI_ERR_NO_MEM: there is no memory left"},
    {err_unsupported_operation, "MPI_ERR_UNSUPPORTED_OPERATION: the function is not there"},
    {err_proc_aborted, "MPI_ERR_PROC_ABORTED: a rank has ended"},
    {err_errhandler, "MPI_ERR_ERRHANDLER: the error handler is not valid"},
};

/// Ends this rank with a line that the launcher shows for the whole job.
[[noreturn]] void end_with(const std::string& line) noexcept {
  try {
    throw error(line);
  } catch (...) {
    end_job();
  }
}

/// Errors of calls without a communicator are those of MPI_COMM_SELF.
const error_handler& handler_of(MPI_Comm comm) noexcept {
  static const error_handler fatal{fixed<MPI_Errhandler>(errors_are_fatal)};
  const process_state& here = state();
  if (!here.messages) return fatal;
  if (number_of(comm) == comm_world) return here.world->errors;
  if (comm == nullptr || is_fixed(comm)) return here.self->errors;
  return (*reinterpret_cast<communicator_ptr*>(comm))->errors;
}

}  // namespace

const char* error_text(int code) noexcept {
  const auto found = std::ranges::find(class_texts, code, &class_text::code);
  return found == std::end(class_texts) ? nullptr : found->text;
}

int handle_error(MPI_Comm comm, const char* function, const mpi_error& error) {
  const error_handler& handler = error.comm ? error.comm->errors : handler_of(comm);
  int code = error.code;
  if (handler.call != nullptr) {
    if (error.comm) comm = error.comm->handle;
    handler.call(&comm, &code);
    return code;
  }
  if (number_of(handler.fixed_handle) == errors_return) return code;
  const std::string who = state().world ? text("rank ", state().world->rank(), ": ") : "";
  end_with(text(who, function, ": ", error.what()));
}

void end_job() noexcept {
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
