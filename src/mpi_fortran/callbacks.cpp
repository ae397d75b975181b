// Functions of a Fortran program that MPI calls: operations, error handlers, copies of attributes.
//
// MPI calls them like C functions, with pointers as handles. So MPI is given a function of this
// file, which converts the handles to integers.

#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include "mpi_fortran/arguments.hpp"

namespace onehop::mpi_fortran {
namespace {

using fortran_operation = void(void* in, void* inout, int* count, int* type);
using fortran_handler = void(int* handle, int* code);
template <class Handle>
using handler = void(Handle* handle, int* code, ...);

/// MPI passes no argument that would identify the Fortran function of a call. So each Fortran
/// function has a slot, and each slot has its own C function.
template <class Fortran, class Call>
class functions {
 public:
  static constexpr std::size_t most = 256;

  /// Returns the C function that calls `called`, or nullptr if all slots are taken.
  Call* find(Fortran* called) {
    const std::lock_guard guard(lock_);
    for (std::size_t slot = 0; slot < most; ++slot) {
      if (called_[slot] == nullptr) called_[slot] = called;
      if (called_[slot] == called) return calls_[slot];
    }
    return nullptr;
  }
  Fortran* operator[](std::size_t slot) const { return called_[slot]; }

  explicit functions(const std::array<Call*, most>& calls) : calls_(calls) {}

