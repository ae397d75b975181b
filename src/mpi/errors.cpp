#include "mpi/errors.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "mpi/communicator.hpp"
#include "mpi/handles.hpp"
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
    {err_access, "MPI_ERR_ACCESS: the access is not permitted"},
    {err_amode, "MPI_ERR_AMODE: the access mode is not valid"},
    {err_assert, "MPI_ERR_ASSERT: the assertion is not valid"},
    {err_bad_file, "MPI_ERR_BAD_FILE: the name of the file is not valid"},
    {err_base, "MPI_ERR_BASE: the base address is not valid"},
    {err_conversion, "MPI_ERR_CONVERSION: the data could not be converted"},
    {err_disp, "MPI_ERR_DISP: the displacement is not valid"},
    {err_dup_datarep, "MPI_ERR_DUP_DATAREP: the data representation is there already"},
    {err_file_exists, "MPI_ERR_FILE_EXISTS: the file exists"},
    {err_file_in_use, "MPI_ERR_FILE_IN_USE: the file is in use"},
    {err_file, "MPI_ERR_FILE: the file handle is not valid"},
    {err_info_key, "MPI_ERR_INFO_KEY: the key is too long or empty"},
    {err_info_nokey, "MPI_ERR_INFO_NOKEY: the info object has no such key"},
    {err_info_value, "MPI_ERR_INFO_VALUE: the value is too long"},
    {err_info, "MPI_ERR_INFO: the info object is not valid"},
    {err_io, "MPI_ERR_IO: input or output has failed"},
    {err_keyval, "MPI_ERR_KEYVAL: the attribute key is not valid"},
    {err_locktype, "MPI_ERR_LOCKTYPE: the type of the lock is not valid"},
    {err_name, "MPI_ERR_NAME: no service has this name"},
    {err_no_mem, "MPI_ERR_NO_MEM: there is no memory left"},
    {err_not_same, "MPI_ERR_NOT_SAME: the ranks give different arguments"},
    {err_no_space, "MPI_ERR_NO_SPACE: there is no room left on the device"},
    {err_no_such_file, "MPI_ERR_NO_SUCH_FILE: there is no such file"},
    {err_port, "MPI_ERR_PORT: the port is not valid"},
    {err_quota, "MPI_ERR_QUOTA: the quota is exceeded"},
    {err_read_only, "MPI_ERR_READ_ONLY: the file or file system is read-only"},
    {err_rma_attach, "MPI_ERR_RMA_ATTACH: the memory cannot be attached"},
    {err_rma_conflict, "MPI_ERR_RMA_CONFLICT: accesses to the window conflict"},
    {err_rma_range, "MPI_ERR_RMA_RANGE: the memory is outside of the window"},
    {err_rma_shared, "MPI_ERR_RMA_SHARED: the memory cannot be shared"},
    {err_rma_sync, "MPI_ERR_RMA_SYNC: the window is not in such an epoch"},
    {err_service, "MPI_ERR_SERVICE: the service is not valid"},
    {err_size, "MPI_ERR_SIZE: the size is not valid"},
    {err_spawn, "MPI_ERR_SPAWN: no processes can be started"},
    {err_unsupported_datarep, "MPI_ERR_UNSUPPORTED_DATAREP: the data representation is not there"},
    {err_unsupported_operation, "MPI_ERR_UNSUPPORTED_OPERATION: the function is not there"},
    {err_win, "MPI_ERR_WIN: the window is not valid"},
    {err_rma_flavor, "MPI_ERR_RMA_FLAVOR: the window is of another kind"},
    {err_proc_aborted, "MPI_ERR_PROC_ABORTED: a rank has ended"},
    {err_value_too_large, "MPI_ERR_VALUE_TOO_LARGE: the value does not fit the argument"},
    {err_session, "MPI_ERR_SESSION: the session is not valid"},
    {err_errhandler, "MPI_ERR_ERRHANDLER: the error handler is not valid"},
    {err_abi, "MPI_ERR_ABI: the ABI is another one"},
};

bool is_fatal(const error_handler& handler) noexcept {
  return handler.call == nullptr && number_of(handler.fixed_handle) == errors_are_fatal;
}

/// Returns the communicator whose error handler is called. Errors of calls without a communicator
/// belong to MPI_COMM_SELF since MPI 4. Before that they belonged to MPI_COMM_WORLD, and older
/// programs set only its handler.
const communicator* owner_of_errors(MPI_Comm comm) noexcept {
  const process_state& here = state();
  if (!here.messages) return nullptr;
  if (number_of(comm) == comm_world) return here.world.get();
  if (number_of(comm) == comm_self) return here.self.get();
  if (const auto* const known = object_at<communicator_ptr>(comm)) return known->get();
  return is_fatal(here.self->errors) ? here.world.get() : here.self.get();
}

}  // namespace

