#pragma once
/// A recording lists the MPI calls of a program's rank, and the computing time between them. It is
/// a file of JSON lines for each rank, which docs/reference/recording.md describes.

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/recorded_computing.hpp"
#include "base/recording_file.hpp"
#include "mpi/abi.hpp"

namespace onehop::recorder {

/// A call is one MPI call while it lasts. Calls made by the MPI library itself, or by another
/// thread of the program, are not recorded.
class call {
 public:
  /// `site` is the address to which the function returns.
  call(const char* function, const void* site) noexcept;
  ~call();
  call(const call&) = delete;
  call& operator=(const call&) = delete;

  bool recorded() const noexcept { return recorded_; }
  /// Returns whether the call is recorded and has succeeded with this code. A failed call counts as
  /// one that a replay cannot do, because it may have moved data or ended requests.
  bool succeeded(int code) const;
  const char* function() const noexcept { return function_; }
  const void* site() const noexcept { return site_; }
  std::int64_t computed() const noexcept { return computed_; }

 private:
  const char* function_;
  const void* site_;
  std::int64_t computed_ = 0;  ///< nanoseconds from the previous call to this one
  bool recorded_;
};

/// A line is one event as a JSON array: its kind, its site, the computing time before it, and
/// numbers.
class line {
 public:
  line(const call& of, std::string_view kind);
  /// A line of another kind belongs to the event that follows.
  explicit line(std::string_view kind) : text_("[\"" + std::string(kind) + '"') {}
  ~line();
  line(const line&) = delete;
  line& operator=(const line&) = delete;

  line& add(std::int64_t number);
  line& add(std::span<const std::int64_t> numbers);

 private:
  std::string text_;
};

/// A known_request is a request of the program that appears in a line.
struct known_request {
  std::int64_t number = 0;
  bool persistent = false;
  bool any = false;     ///< a receive that leaves open its source or its tag
  bool started = true;  ///< and not known to be complete
};

/// A recording keeps the calls of this process from MPI_Init to MPI_Finalize.
class recording {
 public:
  /// Begins what the environment variables request: a file for this rank, and computing as in a
  /// recording. All ranks pass the same name of the run.
  void begin(std::string_view run, int rank, int ranks);
  /// Ends the file. Reports on standard error what could not be recorded.
  void end(int rank);

  bool active() const noexcept { return file_.is_open() || !computing_.empty(); }
  /// Returns whether this is the thread that called MPI_Init; only its calls are recorded.
  bool is_its_thread() const noexcept;
  void write(std::string_view text) { file_.write(text); }
  /// Lets the recorded computing time before a call from `site` pass on the rank's processor.
  void pass(const void* site);
  /// Notes that the call from `site` writes a line, and returns the site's number.
  std::int64_t note(const void* site);
  /// Counts a call that a replay cannot do.
  /// Any thread may call this.
  void miss(std::string_view function) {
    const std::lock_guard alone(missing_);
    ++missed_[std::string(function)];
  }

  /// Restarts the computing time after a call that was preceded by `computed` nanoseconds. These
  /// also count before the next line, unless they have been charged to one.
  void restart_clock(std::int64_t computed) noexcept;
  void charge() noexcept {
    charged_ = true;
    carried_ = 0;
  }
  std::int64_t computed() const noexcept;

  std::int64_t add_request(MPI_Request handle, bool persistent, bool any = false);
  /// Returns the oldest request with that handle, or null if none was recorded.
  known_request* find(MPI_Request handle);
  /// Removes the oldest request with that handle.
  void forget(MPI_Request handle);
  std::int64_t add_communicator(MPI_Comm handle);
  /// Returns a communicator's number, or -1 if it was not recorded.
  std::int64_t number_of(MPI_Comm handle) const;
  void forget(MPI_Comm handle) { communicators_.erase(handle); }

 private:
  /// A known_site has the numbers of a call site: in the file, -1 before its first line, and in the
  /// recording whose computing times are used.
  struct known_site {
    std::int64_t written = -1;
    int recorded = -1;
  };
  known_site& known(const void* site);

  recording_file file_;
  pid_t thread_ = 0;
  std::int64_t since_ = 0, carried_ = 0, look_ = 0;
  bool charged_ = false;
  std::int64_t requests_made_ = 0, communicators_made_ = 2;
  std::unordered_map<const void*, known_site> sites_;
  /// An MPI library may give one handle to several sends that are complete from the start.
  std::unordered_map<MPI_Request, std::deque<known_request>> requests_;
  std::unordered_map<MPI_Comm, std::int64_t> communicators_;
  std::mutex missing_;
  std::unordered_map<std::string, std::uint64_t> missed_;
  recorded_computing computing_;
};

recording& here() noexcept;

/// Names an address by its file and its offset there, which are the same on all ranks.
std::string place_of(const void* address);

/// Returns the bytes of `count` elements of a type.
std::int64_t bytes_of(std::int64_t count, MPI_Datatype type);

/// Writes a line whose first number is the communicator's; counts a call that uses an unknown
/// communicator. `rest` are numbers and spans of numbers.
template <class... Rest>
void write_event(const call& of, std::string_view kind, MPI_Comm comm, const Rest&... rest) {
  if (!of.recorded()) return;
  const std::int64_t number = here().number_of(comm);
  if (number < 0) return here().miss(of.function());
  line one(of, kind);
  one.add(number);
  (one.add(rest), ...);
}

}  // namespace onehop::recorder

/// Defines a function that records its calls. `before` runs before the call; `parameters` and
/// `arguments` are in parentheses; the remaining code runs after the call if it succeeded, with
/// `seen` as the call.
#define ONEHOP_RECORD_AFTER(before, name, parameters, arguments, ...)      \
  [[gnu::weak]] int ONEHOP_ABI(P##name) parameters;                        \
  int ONEHOP_ABI(name) parameters {                                        \
    const onehop::recorder::call seen(#name, __builtin_return_address(0)); \
    before;                                                                \
    const int code = ONEHOP_ABI(P##name) arguments;                        \
    if (seen.succeeded(code)) {                                            \
      __VA_ARGS__;                                                         \
    }                                                                      \
    return code;                                                           \
  }
#define ONEHOP_RECORD(name, parameters, arguments, ...) \
  ONEHOP_RECORD_AFTER(, name, parameters, arguments, __VA_ARGS__)
/// A caller that passes no status gets one here, from which the line is written.
#define ONEHOP_OWN_STATUS  \
  MPI_Status own_status{}; \
  if (status == nullptr) status = &own_status
