#pragma once
/// Errors of MPI: a function of the ABI turns an exception into the code that it returns, or ends
/// the job.

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "mpi/abi.hpp"
#include "mpi/call_lock.hpp"
#include "mpi/end_job.hpp"

namespace onehop::mpi_abi {

class communicator;

/// An mpi_error is a caller's mistake that has an error class in the standard.
class mpi_error : public std::runtime_error {
 public:
  mpi_error(error_class of, const std::string& what,
            std::shared_ptr<const communicator> where = nullptr)
      : std::runtime_error(what), code(of), comm(std::move(where)) {}
  error_class code;
  /// The communicator whose error handler is called; null for the function's own communicator.
  std::shared_ptr<const communicator> comm;
};

/// Returns the text of an error class or code, or null if the number is unknown.
const char* error_text(int code) noexcept;
/// Returns the class of a code. Codes added by the caller have the class given when they were made.
int class_of(int code) noexcept;
/// Returns the largest code in use.
int last_used_code() noexcept;

/// An own_code is an error code or class that the caller has added.
struct own_code {
  int error_class;
  std::string words;
};
/// Adds a code to a class, or a new class if `of` is null.
int add_code(const int* of);
/// Returns the caller's code. Both functions throw mpi_error if no call has added the code, and
/// remove_code also if it is of the other kind.
own_code& own_code_at(int code);
void remove_code(int code, bool is_class);

/// Ends this rank with a line that the launcher shows for the whole job.
template <class Error>
[[noreturn]] void end_with(const Error& why) noexcept {
  try {
    throw why;
  } catch (...) {
    end_job();
  }
}
/// Calls the communicator's error handler for an error in a function. Returns the error's code if
/// the handler returns.
int handle_error(MPI_Comm comm, const char* function, const mpi_error& error);

/// Ends the job if the error handler of the error's communicator is MPI_ERRORS_ARE_FATAL.
void end_if_fatal(const mpi_error& error);

/// An error_handler is predefined or a function of the caller. A function for a window or file is
/// called with the handle of that object in place of a communicator's.
struct error_handler {
  MPI_Errhandler fixed_handle = nullptr;
  MPI_Comm_errhandler_function* call = nullptr;
};
/// Returns the error handler of a handle; throws mpi_error for MPI_ERRHANDLER_NULL.
error_handler handler_at(MPI_Errhandler handle);
/// Returns a handle that the caller frees. Equal functions get the same handle as long as somebody
/// holds it, so that handles can be compared.
MPI_Errhandler handle_of(const error_handler& handler);
void free_handle(MPI_Errhandler handle);
/// Throws an error with the code that a caller passes to an error handler.
[[noreturn]] void throw_code(int code);

/// Returns the name of the running function of the ABI.
inline const char*& current_function() noexcept {
  static const char* name = "MPI_Init";
  return name;
}

/// While a running_function exists, no other thread is in a function of the ABI.
class running_function {
 public:
  running_function() noexcept : locked_(calls().shared()) {
    if (locked_) [[unlikely]]
      calls().take();
  }
  ~running_function() {
    if (locked_) [[unlikely]]
      calls().give();
  }
  running_function(const running_function&) = delete;
  running_function& operator=(const running_function&) = delete;

 private:
  bool locked_;  ///< MPI_Init may find meanwhile that there is one thread
};

/// A named_function sets the current function while it exists, and then restores the one before.
/// Functions of the program that MPI calls may call MPI in between.
class named_function {
 public:
  explicit named_function(const char* name) noexcept
      : outer_(std::exchange(current_function(), name)) {}
  ~named_function() { current_function() = outer_; }
  named_function(const named_function&) = delete;
  named_function& operator=(const named_function&) = delete;

 private:
  const char* outer_;
};

/// A list_of is a list in the caller's memory, which may be NULL only if it is empty.
struct list_of {
  const void* first;
  std::ptrdiff_t count;
};

/// An entry is the name of the function of the ABI that was called. It also checks the arguments
/// that the function needs: output locations, names, lists, hints and error handlers.
class entry {
 public:
  template <class... Arguments>
  entry(const char* name, const Arguments&... needed) noexcept : function(name) {
    ((wrong_ = wrong_ == success ? flaw(needed) : wrong_), ...);
  }
  bool is_wrong() const noexcept { return wrong_ != success; }
  /// Throws mpi_error if an argument is wrong.
  void check() const {
    if (is_wrong()) [[unlikely]]
      refuse();
  }
  const char* function;

 private:
  template <class T>
  static error_class flaw(T* address) noexcept {
    return address == nullptr ? err_arg : success;
  }
  static error_class flaw(const list_of& list) noexcept {
    return list.count > 0 ? flaw(list.first) : success;
  }
  static error_class flaw(MPI_Info hints) noexcept;
  static error_class flaw(MPI_Errhandler handler) noexcept;
  [[noreturn]] void refuse() const;

  error_class wrong_ = success;
};

/// Throws mpi_error for a NULL list whose length only the function itself can determine.
inline void require_list(const void* first, std::ptrdiff_t count) {
  entry(current_function(), list_of{first, count}).check();
}

/// Runs the body of a function of the ABI. No exception leaves it.
template <class Body>
int guarded(MPI_Comm comm, const entry& call, Body&& body) noexcept {
  const running_function alone;
  const named_function named(call.function);
  try {
    call.check();
    body();
    return success;
  } catch (const mpi_error& error) {
    return handle_error(comm, call.function, error);
  } catch (...) {
    end_job();
  }
}
template <class Body>
int guarded(const entry& call, Body&& body) noexcept {
  return guarded(nullptr, call, body);
}

/// Runs the body of a function that any thread may call at any time. Only its arguments can be in
/// error.
template <class Body>
int at_any_time(const entry& call, Body&& body) noexcept {
  if (call.is_wrong()) return guarded(call, [] {});
  body();
  return success;
}

}  // namespace onehop::mpi_abi
