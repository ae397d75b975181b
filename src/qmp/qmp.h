#ifndef ONEHOP_QMP_H
#define ONEHOP_QMP_H
/* This is onehop's implementation of QMP, the message passing interface of lattice QCD.
 *
 * A node is a rank of the job. Functions without `comm` act on the default communicator. A function
 * marked collective must be called by every node of the communicator.
 *
 * A message is declared once and started many times. A declaration communicates with nobody: the
 * k-th start of a send from one node to another matches the k-th start of a receive from it there,
 * whatever the order of declarations. A receive may have more room than the message has bytes.
 *
 * A wrong call ends the job with one line that says what is wrong. A function returns a status
 * other than QMP_SUCCESS, or a null pointer, only if its comment says so. Only one thread of a node
 * may call. */

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

/* These flags say what memory is used for. All are accepted and have no effect, because messages
 * work with any memory. */
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

/* Joins the job; collective. `provided` is at most QMP_THREAD_FUNNELED. If the program's arguments
 * contain -qmp-geom and numbers, these are the allocated dimensions and are removed from the
 * arguments. */
QMP_status_t QMP_init_msg_passing(int* argc, char*** argv, QMP_thread_level_t required,
                                  QMP_thread_level_t* provided);
QMP_bool_t QMP_is_initialized(void);
/* Leaves the job; collective. */
void QMP_finalize_msg_passing(void);
/* Ends all nodes with this exit status. */
void QMP_abort(int error_code);
void QMP_abort_string(int error_code, char* message);

/* Communicators. */

/* Returns the communicator of all nodes. */
QMP_comm_t QMP_comm_get_allocated(void);
/* Returns the communicator of the job's nodes, initially all nodes. */
QMP_comm_t QMP_comm_get_job(void);
/* Returns the communicator of functions without `comm`, initially that of all nodes. */
QMP_comm_t QMP_comm_get_default(void);
QMP_status_t QMP_comm_set_allocated(QMP_comm_t comm);
QMP_status_t QMP_comm_set_job(QMP_comm_t comm);
QMP_status_t QMP_comm_set_default(QMP_comm_t comm);
/* Makes a communicator of the nodes with the same color, in the order of their keys; collective. */
QMP_status_t QMP_comm_split(QMP_comm_t comm, int color, int key, QMP_comm_t* made);
/* Frees a communicator that QMP_comm_split made; collective. */
QMP_status_t QMP_comm_free(QMP_comm_t comm);
/* Return the arguments of the split that made the communicator: 1, 0 and 0 if none did. */
int QMP_comm_get_number_of_colors(QMP_comm_t comm);
int QMP_comm_get_color(QMP_comm_t comm);
int QMP_comm_get_key(QMP_comm_t comm);
/* Returns the address of the communicator's MPI_Comm in the standard ABI of MPI 5.0. */
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
/* Returns QMP_GRID if the program's arguments gave the allocated dimensions, otherwise
 * QMP_SWITCH. */
QMP_ictype_t QMP_get_msg_passing_type(void);
/* Return 0 and null for QMP_SWITCH. */
int QMP_get_allocated_number_of_dimensions(void);
const int* QMP_get_allocated_dimensions(void);
const int* QMP_get_allocated_coordinates(void);
/* Return 1 and 0, because the nodes are not divided into jobs. */
int QMP_get_number_of_jobs(void);
int QMP_get_job_number(void);
/* Return 0 and null, because the nodes are not divided into jobs. */
int QMP_get_number_of_job_geometry_dimensions(void);
const int* QMP_get_job_geometry(void);
/* Returns the node that does the input and output of a node: the node itself. */
int QMP_io_node(int node);
/* Returns the node that does the input and output of all nodes: 0. */
int QMP_master_io_node(void);

/* The logical grid. In the numbering of nodes the first axis runs fastest, or axis map[0] if there
 * is a map. A map lists every axis once. */

/* Declare the grid of the communicator's nodes, periodic in every axis. Collective. Return
 * QMP_TOPOLOGY_EXISTS if another grid has been declared. */
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
/* Return the coordinates of this node. */
const int* QMP_get_logical_coordinates(void);
const int* QMP_comm_get_logical_coordinates(QMP_comm_t comm);
/* Return the coordinates of any node in memory that the caller must free. */
int* QMP_get_logical_coordinates_from(int node);
int* QMP_comm_get_logical_coordinates_from(QMP_comm_t comm, int node);
/* Write the coordinates of any node to the caller's memory. */
void QMP_get_logical_coordinates_from2(int coords[], int node);
void QMP_comm_get_logical_coordinates_from2(QMP_comm_t comm, int coords[], int node);
/* Return the node at these coordinates. */
int QMP_get_node_number_from(const int coordinates[]);
int QMP_comm_get_node_number_from(QMP_comm_t comm, const int coordinates[]);
/* Distributes a lattice of these extents over the declared grid. If there is none, it declares the
 * grid of -qmp-geom or, among the grids that divide the lattice evenly, the one with the smallest
 * surface. Collective. Returns QMP_INVALID_TOPOLOGY if no grid, or not the declared one, divides
 * the lattice evenly. */
