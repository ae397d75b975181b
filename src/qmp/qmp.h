#ifndef ONEHOP_QMP_H
#define ONEHOP_QMP_H
/* QMP, the message passing of lattice QCD: onehop's library for programs written for it.
 *
 * A node is a rank of the job. Functions without `comm` act on the default communicator. Those that
 * every node of the communicator calls together are marked collective.
 *
 * A message is declared once and started many times. Declaring talks to nobody: the k-th start of a
 * send from one node to another meets the k-th start of a receive from it there, whatever the order
 * of declarations. A receive may have more room than the message has bytes.
 *
 * A wrong call ends the job with one line that says what is wrong. A status is returned that is not
 * QMP_SUCCESS, or a null pointer, only where the comment says so. One thread of a node calls. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int QMP_bool_t;
#define QMP_FALSE ((QMP_bool_t)0)
#define QMP_TRUE ((QMP_bool_t)1)

typedef enum {
  QMP_SUCCESS = 0,
  QMP_ERROR = 0x1001,
  QMP_NOT_INITED,
  QMP_NOMEM_ERR,
  QMP_NOTSUPPORTED,
  QMP_INVALID_ARG,
  QMP_INVALID_TOPOLOGY,
  QMP_TOPOLOGY_EXISTS,
  QMP_NODE_OUTRANGE,
  QMP_INVALID_OP,
  QMP_TIMEOUT,
  QMP_MAX_STATUS
} QMP_status_t;

typedef enum {
  QMP_THREAD_SINGLE,
  QMP_THREAD_FUNNELED,
  QMP_THREAD_SERIALIZED,
  QMP_THREAD_MULTIPLE
} QMP_thread_level_t;

typedef enum { QMP_SWITCH = 0, QMP_GRID = 1, QMP_MESH = 1, QMP_FATTREE = 2 } QMP_ictype_t;

typedef enum {
  QMP_CTS_DISABLED = -1,
  QMP_CTS_NOT_READY = 0,
  QMP_CTS_READY = 1
} QMP_clear_to_send_t;

#define QMP_ALIGN_ANY 0
#define QMP_ALIGN_DEFAULT 64

/* These say what memory is for. Messages go from and to any memory alike, so that all are taken and
 * none makes a difference. */
#define QMP_MEM_NONCACHE 0x01
#define QMP_MEM_COMMS 0x02
#define QMP_MEM_FAST 0x04
#define QMP_MEM_DEFAULT (QMP_MEM_COMMS | QMP_MEM_FAST)

typedef struct QMP_mem_struct QMP_mem_t;
typedef struct QMP_msgmem_struct* QMP_msgmem_t;
typedef struct QMP_msghandle_struct* QMP_msghandle_t;
typedef struct QMP_comm_struct* QMP_comm_t;
/* Combines `in` into `inout`. */
typedef void (*QMP_binary_func)(void* inout, void* in);

/* Start and end. */

/* Joins the job; collective. `provided` is at most QMP_THREAD_FUNNELED. Where the program's words
 * have -qmp-geom and numbers, these are the allocated dimensions, and are taken out of the words.
 */
QMP_status_t QMP_init_msg_passing(int* argc, char*** argv, QMP_thread_level_t required,
                                  QMP_thread_level_t* provided);
QMP_bool_t QMP_is_initialized(void);
/* Leaves the job; collective. */
void QMP_finalize_msg_passing(void);
/* Ends all nodes with this exit status. */
void QMP_abort(int error_code);
void QMP_abort_string(int error_code, char* message);

/* Communicators. */

/* Returns the communicator of all nodes, */
QMP_comm_t QMP_comm_get_allocated(void);
/* that of the job's part of them, */
QMP_comm_t QMP_comm_get_job(void);
/* and the one of functions that name none. All three are of all nodes at first. */
QMP_comm_t QMP_comm_get_default(void);
QMP_status_t QMP_comm_set_allocated(QMP_comm_t comm);
QMP_status_t QMP_comm_set_job(QMP_comm_t comm);
QMP_status_t QMP_comm_set_default(QMP_comm_t comm);
/* Makes a communicator of the nodes with the same color, in the order of their keys; collective. */
QMP_status_t QMP_comm_split(QMP_comm_t comm, int color, int key, QMP_comm_t* made);
/* Frees a communicator that QMP_comm_split made; collective. */
QMP_status_t QMP_comm_free(QMP_comm_t comm);
/* Return what the communicator was split by: 1, 0 and 0 where it was not. */
int QMP_comm_get_number_of_colors(QMP_comm_t comm);
int QMP_comm_get_color(QMP_comm_t comm);
int QMP_comm_get_key(QMP_comm_t comm);
/* Gives the address of the communicator's MPI_Comm of the standard ABI of MPI 5.0. */
QMP_status_t QMP_get_mpi_comm(QMP_comm_t comm, void** mpi_comm);
QMP_status_t QMP_get_hidden_comm(QMP_comm_t comm, void** mpi_comm);

