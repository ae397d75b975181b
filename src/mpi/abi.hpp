#pragma once
/// The types and constants of the C ABI that MPI 5.0 defines. A handle is a pointer: a predefined
/// object has a small fixed value, and every other handle points to an object of this library.

#include <cstddef>
#include <cstdint>

extern "C" {

using MPI_Aint = std::intptr_t;
using MPI_Count = std::int64_t;
using MPI_Offset = std::int64_t;

struct MPI_Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  int MPI_internal[5];  ///< the bytes received, as two ints, and the cancelled flag
};

using MPI_Comm = struct MPI_ABI_Comm*;
using MPI_Group = struct MPI_ABI_Group*;
using MPI_Datatype = struct MPI_ABI_Datatype*;
using MPI_Op = struct MPI_ABI_Op*;
using MPI_Request = struct MPI_ABI_Request*;
using MPI_Errhandler = struct MPI_ABI_Errhandler*;
using MPI_Info = struct MPI_ABI_Info*;
using MPI_Win = struct MPI_ABI_Win*;
using MPI_File = struct MPI_ABI_File*;
using MPI_Session = struct MPI_ABI_Session*;
using MPI_Message = struct MPI_ABI_Message*;

using MPI_User_function = void(void* in, void* inout, int* count, MPI_Datatype* type);
using MPI_User_function_c = void(void* in, void* inout, MPI_Count* count, MPI_Datatype* type);
using MPI_Comm_errhandler_function = void(MPI_Comm* comm, int* code, ...);
}

