// The functions of the ABI for errors and their handlers.

#include <string>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/words.hpp"

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Error_class(int code, int* error_class) {
  return guarded({__func__, error_class}, [&] { *error_class = class_of(code); });
}

int MPI_Error_string(int code, char* words, int* length) {
  return guarded({__func__, words, length}, [&] {
    const char* const known = error_text(code);
    give_words(known != nullptr ? known : onehop::text("error code ", code), words, length,
               most_error_string);
  });
}

int MPI_Add_error_class(int* made) {
  return guarded({__func__, made}, [&] { *made = add_code(nullptr); });
}
int MPI_Add_error_code(int error_class, int* made) {
  return guarded({__func__, made}, [&] { *made = add_code(&error_class); });
}
int MPI_Add_error_string(int code, const char* words) {
  return guarded({__func__, words}, [&] { own_code_at(code).words = words; });
}
int MPI_Remove_error_class(int code) {
  return guarded(__func__, [&] { remove_code(code, true); });
}
int MPI_Remove_error_code(int code) {
  return guarded(__func__, [&] { remove_code(code, false); });
}
int MPI_Remove_error_string(int code) {
  return guarded(__func__, [&] { own_code_at(code).words.clear(); });
}

// The functions for all kinds of objects differ only in the type of their first argument.
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* call, MPI_Errhandler* handle) {
  return guarded({__func__, call, handle}, [&] { *handle = handle_of({.call = call}); });
}
int MPI_Win_create_errhandler(MPI_Comm_errhandler_function* call, MPI_Errhandler* handle) {
  return MPI_Comm_create_errhandler(call, handle);
}
int MPI_File_create_errhandler(MPI_Comm_errhandler_function* call, MPI_Errhandler* handle) {
  return MPI_Comm_create_errhandler(call, handle);
}
int MPI_Session_create_errhandler(MPI_Comm_errhandler_function* call, MPI_Errhandler* handle) {
  return MPI_Comm_create_errhandler(call, handle);
}

int MPI_Errhandler_free(MPI_Errhandler* handler) {
  return guarded({__func__, handler}, [&] {
    handler_at(*handler);
    free_handle(*handler);
    *handler = fixed<MPI_Errhandler>(errhandler_null);
  });
}
}
