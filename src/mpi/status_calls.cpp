// The functions of the ABI for statuses, and for generalized requests.

#include <memory>

#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/state.hpp"

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Test_cancelled(const MPI_Status* status, int* flag) {
  return at_any_time({__func__, status, flag},
                     [&] { *flag = static_cast<int>(is_cancelled(*status)); });
}
int MPI_Status_set_cancelled(MPI_Status* status, int flag) {
  return at_any_time({__func__, status}, [&] { set_cancelled(*status, flag != 0); });
}
int MPI_Status_get_source(const MPI_Status* status, int* source) {
  return at_any_time({__func__, status, source}, [&] { *source = status->MPI_SOURCE; });
}
int MPI_Status_set_source(MPI_Status* status, int source) {
  return at_any_time({__func__, status}, [&] { status->MPI_SOURCE = source; });
}
int MPI_Status_get_tag(const MPI_Status* status, int* tag) {
  return at_any_time({__func__, status, tag}, [&] { *tag = status->MPI_TAG; });
}
int MPI_Status_set_tag(MPI_Status* status, int tag) {
  return at_any_time({__func__, status}, [&] { status->MPI_TAG = tag; });
}
int MPI_Status_get_error(const MPI_Status* status, int* error) {
  return at_any_time({__func__, status, error}, [&] { *error = status->MPI_ERROR; });
}
int MPI_Status_set_error(MPI_Status* status, int error) {
  return at_any_time({__func__, status}, [&] { status->MPI_ERROR = error; });
}

// These functions are older than the functions with large counts.
int MPI_Get_elements_c(const MPI_Status* status, MPI_Datatype type, MPI_Count* count);
int MPI_Status_set_elements_c(MPI_Status* status, MPI_Datatype type, MPI_Count count);
int MPI_Get_elements_x(const MPI_Status* status, MPI_Datatype type, MPI_Count* count) {
  return MPI_Get_elements_c(status, type, count);
}
int MPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype type, MPI_Count count) {
  return MPI_Status_set_elements_c(status, type, count);
}

int MPI_Grequest_start(generalized_request::query_function* query,
                       generalized_request::free_function* freed,
                       generalized_request::cancel_function* cancel, void* extra,
                       MPI_Request* handle) {
  return guarded({__func__, handle}, [&] {
    auto made = std::make_unique<request>();
    made->comm = state().self;
    made->active = true;
    made->status = empty_status();
    made->user =
        std::make_shared<generalized_request>(generalized_request{query, freed, cancel, extra});
    *handle = handle_of(*made.release());
  });
}

int MPI_Grequest_complete(MPI_Request handle) {
  return guarded(__func__, [&] {
    // The caller also completes requests that it has freed.
    request* const one = object_at<request>(handle);
    if (one == nullptr || !one->user)
      throw mpi_error(err_request, "the request is not one that the caller completes");
    const std::shared_ptr<generalized_request> user = one->user;
    const bool detached = one->detached;
    running().complete(*one);
    if (detached && user->freed != nullptr) user->freed(user->extra);
  });
}
}