namespace onehop::mpi_abi {

constexpr int version = 5, subversion = 0, abi_version = 1, abi_subversion = 0;

constexpr int any_source = -1, any_tag = -2, proc_null = -3, root_here = -4, undefined = -32766;
/// The largest tag is the largest int.
constexpr int tag_upper_bound = 0x7fffffff;

constexpr int thread_single = 0, thread_funneled = 1024, thread_serialized = 2048,
              thread_multiple = 4096;
constexpr int order_c = 12, order_fortran = 15;
constexpr int distribute_none = 16, distribute_block = 17, distribute_cyclic = 18,
              default_distribution = 19;

/// A combiner tells which constructor made a datatype.
enum combiner : int {
  combiner_named = 101,
  combiner_dup,
  combiner_contiguous,
  combiner_vector,
  combiner_hvector,
  combiner_indexed,
  combiner_hindexed,
  combiner_indexed_block,
  combiner_hindexed_block,
  combiner_struct,
  combiner_subarray,
  combiner_darray,
  combiner_f90_real,
  combiner_f90_complex,
  combiner_f90_integer,
  combiner_resized
};
constexpr int class_logical = 191, class_integer = 192, class_real = 193, class_complex = 194;
constexpr int identical = 201, congruent = 202, similar = 203, unequal = 204;
constexpr int topology_cartesian = 211, topology_graph = 212, topology_distributed_graph = 213;
constexpr int split_type_shared = 221, split_type_guided = 223, split_type_resource = 224;
constexpr int lock_exclusive = 301, lock_shared = 302;
constexpr int mode_no_check = 1024, mode_no_succeed = 16384;
constexpr int flavor_create = 311, flavor_allocate = 312, flavor_dynamic = 313, flavor_shared = 314,
              model_unified = 321;
constexpr int seek_current = 401, seek_end = 402, seek_set = 403;

/// The modes of a file can be added.
enum file_mode : int {
  mode_append = 1,
  mode_create = 2,
  mode_delete_on_close = 4,
  mode_exclusive = 8,
  mode_read_only = 16,
  mode_read_write = 32,
  mode_sequential = 64,
  mode_unique_open = 128,
  mode_write_only = 256
};

constexpr int most_error_string = 512, most_processor_name = 256, most_object_name = 128;

/// The keys of the predefined attributes.
enum key : int {
  key_tag_upper_bound = 501,
  key_wtime_is_global = 504,
  key_io = 502,
  key_host = 503,
  key_application_number = 505,
  key_last_used_code = 506,
  key_universe_size = 507,
  key_win_base = 601,
  key_win_disp_unit = 602,
  key_win_size = 603,
  key_win_create_flavor = 604,
  key_win_model = 605
};

/// An error_class is the value that a function returns; errors.cpp has the names and texts.
enum error_class : int {
  success = 0,
  err_buffer = 1,
  err_count = 2,
  err_type = 3,
  err_tag = 4,
  err_comm = 5,
  err_rank = 6,
  err_request = 7,
  err_root = 8,
  err_group = 9,
  err_op = 10,
  err_topology = 11,
  err_dims = 12,
  err_arg = 13,
  err_unknown = 14,
  err_truncate = 15,
  err_other = 16,
  err_intern = 17,
  err_pending = 18,
  err_in_status = 19,
  err_access = 20,
  err_amode = 21,
  err_assert = 22,
  err_bad_file = 23,
  err_base = 24,
  err_conversion = 25,
  err_disp = 26,
  err_dup_datarep = 27,
  err_file_exists = 28,
  err_file_in_use = 29,
  err_file = 30,
  err_info_key = 31,
  err_info_nokey = 32,
  err_info_value = 33,
  err_info = 34,
  err_io = 35,
  err_keyval = 36,
  err_locktype = 37,
  err_name = 38,
  err_no_mem = 39,
  err_not_same = 40,
  err_no_space = 41,
  err_no_such_file = 42,
  err_port = 43,
  err_quota = 44,
  err_read_only = 45,
  err_rma_attach = 46,
  err_rma_conflict = 47,
  err_rma_range = 48,
  err_rma_shared = 49,
  err_rma_sync = 50,
  err_service = 51,
  err_size = 52,
  err_spawn = 53,
  err_unsupported_datarep = 54,
  err_unsupported_operation = 55,
  err_win = 56,
  err_rma_flavor = 57,
  err_proc_aborted = 58,
  err_value_too_large = 59,
  err_session = 60,
  err_errhandler = 61,
  err_abi = 62,
  err_lastcode = 0x3fff
};

/// Returns the handle of a predefined object.
template <class Handle>
Handle fixed(std::uintptr_t value) noexcept {
  return reinterpret_cast<Handle>(value);
}
/// Returns whether a handle belongs to a predefined object.
template <class Handle>
bool is_fixed(Handle handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle) < 0x1000;
}
template <class Handle>
std::uintptr_t number_of(Handle handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle);
}

constexpr std::uintptr_t comm_null = 0x100, comm_world = 0x101, comm_self = 0x102;
constexpr std::uintptr_t group_null = 0x108, group_empty = 0x109;
constexpr std::uintptr_t win_null = 0x110, file_null = 0x118, session_null = 0x120,
                         message_null = 0x128, message_no_proc = 0x129;
constexpr std::uintptr_t info_null = 0x130, info_env = 0x131;
constexpr std::uintptr_t errhandler_null = 0x140, errors_are_fatal = 0x141, errors_abort = 0x142,
                         errors_return = 0x143;
constexpr std::uintptr_t request_null = 0x180, datatype_null = 0x200, op_null = 0x20;

/// The numbers of the predefined operations.
enum fixed_op : std::uintptr_t {
  op_sum = 0x21,
  op_min = 0x22,
  op_max = 0x23,
  op_prod = 0x24,
  op_band = 0x28,
  op_bor = 0x29,
  op_bxor = 0x2a,
  op_land = 0x30,
  op_lor = 0x31,
  op_lxor = 0x32,
  op_minloc = 0x38,
  op_maxloc = 0x39,
  op_replace = 0x3c,
  op_no_op = 0x3d
};

/// Returns whether a buffer argument is MPI_IN_PLACE.
inline bool in_place(const void* buffer) noexcept {
  return reinterpret_cast<std::uintptr_t>(buffer) == 1;
}

}  // namespace onehop::mpi_abi