/* The nodes. */

int QMP_get_number_of_nodes(void);
int QMP_comm_get_number_of_nodes(QMP_comm_t comm);
int QMP_get_node_number(void);
int QMP_comm_get_node_number(QMP_comm_t comm);
/* Return whether this is node 0. */
QMP_bool_t QMP_is_primary_node(void);
QMP_bool_t QMP_comm_is_primary_node(QMP_comm_t comm);
/* Returns QMP_GRID where the program's words have given the allocated dimensions, else QMP_SWITCH.
 */
QMP_ictype_t QMP_get_msg_passing_type(void);
/* Return 0 and null for QMP_SWITCH. */
int QMP_get_allocated_number_of_dimensions(void);
const int* QMP_get_allocated_dimensions(void);
const int* QMP_get_allocated_coordinates(void);
/* Return 1 and 0: the nodes are not divided into jobs, */
int QMP_get_number_of_jobs(void);
int QMP_get_job_number(void);
/* so that their geometry is 0 and null. */
int QMP_get_number_of_job_geometry_dimensions(void);
const int* QMP_get_job_geometry(void);
/* Return the node that does the input and output of a node, which is the node itself, */
int QMP_io_node(int node);
/* and of all of them, which is 0. */
int QMP_master_io_node(void);

/* The logical grid. The first axis runs fastest in the numbers of nodes, or map[0] where there is a
 * map, which lists every axis once. */

/* Declares the grid, periodic in every axis; its nodes are those of the communicator. Collective.
 * Returns QMP_TOPOLOGY_EXISTS where another one has been declared. */
QMP_status_t QMP_declare_logical_topology(const int dims[], int ndim);
QMP_status_t QMP_comm_declare_logical_topology(QMP_comm_t comm, const int dims[], int ndim);
QMP_status_t QMP_declare_logical_topology_map(const int dims[], int ndim, const int map[],
                                              int mapdim);
QMP_status_t QMP_comm_declare_logical_topology_map(QMP_comm_t comm, const int dims[], int ndim,
                                                   const int map[], int mapdim);
QMP_bool_t QMP_logical_topology_is_declared(void);
QMP_bool_t QMP_comm_logical_topology_is_declared(QMP_comm_t comm);
int QMP_get_logical_number_of_dimensions(void);
int QMP_comm_get_logical_number_of_dimensions(QMP_comm_t comm);
const int* QMP_get_logical_dimensions(void);
const int* QMP_comm_get_logical_dimensions(QMP_comm_t comm);
/* Return the coordinates of this node, */
const int* QMP_get_logical_coordinates(void);
const int* QMP_comm_get_logical_coordinates(QMP_comm_t comm);
/* those of any node in memory to be given to free, */
int* QMP_get_logical_coordinates_from(int node);
int* QMP_comm_get_logical_coordinates_from(QMP_comm_t comm, int node);
/* or in the caller's, */
void QMP_get_logical_coordinates_from2(int coords[], int node);
void QMP_comm_get_logical_coordinates_from2(QMP_comm_t comm, int coords[], int node);
/* and the node at coordinates. */
int QMP_get_node_number_from(const int coordinates[]);
int QMP_comm_get_node_number_from(QMP_comm_t comm, const int coordinates[]);
/* Lays a lattice of these extents over the grid that is declared. Where none is, declares that of
 * -qmp-geom, or of the grids that divide the lattice evenly the one with the smallest surface.
 * Collective. Returns QMP_INVALID_TOPOLOGY where none does, or that grid does not. */