 private:
  std::mutex lock_;
  std::array<Fortran*, most> called_{};
  const std::array<Call*, most> calls_;
};

functions<fortran_operation, MPI_User_function>& operations();

template <std::size_t slot>
void combine(void* in, void* inout, int* count, MPI_Datatype* type) {
  int number = to_integer(*type);
  operations()[slot](in, inout, count, &number);
}

functions<fortran_operation, MPI_User_function>& operations() {
  static auto& all = *new functions<fortran_operation, MPI_User_function>(
      []<std::size_t... slot>(std::index_sequence<slot...>) {
        return std::array<MPI_User_function*, sizeof...(slot)>{combine<slot>...};
      }(std::make_index_sequence<functions<fortran_operation, MPI_User_function>::most>()));
  return all;
}

template <class Handle>
functions<fortran_handler, handler<Handle>>& handlers();

template <class Handle, std::size_t slot>
void handle_error(Handle* handle, int* code, ...) {
  int number = to_integer(*handle);
  handlers<Handle>()[slot](&number, code);
}

template <class Handle>
functions<fortran_handler, handler<Handle>>& handlers() {
  using all_handlers = functions<fortran_handler, handler<Handle>>;
  static auto& all = *new all_handlers([]<std::size_t... slot>(std::index_sequence<slot...>) {
    return std::array<handler<Handle>*, sizeof...(slot)>{handle_error<Handle, slot>...};
  }(std::make_index_sequence<all_handlers::most>()));
  return all;
}

template <class Handle>
void create_handler(int (*create)(handler<Handle>*, MPI_Errhandler*), fortran_handler* called,
                    int* made, int* error) {
  handler<Handle>* const call = handlers<Handle>().find(called);
  put_error(error, call == nullptr ? mpi_abi::err_no_mem : create(call, errhandler_out(made)));
}

/// A key's Fortran functions and their extra state. An attribute is an integer of type `Value`,
/// which is shorter in MPI 1.
template <class Value>
struct key_functions {
  void (*copy)(int* handle, int* key, Value* extra, Value* in, Value* out, int* flag, int* error);
  void (*remove)(int* handle, int* key, Value* value, Value* extra, int* error);
  Value extra;
};

template <class Handle>
using copy_function = int(Handle handle, int key, void* extra, void* in, void* out, int* flag);
template <class Handle>
using remove_function = int(Handle handle, int key, void* value, void* extra);

template <class Handle, class Value>
int copy_attribute(Handle handle, int key, void* extra, void* in, void* out, int* flag) {
  auto& functions = *static_cast<key_functions<Value>*>(extra);
  int number = to_integer(handle), error = mpi_abi::success;
  Value from = static_cast<Value>(integer_of(in)), to = from;
  functions.copy(&number, &key, &functions.extra, &from, &to, flag, &error);
  *static_cast<void**>(out) = attribute_of(to);
  return error;
}

template <class Handle, class Value>
int remove_attribute(Handle handle, int key, void* value, void* extra) {
  auto& functions = *static_cast<key_functions<Value>*>(extra);
  int number = to_integer(handle), error = mpi_abi::success;
  Value from = static_cast<Value>(integer_of(value));
  functions.remove(&number, &key, &from, &functions.extra, &error);
  return error;
}

/// The functions of a key are never freed, since attributes outlive MPI_Comm_free_keyval.
template <class Handle, class Value>
int create_key(int (*create)(copy_function<Handle>*, remove_function<Handle>*, int*, void*),
               const key_functions<Value>& functions, int* key) {
  return create(copy_attribute<Handle, Value>, remove_attribute<Handle, Value>, key,
                new key_functions<Value>(functions));
}

/// In C a predefined attribute is an address. Fortran gets the value there.
template <class Value>
Value predefined(int key, void* found) {
  if (key == mpi_abi::key_win_base) return static_cast<Value>(reinterpret_cast<MPI_Aint>(found));
  if (key == mpi_abi::key_win_size) return static_cast<Value>(*static_cast<MPI_Aint*>(found));
  return static_cast<Value>(*static_cast<int*>(found));
}

template <class Handle, class Value>
int get_attribute(int (*get)(Handle, int, void*, int*), int handle, int key, Value* value,
                  int* flag) {
  constexpr int first = mpi_abi::key_tag_upper_bound, last = mpi_abi::key_win_model;
  void* found = nullptr;
  const int code = get(from_integer<Handle>(handle), key, &found, flag);
  if (code != mpi_abi::success || *flag == 0) return code;
  *value = key >= first && key <= last ? predefined<Value>(key, found)
                                       : static_cast<Value>(integer_of(found));
  return code;
}

/// The Fortran functions of a generalized request, kept until it is freed. They get the program's
/// own extra state, which they may change.
struct request_functions {
  void (*query)(MPI_Aint* extra, int* status, int* error);
  void (*free)(MPI_Aint* extra, int* error);
  void (*cancel)(MPI_Aint* extra, int* complete, int* error);
  MPI_Aint* extra;
};

int query_request(void* extra, MPI_Status* status) {
  auto& functions = *static_cast<request_functions*>(extra);
  int error = mpi_abi::success;
  functions.query(functions.extra, reinterpret_cast<int*>(status), &error);
  return error;
}
int free_request(void* extra) {
  const std::unique_ptr<request_functions> functions(static_cast<request_functions*>(extra));
  int error = mpi_abi::success;
  functions->free(functions->extra, &error);
  return error;
}
int cancel_request(void* extra, int complete) {
  auto& functions = *static_cast<request_functions*>(extra);
  int error = mpi_abi::success;
  functions.cancel(functions.extra, &complete, &error);
  return error;
}

void take_no_copy(int* flag, int* error) {
  *flag = 0;
  *error = mpi_abi::success;
}
template <class Value>
void take_copy(const Value* in, Value* out, int* flag, int* error) {
  *out = *in;
  *flag = 1;
  *error = mpi_abi::success;
}

}  // namespace
}  // namespace onehop::mpi_fortran

using namespace onehop::mpi_fortran;

