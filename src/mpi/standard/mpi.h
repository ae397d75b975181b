#pragma once
/// This header declares, according to the C ABI of MPI 5.0, the part of MPI that onehop's MPI
/// transports and its QMP use. Code compiled with it runs with every MPI of that ABI, and no MPI
/// need be installed to compile it.

#include "mpi/abi.hpp"

extern "C" {

using MPI_Win = struct MPI_ABI_Win*;

using MPI_Comm_copy_attr_function = int(MPI_Comm comm, int key, void* extra, void* in, void* out,
                                        int* flag);
using MPI_Comm_delete_attr_function = int(MPI_Comm comm, int key, void* value, void* extra);

int MPI_Abort(MPI_Comm comm, int code);
int MPI_Accumulate(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint place,
                   int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win window);
int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                  MPI_Datatype to_type, MPI_Comm comm);
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm);
int MPI_Alltoall(const void* from, int count, MPI_Datatype type, void* to, int to_count,
                 MPI_Datatype to_type, MPI_Comm comm);
int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Cancel(MPI_Request* request);
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove,
                           int* key, void* extra);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made);
int MPI_Comm_free(MPI_Comm* comm);
MPI_Comm MPI_Comm_fromint(int number);
int MPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found);
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request);
int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_set_attr(MPI_Comm comm, int key, void* value);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made);
int MPI_Comm_test_inter(MPI_Comm comm, int* flag);
int MPI_Error_string(int code, char* words, int* length);
int MPI_Finalize(void);
int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count);
int MPI_Get_elements_x(const MPI_Status* status, MPI_Datatype type, MPI_Count* count);
int MPI_Get_library_version(char* words, int* length);
int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request);
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int MPI_Initialized(int* flag);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
int MPI_Irecv(void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Isend(const void* from, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Op_create(MPI_User_function* call, int commutes, MPI_Op* made);
int MPI_Op_free(MPI_Op* op);
int MPI_Put(const void* origin, int count, MPI_Datatype type, int target, MPI_Aint place,
            int target_count, MPI_Datatype target_type, MPI_Win window);
int MPI_Recv(void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* status);
int MPI_Recv_init(void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request* request);
int MPI_Request_free(MPI_Request* request);
int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status);
int MPI_Send_init(const void* from, int count, MPI_Datatype type, int target, int tag,
                  MPI_Comm comm, MPI_Request* request);
int MPI_Start(MPI_Request* request);
int MPI_Startall(int count, MPI_Request requests[]);
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status);
int MPI_Test_cancelled(const MPI_Status* status, int* flag);
int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]);
int MPI_Testsome(int count, MPI_Request requests[], int* done, int places[], MPI_Status statuses[]);
int MPI_Type_commit(MPI_Datatype* type);
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* made);
int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint places[],
                             MPI_Datatype type, MPI_Datatype* made);
int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint places[],
                           const MPI_Datatype types[], MPI_Datatype* made);
int MPI_Type_free(MPI_Datatype* type);
int MPI_Wait(MPI_Request* request, MPI_Status* status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Win_create(void* base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win* window);
int MPI_Win_flush(int target, MPI_Win window);
int MPI_Win_free(MPI_Win* window);
int MPI_Win_lock_all(int mode, MPI_Win window);
int MPI_Win_set_errhandler(MPI_Win window, MPI_Errhandler handler);
int MPI_Win_sync(MPI_Win window);
int MPI_Win_unlock_all(MPI_Win window);
double MPI_Wtime(void);
}

inline MPI_Comm MPI_Comm_f2c(int number) { return MPI_Comm_fromint(number); }