QMP_status_t QMP_layout_grid(const int dimensions[], int ndims);
/* Return each node's part of that lattice, null before, */
const int* QMP_get_subgrid_dimensions(void);
/* and its sites, 0 before. */
int QMP_get_number_of_subgrid_sites(void);

/* Memory. */

/* Allocate memory; null where there is none left. An alignment is a power of two, or 0. */
QMP_mem_t* QMP_allocate_memory(size_t nbytes);
QMP_mem_t* QMP_allocate_aligned_memory(size_t nbytes, size_t alignment, int flags);
void* QMP_get_memory_pointer(QMP_mem_t* mem);
void QMP_free_memory(QMP_mem_t* mem);

/* Declare which bytes a message has: one block, */
QMP_msgmem_t QMP_declare_msgmem(const void* mem, size_t nbytes);
/* `nblocks` blocks of `blksize` bytes, the begin of each `stride` bytes after that of the last, */
QMP_msgmem_t QMP_declare_strided_msgmem(void* base, size_t blksize, int nblocks, ptrdiff_t stride);
/* `num` of those one after the other, */
QMP_msgmem_t QMP_declare_strided_array_msgmem(void* base[], size_t blksize[], int nblocks[],
                                              ptrdiff_t stride[], int num);
/* or `count` blocks of blocklen[i] elements at element index[i] from the base on. */
QMP_msgmem_t QMP_declare_indexed_msgmem(void* base, int blocklen[], int index[], int elemsize,
                                        int count);
/* Messages that were declared with it stay as they are. */
void QMP_free_msgmem(QMP_msgmem_t m);

/* Messages. */

/* Declare a message to or from the neighbour in direction `dir`, +1 or -1, of an axis of the grid.
 * The priority has no effect. */
QMP_msghandle_t QMP_declare_send_relative(QMP_msgmem_t m, int axis, int dir, int priority);
QMP_msghandle_t QMP_comm_declare_send_relative(QMP_comm_t comm, QMP_msgmem_t m, int axis, int dir,
                                               int priority);
QMP_msghandle_t QMP_declare_receive_relative(QMP_msgmem_t m, int axis, int dir, int priority);
QMP_msghandle_t QMP_comm_declare_receive_relative(QMP_comm_t comm, QMP_msgmem_t m, int axis,
                                                  int dir, int priority);
/* Declare a message to or from any node, this one included. */
QMP_msghandle_t QMP_declare_send_to(QMP_msgmem_t m, int node, int priority);
QMP_msghandle_t QMP_comm_declare_send_to(QMP_comm_t comm, QMP_msgmem_t m, int node, int priority);
QMP_msghandle_t QMP_declare_receive_from(QMP_msgmem_t m, int node, int priority);
QMP_msghandle_t QMP_comm_declare_receive_from(QMP_comm_t comm, QMP_msgmem_t m, int node,
                                              int priority);
/* Makes one handle of several, which belong to it from then on: they are freed with it. */
QMP_msghandle_t QMP_declare_multiple(QMP_msghandle_t messages[], int num);
/* Does the same for sends and receives that follow each other in pairs. */
QMP_msghandle_t QMP_declare_send_recv_pairs(QMP_msghandle_t messages[], int num);
/* Gives a message that is not started another address, from which its blocks lie as before, */
QMP_status_t QMP_change_address(QMP_msghandle_t h, void* address);
/* or each of the messages of a handle of several one. */
QMP_status_t QMP_change_address_multiple(QMP_msghandle_t h, void* addresses[], int num);
void QMP_free_msghandle(QMP_msghandle_t h);
/* Returns QMP_NOTSUPPORTED: a receive is ready when it is started. */
QMP_status_t QMP_clear_to_send(QMP_msghandle_t h, QMP_clear_to_send_t cts);
/* Starts the message, or all of the handle's in their order. */
QMP_status_t QMP_start(QMP_msghandle_t h);
/* Waits until the message that was started is there, or its bytes may be changed. Returns at once
 * for a handle that has not been started. */
QMP_status_t QMP_wait(QMP_msghandle_t h);
QMP_status_t QMP_wait_all(QMP_msghandle_t h[], int num);
/* Returns whether a wait would return at once. */
QMP_bool_t QMP_is_complete(QMP_msghandle_t h);

/* Collectives. All values are changed in place. Sums, and reductions by a function, are taken in
 * the order of nodes: a run gives the same bits as the one before. */

