// The functions of the ABI under their MPI 1 names, and with their MPI 1 arguments. Some of the
// names have left the standard, but programs older than MPI 2 call them.

#include "mpi/former_calls.hpp"

#include "mpi/attributes.hpp"
#include "mpi/datatype.hpp"
#include "mpi/errors.hpp"

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Comm_create_keyval(attribute_copy* copy, attribute_delete* deleted, int* key, void* extra);
int MPI_Comm_free_keyval(int* key);
int MPI_Comm_set_attr(MPI_Comm handle, int key, void* value);
int MPI_Comm_get_attr(MPI_Comm handle, int key, void* value, int* flag);
int MPI_Comm_delete_attr(MPI_Comm handle, int key);
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* call, MPI_Errhandler* handle);
int MPI_Comm_set_errhandler(MPI_Comm handle, MPI_Errhandler handler);
int MPI_Comm_get_errhandler(MPI_Comm handle, MPI_Errhandler* handler);

int MPI_Keyval_create(attribute_copy* copy, attribute_delete* deleted, int* key, void* extra) {
  return MPI_Comm_create_keyval(copy, deleted, key, extra);
}
int MPI_Keyval_free(int* key) { return MPI_Comm_free_keyval(key); }
int MPI_Attr_put(MPI_Comm handle, int key, void* value) {
  return MPI_Comm_set_attr(handle, key, value);
}
int MPI_Attr_get(MPI_Comm handle, int key, void* value, int* flag) {
  return MPI_Comm_get_attr(handle, key, value, flag);
}
int MPI_Attr_delete(MPI_Comm handle, int key) { return MPI_Comm_delete_attr(handle, key); }

int MPI_Errhandler_create(MPI_Comm_errhandler_function* call, MPI_Errhandler* handle) {
  return MPI_Comm_create_errhandler(call, handle);
}
int MPI_Errhandler_set(MPI_Comm handle, MPI_Errhandler handler) {
  return MPI_Comm_set_errhandler(handle, handler);
}
int MPI_Errhandler_get(MPI_Comm handle, MPI_Errhandler* handler) {
  return MPI_Comm_get_errhandler(handle, handler);
}

int MPI_Address(void* location, MPI_Aint* address) { return MPI_Get_address(location, address); }
int MPI_Type_extent(MPI_Datatype type, MPI_Aint* extent) {
  MPI_Aint lower;
  return MPI_Type_get_extent(type, &lower, extent);
}
int MPI_Type_lb(MPI_Datatype type, MPI_Aint* lower) {
  MPI_Aint extent;
  return MPI_Type_get_extent(type, lower, &extent);
}
int MPI_Type_ub(MPI_Datatype type, MPI_Aint* upper) {
  return guarded({__func__, upper}, [&] {
    const datatype& of = *datatype_of(type);
    *upper = of.lower() + of.extent();
  });
}
int MPI_Type_struct(int count, int* lengths, MPI_Aint* places, MPI_Datatype* types,
                    MPI_Datatype* made) {
  return MPI_Type_create_struct(count, lengths, places, types, made);
}
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type,
                     MPI_Datatype* made) {
  return MPI_Type_create_hvector(count, length, stride, type, made);
}
int MPI_Type_hindexed(int count, int* lengths, MPI_Aint* places, MPI_Datatype type,
                      MPI_Datatype* made) {
  return MPI_Type_create_hindexed(count, lengths, places, type, made);
}
}
