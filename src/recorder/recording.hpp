#pragma once
/// A recording says what a rank of a program of MPI calls, and how long it computes in between. It
/// is a file of JSON lines for each rank, which docs/reference/recording.md describes.

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

/// A call is one call of a function of MPI, while it lasts. Those that the MPI library, or another
/// thread of the program, makes are not recorded.
class call {
 public:
  /// `site` is the address that the function returns to.
  call(const char* function, const void* site) noexcept;
  ~call();
  call(const call&) = delete;
  call& operator=(const call&) = delete;

  bool recorded() const noexcept { return recorded_; }
  /// Returns whether the call is recorded and has ended with this code well. One that has failed is
  /// counted as a call that a replay cannot do: it may have moved data or ended requests.
  bool succeeded(int code) const;
  const char* function() const noexcept { return function_; }
  const void* site() const noexcept { return site_; }
  std::int64_t computed() const noexcept { return computed_; }

 private:
  const char* function_;
  const void* site_;
  std::int64_t computed_ = 0;  ///< nanoseconds from the call before to this one
  bool recorded_;
};

/// A line is one event as a JSON array: its kind, its site, what was computed before, and numbers.
class line {
 public:
  line(const call& of, std::string_view kind);
  /// A line of its own kind belongs to the event that follows.
  explicit line(std::string_view kind) : text_("[\"" + std::string(kind) + '"') {}
  ~line();
  line(const line&) = delete;
  line& operator=(const line&) = delete;

  line& add(std::int64_t number);
  line& add(std::span<const std::int64_t> numbers);

 private:
  std::string text_;
};

/// A known_request is a request of the program that a line has named.
struct known_request {
  std::int64_t number = 0;
  bool persistent = false;
  bool any = false;     ///< a receive that does not name its source or its tag
  bool started = true;  ///< and not seen to be complete
};

/// A recording holds what this process calls from MPI_Init to MPI_Finalize.
class recording {
 public:
  /// Begins what the variables say: a file for this rank, computing as in a recording; all ranks
  /// have been told the same name of the run.
  void begin(std::string_view run, int rank, int ranks);
  /// Ends the file. Says on standard error what could not be recorded.
  void end(int rank);

  bool active() const noexcept { return file_.is_open() || !computing_.empty(); }
  /// Returns whether this is the thread that called MPI_Init, whose calls alone are recorded.
  bool is_its_thread() const noexcept;
  void write(std::string_view text) { file_.write(text); }
  /// Lets the recorded time pass on the rank's processor that lies before a call from `site`.
  void pass(const void* site);
  /// Notes that the call from `site` makes a line, and returns the site's number.
  std::int64_t note(const void* site);
  /// Counts a call that a replay cannot do.
  /// Any thread may call this.
  void miss(std::string_view function) {
    const std::lock_guard alone(missing_);
    ++missed_[std::string(function)];
  }

  /// Computing begins anew after a call, before which there were `computed` nanoseconds: they come
  /// before the next line as well unless they have been charged to one.
  void restart_clock(std::int64_t computed) noexcept;
  void charge() noexcept {
    charged_ = true;
    carried_ = 0;
  }
  std::int64_t computed() const noexcept;

  std::int64_t add_request(MPI_Request handle, bool persistent, bool any = false);
  /// Returns the oldest request of that handle, null where none was recorded.
  known_request* find(MPI_Request handle);
  /// Forgets that one.
  void forget(MPI_Request handle);
  std::int64_t add_communicator(MPI_Comm handle);
  /// Returns a communicator's number; -1 where none was recorded.
  std::int64_t number_of(MPI_Comm handle) const;
  void forget(MPI_Comm handle) { communicators_.erase(handle); }

 private:
  /// A known_site has the numbers of a call site in the file, -1 before its first line, and in the
  /// recording that is computed as.
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
  /// An MPI may give one handle to several sends that are complete when they begin.
  std::unordered_map<MPI_Request, std::deque<known_request>> requests_;
  std::unordered_map<MPI_Comm, std::int64_t> communicators_;
  std::mutex missing_;
  std::unordered_map<std::string, std::uint64_t> missed_;
  recorded_computing computing_;
};

recording& here() noexcept;

/// Names an address by the file that it is in and its place there, which are the same in all ranks.
std::string place_of(const void* address);

/// Returns the bytes of `count` elements of a type.
std::int64_t bytes_of(std::int64_t count, MPI_Datatype type);

/// Writes a line whose first number is the communicator's; counts a call that uses an unknown one.
/// `rest` are numbers and spans of numbers.
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

/// Defines a function that records a call of it. `before` is done before the call; `parameters` and
/// `arguments` are in parentheses; what follows is done after the call, with `seen` for the call,
/// where it has succeeded.
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
/// A caller that wants no status has one here, of which the line is made.
#define ONEHOP_OWN_STATUS  \
  MPI_Status own_status{}; \
  if (status == nullptr) status = &own_status