namespace {

std::map<int, own_code>& own_codes() {
  static auto& all = *new std::map<int, own_code>;
  return all;
}

}  // namespace

int add_code(const int* of) {
  const int code = own_codes().empty() ? err_lastcode + 1 : own_codes().rbegin()->first + 1;
  own_codes()[code] = {of == nullptr ? code : *of, ""};
  return code;
}

own_code& own_code_at(int code) {
  const auto found = own_codes().find(code);
  if (found == own_codes().end())
    throw mpi_error(err_arg, text("no call has made error code ", code));
  return found->second;
}

void remove_code(int code, bool is_class) {
  if ((own_code_at(code).error_class == code) != is_class)
    throw mpi_error(err_arg, text(code, is_class ? " is no error class" : " is an error class"));
  for (const auto& [other, of] : own_codes())
    if (is_class && other != code && of.error_class == code)
      throw mpi_error(err_other, text("error class ", code, " has error code ", other));
  if (!own_code_at(code).words.empty())
    throw mpi_error(err_other, text("error code ", code, " has a text"));
  own_codes().erase(code);
}

const char* error_text(int code) noexcept {
  const auto own = own_codes().find(code);
  if (own != own_codes().end()) return own->second.words.c_str();
  const auto found = std::ranges::find(class_texts, code, &class_text::code);
  return found == std::end(class_texts) ? nullptr : found->text;
}

int class_of(int code) noexcept {
  const auto own = own_codes().find(code);
  return own == own_codes().end() ? code : own->second.error_class;
}

int last_used_code() noexcept {
  return own_codes().empty() ? int{err_lastcode} : own_codes().rbegin()->first;
}

namespace {

bool is_predefined(MPI_Errhandler handle) noexcept {
  return number_of(handle) >= errors_are_fatal && number_of(handle) <= errors_return;
}

}  // namespace

error_class entry::flaw(MPI_Errhandler handler) noexcept {
  return is_predefined(handler) || object_at<error_handler>(handler) ? success : err_errhandler;
}

error_handler handler_at(MPI_Errhandler handle) {
  if (is_predefined(handle)) return {handle};
  if (const auto* const known = object_at<error_handler>(handle)) return *known;
  throw mpi_error(err_errhandler, "no error handler has the handle, or it is MPI_ERRHANDLER_NULL");
}

namespace {

struct held_handler {
  error_handler* handler = nullptr;
  int holders = 0;
};
std::map<MPI_Comm_errhandler_function*, held_handler>& held_handlers() {
  static auto& all = *new std::map<MPI_Comm_errhandler_function*, held_handler>;
  return all;
}

}  // namespace

MPI_Errhandler handle_of(const error_handler& handler) {
  if (handler.call == nullptr) return handler.fixed_handle;
  held_handler& held = held_handlers()[handler.call];
  if (held.holders++ == 0) held.handler = keep_object(handler);
  return reinterpret_cast<MPI_Errhandler>(held.handler);
}

void free_handle(MPI_Errhandler handle) {
  if (is_fixed(handle)) return;
  const auto held = held_handlers().find(handler_at(handle).call);
  if (--held->second.holders > 0) return;
  end_object(held->second.handler);
  held_handlers().erase(held);
}

void throw_code(int code) {
  const char* const words = error_text(code);
  throw mpi_error(static_cast<error_class>(code),
                  words != nullptr ? words : text("error code ", code));
}

namespace {

bool lets_go_on(const error_handler& handler) noexcept {
  return handler.call != nullptr || number_of(handler.fixed_handle) == errors_return;
}

}  // namespace

void end_if_fatal(const mpi_error& error) {
  if (!lets_go_on(error.comm->errors)) handle_error(nullptr, current_function(), error);
}

void entry::refuse() const {
  throw mpi_error(wrong_, wrong_ == err_arg
                              ? "an argument is NULL that is where to write, a name or a list"
                          : wrong_ == err_info ? "no info object has the handle"
                                               : "no error handler has the handle");
}

int handle_error(MPI_Comm comm, const char* function, const mpi_error& error) {
  const communicator* const owner = error.comm ? error.comm.get() : owner_of_errors(comm);
  int code = error.code;
  if (owner != nullptr && owner->errors.call != nullptr) {
    MPI_Comm handle = owner->handle;
    owner->errors.call(&handle, &code);
    return code;
  }
  if (owner != nullptr && lets_go_on(owner->errors)) return code;
  const std::string who = state().world ? text("rank ", state().world->rank(), ": ") : "";
  end_with(onehop::error(text(who, function, ": ", error.what())));
}

}  // namespace onehop::mpi_abi
