#pragma once
/// Errors of MPI: how a function of the ABI turns what went wrong into the code that it returns, or
/// ends the job.

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

/// An mpi_error is a mistake of the caller that has an error class of the standard.
class mpi_error : public std::runtime_error {
 public:
  mpi_error(error_class of, const std::string& what,
            std::shared_ptr<const communicator> where = nullptr)
      : std::runtime_error(what), code(of), comm(std::move(where)) {}
  error_class code;
  /// Its error handler is called; null where that is the one of the function's own communicator.
  std::shared_ptr<const communicator> comm;
};

/// Returns the text of an error class or code, and null where there is none of that number.
const char* error_text(int code) noexcept;
/// Returns the class of a code; the caller's own codes have one of theirs.
int class_of(int code) noexcept;
/// Returns the largest code that is used.
int last_used_code() noexcept;

/// An own_code is an error code, or class, that the caller has made.
struct own_code {
  int error_class;
  std::string words;
};
/// Makes a code of a class, or a class where there is none.
int add_code(const int* of);
/// Throws mpi_error where no call has made the code, and the last one where it is none of that
/// kind.
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
/// Does what the communicator's error handler says about an error in a function; returns the code
/// where the handler returns.
int handle_error(MPI_Comm comm, const char* function, const mpi_error& error);

/// Ends the job where that is what the error handler of the error's communicator does.
void end_if_fatal(const mpi_error& error);

/// An error_handler is a predefined one, or a function of the caller's. It knows a window or a file
/// by its handle, in place of a communicator's.
struct error_handler {
  MPI_Errhandler fixed_handle = nullptr;
  MPI_Comm_errhandler_function* call = nullptr;
};
/// Returns the error handler of a handle; throws mpi_error for MPI_ERRHANDLER_NULL.
error_handler handler_at(MPI_Errhandler handle);
/// Returns a handle that the caller frees, the same one for the same function as long as somebody
/// has it, so that handles can be compared.
MPI_Errhandler handle_of(const error_handler& handler);
void free_handle(MPI_Errhandler handle);
/// Throws what has the code that a caller gives to an error handler.
[[noreturn]] void throw_code(int code);

/// Returns the name of the function of the ABI that runs.
inline const char*& current_function() noexcept {
  static const char* name = "MPI_Init";
  return name;
}

/// While a running_function lives, no other thread is in a function of the ABI.
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
  bool locked_;  ///< MPI_Init may find out meanwhile that there is one thread
};

/// A named_function is the one that runs while it lives; a function of the program's that it calls
/// may call others meanwhile.
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

/// A list_of is a list in the caller's memory, which is NULL only where it is empty.
struct list_of {
  const void* first;
  std::ptrdiff_t count;
};

/// An entry is the name of a function of the ABI that was called, and what is wrong with arguments
/// that the function needs: where it is to write, names, lists, hints and error handlers.
class entry {
 public:
  template <class... Arguments>
  entry(const char* name, const Arguments&... needed) noexcept : function(name) {
    ((wrong_ = wrong_ == success ? flaw(needed) : wrong_), ...);
  }
  bool is_wrong() const noexcept { return wrong_ != success; }
  /// Throws mpi_error where something is wrong.
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

/// Throws mpi_error for a list whose length the function itself finds out.
inline void require_list(const void* first, std::ptrdiff_t count) {
  entry(current_function(), list_of{first, count}).check();
}

/// Runs the body of a function of the ABI, which no exception leaves.
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

/// Runs the body of a function that any thread may call at any time, and that has no other errors
/// than those of its arguments.
template <class Body>
int at_any_time(const entry& call, Body&& body) noexcept {
  if (call.is_wrong()) return guarded(call, [] {});
  body();
  return success;
}

}  // namespace onehop::mpi_abi
