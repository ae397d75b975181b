#pragma once
/// Converts the arguments of Fortran calls to those of the C functions, and converts results back
/// after the call.
///
/// Fortran passes addresses: of integers for handles and flags, and of the text itself with its
/// length after all other arguments. Each class below is one kind of argument in functions.txt. It
/// is constructed from the address and converts to the argument of C, and its destructor writes the
/// result back.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "mpi_fortran/handles.hpp"

extern "C" {
/// The common blocks of mpif.h, whose addresses represent the constants of the same names.
extern int onehop_mpi_bottom_, onehop_mpi_in_place_, onehop_mpi_buffer_automatic_,
    onehop_mpi_unweighted_, onehop_mpi_weights_empty_, onehop_mpi_status_ignore_[8],
    onehop_mpi_statuses_ignore_[8];
}

namespace onehop::mpi_fortran {

/// A value is an argument that C takes by value.
template <class T>
class value {
 public:
  value(const T* from) noexcept : value_(*from) {}
  operator T() const noexcept { return value_; }

 private:
  T value_;
};
using integer = value<int>;
using logical = value<int>;
using address = value<MPI_Aint>;
using offset = value<MPI_Offset>;
using large = value<MPI_Count>;

/// A place is an argument that C also takes by address.
template <class T>
class place {
 public:
  place(T* at) noexcept : at_(at) {}
  operator T*() const noexcept { return at_; }

 private:
  T* at_;
};
using integer_out = place<int>;
using integers = place<int>;
using logical_out = place<int>;
using logicals = place<int>;
using address_out = place<MPI_Aint>;
using addresses = place<MPI_Aint>;
using offset_out = place<MPI_Offset>;
using large_out = place<MPI_Count>;

template <class Handle>
class handle_in {
 public:
  handle_in(const int* from) : handle_(from_integer<Handle>(*from)) {}
  operator Handle() const noexcept { return handle_; }

 private:
  Handle handle_;
};
template <class Handle>
class handle_out {
 public:
  handle_out(int* to) noexcept : to_(to) {}
  handle_out(const handle_out&) = delete;
  handle_out& operator=(const handle_out&) = delete;
  ~handle_out() {
    if (made_ != nullptr) *to_ = to_integer(made_);
  }
  operator Handle*() noexcept { return &made_; }

 private:
  int* to_;
  Handle made_ = nullptr;  ///< still null if the function fails
};
template <class Handle>
class handle_inout {
 public:
  handle_inout(int* at) : at_(at), handle_(from_integer<Handle>(*at)) {}
  handle_inout(const handle_inout&) = delete;
  handle_inout& operator=(const handle_inout&) = delete;
  ~handle_inout() { *at_ = to_integer(handle_); }
  operator Handle*() noexcept { return &handle_; }

 private:
  int* at_;
  Handle handle_;
};
/// An array of `count` handles. Handles of requests change during the call.
template <class Handle, bool change>
class handle_array {
 public:
  handle_array(int* at, const int* count) : at_(at) {
    for (int i = 0; i < *count; ++i) handles_.push_back(from_integer<Handle>(at[i]));
  }
  handle_array(const handle_array&) = delete;
  handle_array& operator=(const handle_array&) = delete;
  ~handle_array() {
    if constexpr (change)
      for (std::size_t i = 0; i < handles_.size(); ++i) at_[i] = to_integer(handles_[i]);
  }
  operator Handle*() noexcept { return handles_.data(); }

 private:
  int* at_;
  std::vector<Handle> handles_;
};

#define ONEHOP_HANDLE(kind, Handle)      \
  using kind = handle_in<Handle>;        \
  using kind##_out = handle_out<Handle>; \
  using kind##_inout = handle_inout<Handle>
ONEHOP_HANDLE(comm, MPI_Comm);
ONEHOP_HANDLE(group, MPI_Group);
ONEHOP_HANDLE(type, MPI_Datatype);
ONEHOP_HANDLE(op, MPI_Op);
ONEHOP_HANDLE(request, MPI_Request);
ONEHOP_HANDLE(errhandler, MPI_Errhandler);
ONEHOP_HANDLE(info, MPI_Info);
ONEHOP_HANDLE(win, MPI_Win);
ONEHOP_HANDLE(file, MPI_File);
ONEHOP_HANDLE(session, MPI_Session);
ONEHOP_HANDLE(message, MPI_Message);
#undef ONEHOP_HANDLE
using requests = handle_array<MPI_Request, true>;
using types = handle_array<MPI_Datatype, false>;

/// One datatype for each rank that a call sends to or receives from. The array is never freed and
/// equal arrays are shared, since a nonblocking call may read it until it is complete.
class types_of_each {
 public:
  operator const MPI_Datatype*() const noexcept { return types_; }

 protected:
  types_of_each(const int* at, int count);

