#include "mpi/request.hpp"

#include <cstring>

#include "mpi/errors.hpp"

namespace onehop::mpi_abi {

request& request_of(MPI_Request handle) {
  if (request* const one = known_request(handle)) return *one;
  throw mpi_error(err_request, number_of(handle) == request_null ? "the request is MPI_REQUEST_NULL"
                                                                 : "no request has the handle");
}

bool request::packs() {
  data = static_cast<std::byte*>(buffer);
  if (bytes > 0 && on_device(*type, buffer)) {
    staged = staging(*type, buffer, bytes);
    data = staged.data();
    return true;
  }
  if (type->contiguous()) return false;
  packed.resize(bytes);
  data = packed.data();
  return true;
}

void set_status(MPI_Status& status, int source, int tag, std::size_t bytes) noexcept {
  status.MPI_SOURCE = source;
  status.MPI_TAG = tag;
  std::memset(status.MPI_internal, 0, sizeof status.MPI_internal);
  set_bytes(status, bytes);
}

void set_bytes(MPI_Status& status, std::size_t bytes) noexcept {
  std::memcpy(status.MPI_internal, &bytes, sizeof bytes);
}

std::size_t bytes_in(const MPI_Status& status) noexcept {
  std::size_t bytes;
  std::memcpy(&bytes, status.MPI_internal, sizeof bytes);
  return bytes;
}

void set_cancelled(MPI_Status& status, bool cancelled) noexcept {
  status.MPI_internal[2] = static_cast<int>(cancelled);
}
bool is_cancelled(const MPI_Status& status) noexcept { return status.MPI_internal[2] == 1; }

MPI_Status empty_status() noexcept {
  MPI_Status status{};
  set_status(status, any_source, any_tag, 0);
  return status;
}

void give_status(MPI_Status* to, const MPI_Status& status) noexcept {
  if (to == nullptr) return;
  const int error = to->MPI_ERROR;
  *to = status;
  to->MPI_ERROR = error;
}

}  // namespace onehop::mpi_abi