extern "C" {

int MPI_Op_create(MPI_User_function* call, int commutes, MPI_Op* made);

void mpi_op_create_(fortran_operation* called, const int* commutes, int* made, int* error) {
  MPI_User_function* const call = operations().find(called);
  put_error(error, call == nullptr ? onehop::mpi_abi::err_no_mem
                                   : MPI_Op_create(call, *commutes, op_out(made)));
}

int MPI_Grequest_start(decltype(query_request)* query, decltype(free_request)* free,
                       decltype(cancel_request)* cancel, void* extra, MPI_Request* made);

void mpi_grequest_start_(decltype(request_functions::query) query,
                         decltype(request_functions::free) free,
                         decltype(request_functions::cancel) cancel, MPI_Aint* extra, int* made,
                         int* error) {
  auto functions = std::make_unique<request_functions>(query, free, cancel, extra);
  const int code = MPI_Grequest_start(query_request, free_request, cancel_request, functions.get(),
                                      request_out(made));
  if (code == onehop::mpi_abi::success) functions.release();
  put_error(error, code);
}

#define ONEHOP_HANDLER(Name, name, Handle)                                               \
  int MPI_##Name##_create_errhandler(handler<Handle>* call, MPI_Errhandler* made);       \
  void mpi_##name##_create_errhandler_(fortran_handler* called, int* made, int* error) { \
    create_handler<Handle>(MPI_##Name##_create_errhandler, called, made, error);         \
  }
ONEHOP_HANDLER(Comm, comm, MPI_Comm)
ONEHOP_HANDLER(File, file, MPI_File)
ONEHOP_HANDLER(Session, session, MPI_Session)
ONEHOP_HANDLER(Win, win, MPI_Win)

void mpi_errhandler_create_(fortran_handler* called, int* made, int* error) {
  mpi_comm_create_errhandler_(called, made, error);
}

#define ONEHOP_ATTRIBUTES(Name, name, Handle)                                                  \
  int MPI_##Name##_create_keyval(copy_function<Handle>* copy, remove_function<Handle>* remove, \
                                 int* key, void* extra);                                       \
  int MPI_##Name##_get_attr(Handle handle, int key, void* value, int* flag);                   \
  void mpi_##name##_create_keyval_(decltype(key_functions<MPI_Aint>::copy) copy,               \
                                   decltype(key_functions<MPI_Aint>::remove) remove, int* key, \
                                   const MPI_Aint* extra, int* error) {                        \
    put_error(error, create_key<Handle, MPI_Aint>(MPI_##Name##_create_keyval,                  \
                                                  {copy, remove, *extra}, key));               \
  }                                                                                            \
  void mpi_##name##_get_attr_(const int* handle, const int* key, MPI_Aint* value, int* flag,   \
                              int* error) {                                                    \
    put_error(error, get_attribute(MPI_##Name##_get_attr, *handle, *key, value, flag));        \
  }                                                                                            \
  void mpi_##name##_null_copy_fn_(int*, int*, MPI_Aint*, MPI_Aint*, MPI_Aint*, int* flag,      \
                                  int* error) {                                                \
    take_no_copy(flag, error);                                                                 \
  }                                                                                            \
  void mpi_##name##_dup_fn_(int*, int*, MPI_Aint*, MPI_Aint* in, MPI_Aint* out, int* flag,     \
                            int* error) {                                                      \
    take_copy(in, out, flag, error);                                                           \
  }                                                                                            \
  void mpi_##name##_null_delete_fn_(int*, int*, MPI_Aint*, MPI_Aint*, int* error) {            \
    *error = onehop::mpi_abi::success;                                                         \
  }
ONEHOP_ATTRIBUTES(Comm, comm, MPI_Comm)
ONEHOP_ATTRIBUTES(Type, type, MPI_Datatype)
ONEHOP_ATTRIBUTES(Win, win, MPI_Win)

// In MPI 1 an attribute is an integer of four bytes.
int MPI_Comm_set_attr(MPI_Comm handle, int key, void* value);

void mpi_keyval_create_(decltype(key_functions<int>::copy) copy,
                        decltype(key_functions<int>::remove) remove, int* key, const int* extra,
                        int* error) {
  put_error(error, create_key<MPI_Comm, int>(MPI_Comm_create_keyval, {copy, remove, *extra}, key));
}
void mpi_attr_put_(const int* handle, const int* key, const int* value, int* error) {
  const MPI_Aint wide = *value;
  put_error(error, MPI_Comm_set_attr(comm(handle), *key, attribute(&wide)));
}
void mpi_attr_get_(const int* handle, const int* key, int* value, int* flag, int* error) {
  put_error(error, get_attribute(MPI_Comm_get_attr, *handle, *key, value, flag));
}
void mpi_null_copy_fn_(int*, int*, int*, int*, int*, int* flag, int* error) {
  take_no_copy(flag, error);
}
void mpi_dup_fn_(int*, int*, int*, int* in, int* out, int* flag, int* error) {
  take_copy(in, out, flag, error);
}
void mpi_null_delete_fn_(int*, int*, int*, int*, int* error) { *error = onehop::mpi_abi::success; }
}