 private:
  const MPI_Datatype* types_;
};
/// Returns the number of ranks with which a communicator's collectives exchange messages.
int ranks(int number);
int targets(int number);
int sources(int number);
struct types_of_ranks : types_of_each {
  /// `from` is the buffer that the types describe. If it is MPI_IN_PLACE, there are no types.
  types_of_ranks(const int* at, const int* number, const void* from = nullptr)
      : types_of_each(at, from == &onehop_mpi_in_place_ ? 0 : ranks(*number)) {}
};
struct types_of_targets : types_of_each {
  types_of_targets(const int* at, const int* number, const void* /*from*/)
      : types_of_each(at, targets(*number)) {}
};
struct types_of_sources : types_of_each {
  types_of_sources(const int* at, const int* number) : types_of_each(at, sources(*number)) {}
};

/// The buffer of a message.
class buffer {
 public:
  buffer(void* at) noexcept : at_(at) {
    if (at == &onehop_mpi_bottom_) at_ = nullptr;
    if (at == &onehop_mpi_in_place_) at_ = fixed<void*>(1);
    if (at == &onehop_mpi_buffer_automatic_) at_ = fixed<void*>(2);
  }
  operator void*() const noexcept { return at_; }

 private:
  void* at_;
};

class weights {
 public:
  weights(int* at) noexcept : at_(at) {
    if (at == &onehop_mpi_unweighted_) at_ = fixed<int*>(10);
    if (at == &onehop_mpi_weights_empty_) at_ = fixed<int*>(11);
  }
  operator int*() const noexcept { return at_; }

 private:
  int* at_;
};

/// The eight integers of a status are the same in both languages.
class status {
 public:
  status(int* at) noexcept : at_(reinterpret_cast<MPI_Status*>(at)) {
    if (at == onehop_mpi_status_ignore_ || at == onehop_mpi_statuses_ignore_) at_ = nullptr;
  }
  operator MPI_Status*() const noexcept { return at_; }

 private:
  MPI_Status* at_;
};
using statuses = status;

/// Fortran sets an attribute to an integer, whose address C sees. C sets an attribute to an
/// address, which Fortran sees as an integer.
void* attribute_of(MPI_Aint number);
MPI_Aint integer_of(const void* attribute);

class attribute {
 public:
  attribute(const MPI_Aint* from) : value_(attribute_of(*from)) {}
  operator void*() const noexcept { return value_; }

 private:
  void* value_;
};

/// Fortran cannot name the memory that was attached, so its address is dropped.
class detached {
 public:
  detached(void*) noexcept {}
  operator void*() noexcept { return &address_; }

 private:
  void* address_ = nullptr;
};

/// Fortran counts from 1.
class index_out {
 public:
  index_out(int* to) noexcept : to_(to) {}
  index_out(const index_out&) = delete;
  index_out& operator=(const index_out&) = delete;
  ~index_out() {
    if (*to_ >= 0) ++*to_;
  }
  operator int*() const noexcept { return to_; }

 private:
  int* to_;
};
class indices {
 public:
  indices(int* to, const int* count) noexcept : to_(to), count_(count) {}
  indices(const indices&) = delete;
  indices& operator=(const indices&) = delete;
  ~indices() {
    for (int i = 0; i < *count_; ++i) ++to_[i];
  }
  operator int*() const noexcept { return to_; }

 private:
  int* to_;
  const int* count_;
};

/// The size of a text buffer. C also counts the terminating zero.
class room {
 public:
  room(int* at) noexcept : at_(at), value_(*at > 0 ? *at + 1 : 0) {}
  room(const room&) = delete;
  room& operator=(const room&) = delete;
  ~room() {
    if (value_ > 0) *at_ = value_ - 1;
  }
  operator int*() noexcept { return &value_; }

 private:
  int* at_;
  int value_;
};

/// Text without leading and trailing blanks.
std::string trimmed(const char* from, std::size_t bytes);

class text {
 public:
  text(const char* from, std::size_t bytes) : text_(trimmed(from, bytes)) {}
  operator const char*() const noexcept { return text_.c_str(); }

 private:
  std::string text_;
};
/// Returned text is padded with blanks.
class text_out {
 public:
  text_out(char* to, std::size_t bytes) : to_(to), bytes_(bytes), text_(trimmed(to, bytes)) {
    text_.resize(std::max(bytes, longest) + 1);
  }
  text_out(const text_out&) = delete;
  text_out& operator=(const text_out&) = delete;
  ~text_out();
  operator char*() noexcept { return text_.data(); }

 private:
  static constexpr std::size_t longest = 8192;  ///< the longest text in MPI
  char* to_;
  std::size_t bytes_;
  std::string text_;
};

/// In Fortran 2008 the error code is optional.
inline void put_error(int* where, int code) noexcept {
  if (where != nullptr) *where = code;
}

}  // namespace onehop::mpi_fortran
