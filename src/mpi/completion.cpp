// The functions of the ABI that wait and test for requests, and then retire the completed ones.

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"
#include "mpi/state.hpp"

namespace onehop::mpi_abi {
namespace {

bool is_null(MPI_Request handle) noexcept { return number_of(handle) == request_null; }
void require_known(MPI_Request handle) {
  if (!is_null(handle)) request_of(handle);
}
/// Returns whether the request must be waited for. If a handle is listed twice, its request may
/// already have ended.
bool is_active(MPI_Request handle) noexcept {
  const request* const one = known_request(handle);
  return one != nullptr && one->active;
}
bool is_complete(MPI_Request handle) noexcept {
  return !is_active(handle) || request_at(handle).complete;
}

/// A wait for no request also returns an empty status without an error.
void give_empty(MPI_Status* status) {
  if (status != nullptr) *status = empty_status();
}

std::span<MPI_Request> list(int count, MPI_Request* handles) {
  if (count < 0) throw mpi_error(err_count, text("the number of requests is ", count));
  std::for_each_n(handles, count, require_known);
  return {handles, static_cast<std::size_t>(count)};
}

/// An outcome is what remains of a request after the caller has seen that it is complete.
struct outcome {
  error_class error = success;
  std::string why;
  std::shared_ptr<const communicator> comm;
};

/// Calls the caller's function for the status of a generalized request.
void ask(request& one) {
  const int code =
      one.user->query == nullptr ? int{success} : one.user->query(one.user->extra, &one.status);
  one.error = static_cast<error_class>(code);
}

/// The caller's function that frees a generalized request may also fail.
void release(const request& one, outcome& seen) {
  const int code = one.user->freed == nullptr ? int{success} : one.user->freed(one.user->extra);
  if (seen.error == success) seen.error = static_cast<error_class>(code);
}

/// Retires a complete request: a persistent one becomes inactive, any other ends.
outcome retire(MPI_Request& handle, MPI_Status* status) {
  if (!is_active(handle)) {
    give_empty(status);
    return {};
  }
  request& one = request_at(handle);
  if (one.user) ask(one);
  give_status(status, one.status);
  outcome seen{one.error, one.why, one.comm};
  if (one.user) release(one, seen);
  if (one.persistent) {
    one.active = one.complete = false;
  } else {
    delete &one;
    handle = fixed<MPI_Request>(request_null);
  }
  return seen;
}

void retire_one(MPI_Request& handle, MPI_Status* status) {
  const outcome seen = retire(handle, status);
  if (seen.error != success) throw mpi_error(seen.error, seen.why, seen.comm);
}

/// Retires requests, some of which may have failed. Each status holds the error of its request.
void retire_each(std::span<MPI_Request> handles, std::span<const int> which, MPI_Status* statuses) {
  outcome failed;
  for (std::size_t i = 0; i < which.size(); ++i) {
    MPI_Status* const status = statuses == nullptr ? nullptr : &statuses[i];
    outcome seen = retire(handles[static_cast<std::size_t>(which[i])], status);
    if (status != nullptr) status->MPI_ERROR = seen.error;
    if (seen.error != success && failed.error == success) failed = std::move(seen);
  }
  if (failed.error != success) throw mpi_error(err_in_status, failed.why, failed.comm);
}

std::vector<int> all_of(std::span<MPI_Request> handles) {
  std::vector<int> which(handles.size());
  for (std::size_t i = 0; i < which.size(); ++i) which[i] = static_cast<int>(i);
  return which;
}

std::vector<int> complete_ones(std::span<MPI_Request> handles) {
  std::vector<int> which;
  for (std::size_t i = 0; i < handles.size(); ++i)
    if (is_active(handles[i]) && request_at(handles[i]).complete)
      which.push_back(static_cast<int>(i));
  return which;
}

bool any_active(std::span<MPI_Request> handles) { return std::ranges::any_of(handles, is_active); }
bool any_complete(std::span<MPI_Request> handles) {
  return std::ranges::any_of(
      handles, [](MPI_Request handle) { return is_active(handle) && request_at(handle).complete; });
}

std::vector<missing_piece> missing(std::span<MPI_Request> handles) {
  std::vector<missing_piece> all;
  for (const MPI_Request handle : handles)
    if (!is_complete(handle))
      for (missing_piece& piece : running().missing(request_at(handle)))
        all.push_back(std::move(piece));
  return all;
}

/// Retires one complete request and returns its index, or MPI_UNDEFINED if no request is active.
void retire_any(std::span<MPI_Request> handles, int* index, MPI_Status* status) {
  const std::vector<int> which = complete_ones(handles);
  *index = which.empty() ? undefined : which.front();
  if (which.empty())
    give_empty(status);
  else
    retire_one(handles[static_cast<std::size_t>(which.front())], status);
}

void retire_some(std::span<MPI_Request> handles, int* number, int* indices, MPI_Status* statuses) {
  const std::vector<int> which = complete_ones(handles);
  *number = any_active(handles) ? static_cast<int>(which.size()) : undefined;
  std::ranges::copy(which, indices);
  retire_each(handles, which, statuses);
}

/// Stores the status of a complete request, which stays as it is.
void give_status_of(MPI_Request handle, MPI_Status* status) {
  if (!is_active(handle)) {
    give_empty(status);
    return;
  }
  if (request_at(handle).user) ask(request_at(handle));
  give_status(status, request_at(handle).status);
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Wait(MPI_Request* handle, MPI_Status* status) {
  return guarded({__func__, handle}, [&] {
    require_known(*handle);
    if (is_active(*handle)) running().wait(request_at(*handle));
    retire_one(*handle, status);
  });
}

int MPI_Waitall(int count, MPI_Request* handles, MPI_Status* statuses) {
  return guarded({__func__, list_of{handles, count}}, [&] {
    const auto all = list(count, handles);
    // Requests already seen complete are not checked again.
    std::size_t seen = 0;
    const auto done = [&] {
      while (seen < all.size() && is_complete(all[seen])) ++seen;
      return seen == all.size();
    };
    if (!done()) running().wait(done, [&] { return missing(all); });
    retire_each(all, all_of(all), statuses);
  });
}

int MPI_Waitany(int count, MPI_Request* handles, int* index, MPI_Status* status) {
  return guarded({__func__, list_of{handles, count}, index}, [&] {
    const auto all = list(count, handles);
    if (any_active(all))
      running().wait([&] { return any_complete(all); }, [&] { return missing(all); });
    retire_any(all, index, status);
  });
}

int MPI_Waitsome(int count, MPI_Request* handles, int* number, int* indices, MPI_Status* statuses) {
  return guarded({__func__, list_of{handles, count}, number, list_of{indices, count}}, [&] {
    const auto all = list(count, handles);
    if (any_active(all))
      running().wait([&] { return any_complete(all); }, [&] { return missing(all); });
    retire_some(all, number, indices, statuses);
  });
}

int MPI_Test(MPI_Request* handle, int* flag, MPI_Status* status) {
  return guarded({__func__, handle, flag}, [&] {
    require_known(*handle);
    *flag = static_cast<int>(is_complete(*handle) ||
                             running().look([&] { return is_complete(*handle); }));
    if (*flag != 0) retire_one(*handle, status);
  });
}

int MPI_Testall(int count, MPI_Request* handles, int* flag, MPI_Status* statuses) {
  return guarded({__func__, list_of{handles, count}, flag}, [&] {
    const auto all = list(count, handles);
    *flag = static_cast<int>(running().look([&] { return std::ranges::all_of(all, is_complete); }));
    if (*flag != 0) retire_each(all, all_of(all), statuses);
  });
}

int MPI_Testany(int count, MPI_Request* handles, int* index, int* flag, MPI_Status* status) {
  return guarded({__func__, list_of{handles, count}, index, flag}, [&] {
    const auto all = list(count, handles);
    *index = undefined;
    *flag = static_cast<int>(!any_active(all) || running().look([&] { return any_complete(all); }));
    if (*flag != 0) retire_any(all, index, status);
  });
}

int MPI_Testsome(int count, MPI_Request* handles, int* number, int* indices, MPI_Status* statuses) {
  return guarded({__func__, list_of{handles, count}, number, list_of{indices, count}}, [&] {
    const auto all = list(count, handles);
    if (any_active(all)) running().look([&] { return any_complete(all); });
    retire_some(all, number, indices, statuses);
  });
}

int MPI_Request_get_status(MPI_Request handle, int* flag, MPI_Status* status) {
  return guarded({__func__, flag}, [&] {
    require_known(handle);
    *flag = static_cast<int>(is_complete(handle) ||
                             running().look([&] { return is_complete(handle); }));
    if (*flag != 0) give_status_of(handle, status);
  });
}

int MPI_Request_get_status_all(int count, const MPI_Request* handles, int* flag,
                               MPI_Status* statuses) {
  return guarded({__func__, list_of{handles, count}, flag}, [&] {
    const auto all = list(count, const_cast<MPI_Request*>(handles));
    *flag = static_cast<int>(running().look([&] { return std::ranges::all_of(all, is_complete); }));
    for (std::size_t i = 0; *flag != 0 && statuses != nullptr && i < all.size(); ++i)
      give_status_of(all[i], &statuses[i]);
  });
}

int MPI_Request_get_status_any(int count, const MPI_Request* handles, int* index, int* flag,
                               MPI_Status* status) {
  return guarded({__func__, list_of{handles, count}, index, flag}, [&] {
    const auto all = list(count, const_cast<MPI_Request*>(handles));
    *flag = static_cast<int>(!any_active(all) || running().look([&] { return any_complete(all); }));
    *index = undefined;
    if (*flag == 0) return;
    const std::vector<int> which = complete_ones(all);
    if (!which.empty()) *index = which.front();
    if (which.empty())
      give_empty(status);
    else
      give_status_of(handles[which.front()], status);
  });
}

int MPI_Request_get_status_some(int count, const MPI_Request* handles, int* number, int* indices,
                                MPI_Status* statuses) {
  return guarded({__func__, list_of{handles, count}, number, list_of{indices, count}}, [&] {
    const auto all = list(count, const_cast<MPI_Request*>(handles));
    if (any_active(all)) running().look([&] { return any_complete(all); });
    const std::vector<int> which = complete_ones(all);
    *number = any_active(all) ? static_cast<int>(which.size()) : undefined;
    std::ranges::copy(which, indices);
    for (std::size_t i = 0; statuses != nullptr && i < which.size(); ++i)
      give_status_of(handles[which[i]], &statuses[i]);
  });
}
}
