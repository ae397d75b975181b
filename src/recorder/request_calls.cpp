// These functions start requests, wait for them or test them for completion. A test that finds
// nothing is not recorded, because how often a program tests depends on the machine.

#include <algorithm>
#include <utility>
#include <vector>

#include "recorder/recording.hpp"

#define ONEHOP_ABI(name) name

namespace onehop::recorder {
namespace {

/// A completion keeps the handles and statuses of a call that completes requests, as they were
/// before it.
class completion {
 public:
  completion(const char* function, const void* site, int count, const MPI_Request* handles,
             MPI_Status*& statuses)
      : seen_(function, site),
        handles_(handles, handles + std::max(count, 0)),
        own_(statuses == nullptr ? handles_.size() : 0) {
    if (statuses == nullptr) statuses = own_.data();
    statuses_ = statuses;
  }

  /// Notes that request `index` is complete; its status has number `place`.
  void add(int index, int place) {
    if (!seen_.recorded() || index < 0) return;
    const MPI_Request handle = handles_[static_cast<std::size_t>(index)];
    known_request* const found = here().find(handle);
    // A persistent request that is not started is complete, but nothing waits for it.
    if (found == nullptr || !std::exchange(found->started, false)) return;
    if (found->any)
      line("matched")
          .add(found->number)
          .add(statuses_[place].MPI_SOURCE)
          .add(statuses_[place].MPI_TAG);
    complete_.push_back(found->number);
    if (!found->persistent) here().forget(handle);
  }
  void add_all() {
    for (int i = 0; i < static_cast<int>(handles_.size()); ++i) add(i, i);
  }
  void add_some(int number, const int* indices) {
    for (int i = 0; i < number; ++i) add(indices[i], i);
  }
  bool succeeded(int code) const { return seen_.succeeded(code); }
  void write() {
    if (!complete_.empty()) line(seen_, "wait").add(complete_);
  }

 private:
  call seen_;
  std::vector<MPI_Request> handles_;
  std::vector<MPI_Status> own_;
  MPI_Status* statuses_;
  std::vector<std::int64_t> complete_;
};

void write_start(const call& seen, int count, const MPI_Request* handles) {
  std::vector<std::int64_t> started;
  for (int i = 0; i < count; ++i)
    if (known_request* const found = here().find(handles[i])) {
      found->started = true;
      started.push_back(found->number);
    }
  if (!started.empty()) line(seen, "start").add(started);
}

void write_freed(const call& seen, MPI_Request handle) {
  const known_request* const found = here().find(handle);
  if (found == nullptr) return;
  line(seen, "free").add(found->number);
  here().forget(handle);
}

}  // namespace
}  // namespace onehop::recorder

using namespace onehop::mpi_abi;
using onehop::recorder::completion;

extern "C" {

ONEHOP_RECORD(MPI_Start, (MPI_Request * handle), (handle),
              onehop::recorder::write_start(seen, 1, handle))
ONEHOP_RECORD(MPI_Startall, (int count, MPI_Request* handles), (count, handles),
              onehop::recorder::write_start(seen, count, handles))

ONEHOP_RECORD_AFTER(const MPI_Request before = *handle, MPI_Request_free, (MPI_Request * handle),
                    (handle), onehop::recorder::write_freed(seen, before))

/// Defines a function that completes requests. `count`, `handles` and `statuses` are its arguments
/// of that kind; the remaining code runs if it succeeded, and says which requests are complete.
#define ONEHOP_COMPLETES(name, parameters, arguments, count, handles, statuses, ...) \
  [[gnu::weak]] int P##name parameters;                                              \
  int name parameters {                                                              \
    completion seen(#name, __builtin_return_address(0), count, handles, statuses);   \
    const int code = P##name arguments;                                              \
    if (seen.succeeded(code)) {                                                      \
      __VA_ARGS__;                                                                   \
    }                                                                                \
    seen.write();                                                                    \
    return code;                                                                     \
  }

ONEHOP_COMPLETES(MPI_Wait, (MPI_Request * handle, MPI_Status* status), (handle, status), 1, handle,
                 status, seen.add_all())
ONEHOP_COMPLETES(MPI_Waitall, (int count, MPI_Request* handles, MPI_Status* statuses),
                 (count, handles, statuses), count, handles, statuses, seen.add_all())
ONEHOP_COMPLETES(MPI_Waitany, (int count, MPI_Request* handles, int* index, MPI_Status* status),
                 (count, handles, index, status), count, handles, status, seen.add(*index, 0))
ONEHOP_COMPLETES(MPI_Waitsome,
                 (int count, MPI_Request* handles, int* number, int* indices, MPI_Status* statuses),
                 (count, handles, number, indices, statuses), count, handles, statuses,
                 seen.add_some(*number, indices))
ONEHOP_COMPLETES(MPI_Test, (MPI_Request * handle, int* flag, MPI_Status* status),
                 (handle, flag, status), 1, handle, status, if (*flag != 0) seen.add_all())
ONEHOP_COMPLETES(MPI_Testall, (int count, MPI_Request* handles, int* flag, MPI_Status* statuses),
                 (count, handles, flag, statuses), count, handles, statuses,
                 if (*flag != 0) seen.add_all())
ONEHOP_COMPLETES(MPI_Testany,
                 (int count, MPI_Request* handles, int* index, int* flag, MPI_Status* status),
                 (count, handles, index, flag, status), count, handles, status,
                 if (*flag != 0) seen.add(*index, 0))
ONEHOP_COMPLETES(MPI_Testsome,
                 (int count, MPI_Request* handles, int* number, int* indices, MPI_Status* statuses),
                 (count, handles, number, indices, statuses), count, handles, statuses,
                 seen.add_some(*number, indices))

// The request remains, but nothing waits for it any more: a later wait finds no recorded request
// and writes no line.
ONEHOP_COMPLETES(MPI_Request_get_status, (MPI_Request handle, int* flag, MPI_Status* status),
                 (handle, flag, status), 1, &handle, status, if (*flag != 0) seen.add_all())

ONEHOP_RECORD_AFTER(ONEHOP_OWN_STATUS, MPI_Probe,
                    (int from, int tag, MPI_Comm comm, MPI_Status* status),
                    (from, tag, comm, status),
                    onehop::recorder::write_event(seen, "probe", comm, status->MPI_SOURCE,
                                                  status->MPI_TAG))
ONEHOP_RECORD_AFTER(ONEHOP_OWN_STATUS, MPI_Iprobe,
                    (int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status),
                    (from, tag, comm, flag, status),
                    if (*flag != 0)
                        onehop::recorder::write_event(seen, "probe", comm, status->MPI_SOURCE,
                                                      status->MPI_TAG))
}