constexpr int MPI_SUCCESS = onehop::mpi_abi::success;
constexpr int MPI_ANY_SOURCE = onehop::mpi_abi::any_source;
constexpr int MPI_ANY_TAG = onehop::mpi_abi::any_tag;
constexpr int MPI_UNDEFINED = onehop::mpi_abi::undefined;
constexpr int MPI_TAG_UB = onehop::mpi_abi::key_tag_upper_bound;
constexpr int MPI_COMM_TYPE_SHARED = onehop::mpi_abi::split_type_shared;
constexpr int MPI_MAX_ERROR_STRING = onehop::mpi_abi::most_error_string;
constexpr int MPI_THREAD_FUNNELED = onehop::mpi_abi::thread_funneled;
constexpr int MPI_THREAD_SERIALIZED = 2048;
constexpr int MPI_MODE_NOCHECK = 1024;
constexpr int MPI_KEYVAL_INVALID = 0;
constexpr int MPI_MAX_LIBRARY_VERSION_STRING = 8192;

inline const MPI_Comm MPI_COMM_NULL = onehop::mpi_abi::fixed<MPI_Comm>(onehop::mpi_abi::comm_null);
inline const MPI_Comm MPI_COMM_WORLD =
    onehop::mpi_abi::fixed<MPI_Comm>(onehop::mpi_abi::comm_world);
inline const MPI_Comm MPI_COMM_SELF = onehop::mpi_abi::fixed<MPI_Comm>(onehop::mpi_abi::comm_self);
inline const MPI_Info MPI_INFO_NULL = onehop::mpi_abi::fixed<MPI_Info>(onehop::mpi_abi::info_null);
inline const MPI_Errhandler MPI_ERRORS_RETURN =
    onehop::mpi_abi::fixed<MPI_Errhandler>(onehop::mpi_abi::errors_return);
inline const MPI_Request MPI_REQUEST_NULL =
    onehop::mpi_abi::fixed<MPI_Request>(onehop::mpi_abi::request_null);
inline const MPI_Win MPI_WIN_NULL = onehop::mpi_abi::fixed<MPI_Win>(0x110);
inline const MPI_Datatype MPI_INT = onehop::mpi_abi::fixed<MPI_Datatype>(0x209);
inline const MPI_Datatype MPI_UNSIGNED_LONG = onehop::mpi_abi::fixed<MPI_Datatype>(0x20e);
inline const MPI_Datatype MPI_FLOAT = onehop::mpi_abi::fixed<MPI_Datatype>(0x210);
inline const MPI_Datatype MPI_DOUBLE = onehop::mpi_abi::fixed<MPI_Datatype>(0x214);
inline const MPI_Datatype MPI_LONG_DOUBLE = onehop::mpi_abi::fixed<MPI_Datatype>(0x220);
inline const MPI_Datatype MPI_BYTE = onehop::mpi_abi::fixed<MPI_Datatype>(0x247);
inline const MPI_Datatype MPI_UINT64_T = onehop::mpi_abi::fixed<MPI_Datatype>(0x259);
inline const MPI_Op MPI_SUM = onehop::mpi_abi::fixed<MPI_Op>(onehop::mpi_abi::op_sum);
inline const MPI_Op MPI_MIN = onehop::mpi_abi::fixed<MPI_Op>(onehop::mpi_abi::op_min);
inline const MPI_Op MPI_MAX = onehop::mpi_abi::fixed<MPI_Op>(onehop::mpi_abi::op_max);
inline const MPI_Op MPI_BXOR = onehop::mpi_abi::fixed<MPI_Op>(onehop::mpi_abi::op_bxor);
inline const MPI_Op MPI_BOR = onehop::mpi_abi::fixed<MPI_Op>(onehop::mpi_abi::op_bor);
inline const MPI_Op MPI_REPLACE = onehop::mpi_abi::fixed<MPI_Op>(onehop::mpi_abi::op_replace);

inline void* const MPI_IN_PLACE = reinterpret_cast<void*>(1);
constexpr MPI_Status* MPI_STATUS_IGNORE = nullptr;
constexpr MPI_Status* MPI_STATUSES_IGNORE = nullptr;
constexpr MPI_Comm_copy_attr_function* MPI_COMM_NULL_COPY_FN = nullptr;