QMP_status_t QMP_layout_grid(const int dimensions[], int ndims);
/* Returns the extents of each node's part of the lattice, null before QMP_layout_grid. */
const int* QMP_get_subgrid_dimensions(void);
/* Returns the number of sites of each node's part, 0 before QMP_layout_grid. */
int QMP_get_number_of_subgrid_sites(void);

/* Memory. */

/* Allocate memory and return null if there is none left. An alignment is a power of two, or 0. */
QMP_mem_t* QMP_allocate_memory(size_t nbytes);
QMP_mem_t* QMP_allocate_aligned_memory(size_t nbytes, size_t alignment, int flags);
void* QMP_get_memory_pointer(QMP_mem_t* mem);
void QMP_free_memory(QMP_mem_t* mem);

/* Declares the bytes of a message as one block. */
QMP_msgmem_t QMP_declare_msgmem(const void* mem, size_t nbytes);
/* Declares `nblocks` blocks of `blksize` bytes, with `stride` bytes from the beginning of one to
 * the next. */
QMP_msgmem_t QMP_declare_strided_msgmem(void* base, size_t blksize, int nblocks, ptrdiff_t stride);
/* Declares `num` such sets of strided blocks, one after the other. */
QMP_msgmem_t QMP_declare_strided_array_msgmem(void* base[], size_t blksize[], int nblocks[],
                                              ptrdiff_t stride[], int num);
/* Declares `count` blocks of blocklen[i] elements, each at element index[i] from the base. */
QMP_msgmem_t QMP_declare_indexed_msgmem(void* base, int blocklen[], int index[], int elemsize,
                                        int count);
/* Frees the description; messages that were declared with it remain valid. */
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
/* Makes one handle of several. They then belong to it and are freed with it. */
QMP_msghandle_t QMP_declare_multiple(QMP_msghandle_t messages[], int num);
/* Does the same for sends and receives that follow each other in pairs. */
QMP_msghandle_t QMP_declare_send_recv_pairs(QMP_msghandle_t messages[], int num);
/* Gives a message that is not started another base address; its blocks keep their layout. */
QMP_status_t QMP_change_address(QMP_msghandle_t h, void* address);
/* Gives each message of a handle of several its own new base address. */
QMP_status_t QMP_change_address_multiple(QMP_msghandle_t h, void* addresses[], int num);
void QMP_free_msghandle(QMP_msghandle_t h);
/* Returns QMP_NOTSUPPORTED, because a receive is ready once it is started. */
QMP_status_t QMP_clear_to_send(QMP_msghandle_t h, QMP_clear_to_send_t cts);
/* Starts the message, or all messages of the handle in their order. */
QMP_status_t QMP_start(QMP_msghandle_t h);
/* Wait until a started receive has arrived, or until the bytes of a started send may be changed.
 * Return at once for a handle that has not been started. */
QMP_status_t QMP_wait(QMP_msghandle_t h);
QMP_status_t QMP_wait_all(QMP_msghandle_t h[], int num);
/* Returns whether a wait would return at once. */
QMP_bool_t QMP_is_complete(QMP_msghandle_t h);

/* Collectives. All values are changed in place. Sums, and reductions by a function, are computed
 * in the order of nodes, so that repeated runs give the same bits. */

QMP_status_t QMP_barrier(void);
QMP_status_t QMP_comm_barrier(QMP_comm_t comm);
/* Copy the bytes of node 0 to all nodes. */
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
/* Sum in long double and round once. */
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
/* Combine the nodes' buffers by a function. */
QMP_status_t QMP_binary_reduction(void* buffer, size_t nbytes, QMP_binary_func combine);
QMP_status_t QMP_comm_binary_reduction(QMP_comm_t comm, void* buffer, size_t nbytes,
                                       QMP_binary_func combine);
/* Sends block n, of `nbytes` bytes, of every node's `sent` to node n, which receives the blocks in
 * the order of nodes. */
QMP_status_t QMP_comm_alltoall(QMP_comm_t comm, char* received, const char* sent, size_t nbytes);

/* Text and time. */

const char* QMP_error_string(QMP_status_t code);
/* Return QMP_SUCCESS and its text, because wrong calls do not return. */
QMP_status_t QMP_get_error_number(QMP_msghandle_t h);
const char* QMP_get_error_string(QMP_msghandle_t h);
/* Sets the verbosity and returns the previous one, which is 0 at first. */
int QMP_verbose(int level);
/* Write to stdout or to a stream, preceded by the node's number; return what vfprintf returns. */
int QMP_printf(const char* format, ...);
int QMP_fprintf(FILE* stream, const char* format, ...);
/* Write to stderr, preceded by the node's number; QMP_info writes only if the verbosity is above
 * 0. */
int QMP_info(const char* format, ...);
int QMP_error(const char* format, ...);
/* Returns the seconds since some moment, on a virtual machine in virtual time. */
double QMP_time(void);
/* Returns the seconds spent in QMP_wait and collectives since the last reset. */
double QMP_get_total_qmp_time(void);
void QMP_reset_total_qmp_time(void);
/* Return the version of QMP whose functions these are: 2.5.4 as text, and 20504. */
const char* QMP_version_str(void);
int QMP_version_int(void);

#ifdef __cplusplus
}
#endif

#endif