QMP_status_t QMP_barrier(void);
QMP_status_t QMP_comm_barrier(QMP_comm_t comm);
/* Gives the bytes of node 0 to all. */
QMP_status_t QMP_broadcast(void* buffer, size_t nbytes);
QMP_status_t QMP_comm_broadcast(QMP_comm_t comm, void* buffer, size_t nbytes);
QMP_status_t QMP_sum_int(int* value);
QMP_status_t QMP_comm_sum_int(QMP_comm_t comm, int* value);
QMP_status_t QMP_sum_uint64_t(uint64_t* value);
QMP_status_t QMP_comm_sum_uint64_t(QMP_comm_t comm, uint64_t* value);
QMP_status_t QMP_sum_float(float* value);
QMP_status_t QMP_comm_sum_float(QMP_comm_t comm, float* value);
QMP_status_t QMP_sum_double(double* value);
QMP_status_t QMP_comm_sum_double(QMP_comm_t comm, double* value);
/* Sums in long double and rounds once. */
QMP_status_t QMP_sum_double_extended(double* value);
QMP_status_t QMP_comm_sum_double_extended(QMP_comm_t comm, double* value);
QMP_status_t QMP_sum_long_double(long double* value);
QMP_status_t QMP_comm_sum_long_double(QMP_comm_t comm, long double* value);
QMP_status_t QMP_sum_float_array(float value[], int length);
QMP_status_t QMP_comm_sum_float_array(QMP_comm_t comm, float value[], int length);
QMP_status_t QMP_sum_double_array(double value[], int length);
QMP_status_t QMP_comm_sum_double_array(QMP_comm_t comm, double value[], int length);
QMP_status_t QMP_sum_long_double_array(long double value[], int length);
QMP_status_t QMP_comm_sum_long_double_array(QMP_comm_t comm, long double value[], int length);
QMP_status_t QMP_max_float(float* value);
QMP_status_t QMP_comm_max_float(QMP_comm_t comm, float* value);
QMP_status_t QMP_max_double(double* value);
QMP_status_t QMP_comm_max_double(QMP_comm_t comm, double* value);
QMP_status_t QMP_min_float(float* value);
QMP_status_t QMP_comm_min_float(QMP_comm_t comm, float* value);
QMP_status_t QMP_min_double(double* value);
QMP_status_t QMP_comm_min_double(QMP_comm_t comm, double* value);
QMP_status_t QMP_xor_ulong(unsigned long* value);
QMP_status_t QMP_comm_xor_ulong(QMP_comm_t comm, unsigned long* value);
/* Combines the nodes' buffers by a function. */
QMP_status_t QMP_binary_reduction(void* buffer, size_t nbytes, QMP_binary_func combine);
QMP_status_t QMP_comm_binary_reduction(QMP_comm_t comm, void* buffer, size_t nbytes,
                                       QMP_binary_func combine);
/* Gives block n of `nbytes` of every node's `sent` to node n, in the order of nodes. */
QMP_status_t QMP_comm_alltoall(QMP_comm_t comm, char* received, const char* sent, size_t nbytes);

/* Words and time. */

const char* QMP_error_string(QMP_status_t code);
/* Return QMP_SUCCESS and its text: wrong calls do not return. */
QMP_status_t QMP_get_error_number(QMP_msghandle_t h);
const char* QMP_get_error_string(QMP_msghandle_t h);
/* Sets the level of words, and returns the one before, 0 at first. */
int QMP_verbose(int level);
/* Write to stdout, or a stream, with the node's number before it; return what vfprintf does. */
int QMP_printf(const char* format, ...);
int QMP_fprintf(FILE* stream, const char* format, ...);
/* Write to stderr so; QMP_info does it where the level of words is above 0. */
int QMP_info(const char* format, ...);
int QMP_error(const char* format, ...);
/* Returns seconds since some moment, in virtual time those of the machine. */
double QMP_time(void);
/* Return the seconds spent in QMP_wait and collectives since the last reset. */
double QMP_get_total_qmp_time(void);
void QMP_reset_total_qmp_time(void);
/* Return the version of QMP whose functions these are, 2.5.4 as text and as 20504. */
const char* QMP_version_str(void);
int QMP_version_int(void);

#ifdef __cplusplus
}
#endif

#endif
