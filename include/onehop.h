#ifndef ONEHOP_H
#define ONEHOP_H
/**
 * This is onehop for C11 and, through onehop.f90, for Fortran: jobs and groups, windows and put
 * chains, halo exchanges, streams and collectives. The C++ header of the same noun
 * (<onehop/put_chain.hpp> and so on) says what each call means, costs and requires; this header
 * says only what differs.
 *
 * Every function returns ONEHOP_OK or an error code. After an error, onehop_error_message says
 * what is wrong and what to do. Results are returned through pointers, which are written only on
 * success. Functions with `make`, `join`, `split` or `along` in their name make a handle, and the
 * `free` function of its kind ends it; `free` also accepts NULL. Objects made from a handle may
 * outlive it. After an error, a rank usually informs the others with onehop_abandon and ends.
 */

#include <stddef.h>
#include <stdint.h>

/* A caller may pass a value outside an enumeration; in C++ this needs a fixed underlying type. */
#ifdef __cplusplus
#define ONEHOP_OF_INT : int
extern "C" {
#else
#define ONEHOP_OF_INT
#endif

/** These are the error codes; the classes are those of <onehop/error.hpp>. */
enum onehop_code {
  ONEHOP_OK = 0,             /**< the call did what it says */
  ONEHOP_USAGE_ERROR = 1,    /**< a call that makes no sense */
  ONEHOP_CHAIN_ERROR = 2,    /**< the ranks disagree about a put chain */
  ONEHOP_PEER_ERROR = 3,     /**< another rank failed or died */
  ONEHOP_TIMEOUT_ERROR = 4,  /**< a wait reached its deadline */
  ONEHOP_RESOURCE_ERROR = 5, /**< the machine lacks something */
  ONEHOP_OTHER_ERROR = 6     /**< anything else, such as no memory */
};

/** Returns one line that says what went wrong in this thread's last failed call, or "" if none has
 *  failed. The message remains until the next call fails. */
const char* onehop_error_message(void);

/* ---- Jobs and groups ------------------------------------------------------------------------ */

/** A context is a job, or a group of its ranks. */
typedef struct onehop_context onehop_context;

/** Does what onehop::join does; NULL stands for "auto". */
int onehop_join(const char* transport, onehop_context** made);
/** Does what onehop::join_communicator does, for the value that MPI_Comm_c2f returns; in Fortran
 *  that is the communicator itself. Collective over its ranks. */
int onehop_join_communicator(int communicator, const char* transport, onehop_context** made);
/** Does what context::split does; collective. A rank that gives a negative colour gets NULL. */
int onehop_split(const onehop_context* ctx, int color, int key, onehop_context** made);
/** Frees a context. A rank leaves its job once its last context, and everything made from it, is
 *  gone. */
int onehop_context_free(onehop_context* ctx);

/** Returns the number of this rank in this context, from 0. */
int onehop_rank(const onehop_context* ctx, int* rank);
/** Returns the number of ranks in this context. */
int onehop_size(const onehop_context* ctx, int* size);
/** Returns the number that a rank of this context has in the job that was joined. */
int onehop_rank_in_job(const onehop_context* ctx, int rank, int* in_job);
/** Sets the longest time that any wait may last. */
int onehop_set_deadline(const onehop_context* ctx, double seconds);
/** Tells every rank of the job that this one gives up, and for what reason. */
int onehop_abandon(const onehop_context* ctx, const char* reason);

/* ---- Collectives, all of them collective ---------------------------------------------------- */

/** These are the types of the values that onehop_allreduce combines. */
typedef enum onehop_type ONEHOP_OF_INT {
  ONEHOP_INT32,
  ONEHOP_INT64,
  ONEHOP_UINT32,
  ONEHOP_UINT64,
  ONEHOP_FLOAT,
  ONEHOP_DOUBLE
} onehop_type;

/** These are the ways in which onehop_allreduce combines values. */
typedef enum onehop_reduction ONEHOP_OF_INT {
  ONEHOP_SUM,
  ONEHOP_MIN,
  ONEHOP_MAX,
  ONEHOP_BIT_AND, /**< for integers only, as are BIT_OR and BIT_XOR */
  ONEHOP_BIT_OR,
  ONEHOP_BIT_XOR
} onehop_reduction;

/** Waits until every rank has called it. */
int onehop_barrier(const onehop_context* ctx);
/** Copies the `bytes` bytes in `data` of rank `root` to every rank. */
int onehop_broadcast(const onehop_context* ctx, void* data, size_t bytes, int root);
/** Combines `count` values of every rank, element by element in the order of ranks, in place. */
int onehop_allreduce(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                     onehop_reduction how);
/** Combines as onehop_allreduce does, for `root` only; on the other ranks the values are undefined
 *  afterwards. */
int onehop_reduce(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                  onehop_reduction how, int root);
/** Combines in place: each rank gets the values of the ranks from 0 to itself, combined in rank
 *  order. */
int onehop_scan(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                onehop_reduction how);
/** Combines as onehop_scan does, but only the values of the ranks before this one; rank 0 keeps its
 *  own. */
int onehop_exclusive_scan(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                          onehop_reduction how);
/** Combines `all` of all ranks, which has `count` values for each rank: block r of the result
 *  becomes `mine` of rank r. */
int onehop_reduce_scatter(const onehop_context* ctx, const void* all, void* mine, size_t count,
                          onehop_type type, onehop_reduction how);
/** Gathers `bytes` bytes of every rank in `all`, which must have room for the bytes of all
 *  ranks. */
int onehop_allgather(const onehop_context* ctx, const void* mine, size_t bytes, void* all);
/** Gathers `bytes` bytes of every rank at `root`; on other ranks `all` is not accessed and may be
 *  NULL. */
int onehop_gather(const onehop_context* ctx, const void* mine, size_t bytes, void* all, int root);
/** Scatters `all` of `root`: its block r becomes `mine` of rank r. On other ranks `all` may be
 *  NULL. */
int onehop_scatter(const onehop_context* ctx, const void* all, void* mine, size_t bytes, int root);
/** Sends block r of `send`, of `bytes` bytes, to rank r, and receives block r of `receive` from it;
 *  the two must not overlap. */
int onehop_alltoall(const onehop_context* ctx, const void* send, void* receive, size_t bytes);
/** Sends blocks[r], of bytes[r] bytes, to rank r. What rank r sends here is written to into[r],
 *  which has room for room[r] bytes, and came[r] returns how many bytes arrived. The lists have one
 *  entry for each rank. Blocks of 0 bytes may be NULL, and so may `came`. Receivers need not know
 *  the sizes. */
int onehop_alltoallv(const onehop_context* ctx, const void* const* blocks, const size_t* bytes,
                     void* const* into, const size_t* room, size_t* came);
/** Gathers blocks of any size at `root`. The lists have the same meaning as in onehop_alltoallv and
 *  may be NULL on other ranks. */
int onehop_gatherv(const onehop_context* ctx, const void* mine, size_t bytes, void* const* into,
                   const size_t* room, size_t* came, int root);
/** Sends blocks[r] of `root`, of bytes[r] bytes, to rank r, which has room for `room` bytes in
 *  `mine`. On other ranks the lists may be NULL; `came` may be NULL everywhere. */
int onehop_scatterv(const onehop_context* ctx, const void* const* blocks, const size_t* bytes,
                    void* mine, size_t room, size_t* came, int root);

/* ---- Persistent collectives: make, then start and wait again and again ----------------------- */

/** A collective that is described once, as in <onehop/persistent_collective.hpp>. It takes the same
 *  arguments as the collective of the same name. The memory must live as long as it, and must not
 *  be used from start to wait. */
typedef struct onehop_collective onehop_collective;

/** Makes an allreduce, in place; collective. */
int onehop_allreduce_make(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                          onehop_reduction how, onehop_collective** made);
/** Makes a reduce; on ranks other than `root` the values are undefined after a wait. Collective. */
int onehop_reduce_make(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                       onehop_reduction how, int root, onehop_collective** made);
/** Makes a scan, in place; collective. */
int onehop_scan_make(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                     onehop_reduction how, onehop_collective** made);
/** Makes a scan of the lower ranks, in place; collective. */
int onehop_exclusive_scan_make(const onehop_context* ctx, void* values, size_t count,
                               onehop_type type, onehop_reduction how, onehop_collective** made);
/** Makes a reduce_scatter; collective. */
int onehop_reduce_scatter_make(const onehop_context* ctx, const void* all, void* mine, size_t count,
                               onehop_type type, onehop_reduction how, onehop_collective** made);
/** Makes a broadcast from `root`; collective. */
int onehop_broadcast_make(const onehop_context* ctx, void* data, size_t bytes, int root,
                          onehop_collective** made);
/** Makes an allgather. `all` has a block of `bytes` bytes for each rank, and each rank writes its
 *  own block before each start. Collective. */
int onehop_allgather_make(const onehop_context* ctx, void* all, size_t bytes,
                          onehop_collective** made);
/** Makes a gather at `root`; collective. */
int onehop_gather_make(const onehop_context* ctx, const void* mine, size_t bytes, void* all,
                       int root, onehop_collective** made);
/** Makes a scatter from `root`; collective. */
int onehop_scatter_make(const onehop_context* ctx, const void* all, void* mine, size_t bytes,
                        int root, onehop_collective** made);
/** Makes an alltoall; collective. */
int onehop_alltoall_make(const onehop_context* ctx, const void* send, void* receive, size_t bytes,
                         onehop_collective** made);

/** Makes an alltoallv: blocks[r], of bytes[r] bytes, goes to rank r, and into[r] comes from it, of
 *  room[r] bytes, which must be the number that rank r sends. Blocks of 0 bytes may be NULL.
 *  Collective. */
int onehop_alltoallv_make(const onehop_context* ctx, const void* const* blocks, const size_t* bytes,
                          void* const* into, const size_t* room, onehop_collective** made);
/** Makes a gatherv at `root`, where room[r] is the number of bytes that rank r gives; on other
 *  ranks the lists may be NULL. Collective. */
int onehop_gatherv_make(const onehop_context* ctx, const void* mine, size_t bytes,
                        void* const* into, const size_t* room, int root, onehop_collective** made);
/** Makes a scatterv from `root`. Its blocks must be as long as the memory of the ranks that get
 *  them; on other ranks the lists may be NULL. Collective. */
int onehop_scatterv_make(const onehop_context* ctx, const void* const* blocks, const size_t* bytes,
                         void* mine, size_t room, int root, onehop_collective** made);

/** Does what persistent_collective::start does. */
int onehop_collective_start(onehop_collective* collective);
/** Does what persistent_collective::wait does. */
int onehop_collective_wait(onehop_collective* collective);
/** Sets `over` to 1 if a wait would return at once (the test then replaces it), otherwise to 0. */
int onehop_collective_test(onehop_collective* collective, int* over);
/** Frees a collective that is not in progress; NULL is allowed. */
int onehop_collective_free(onehop_collective* collective);

/* ---- Windows -------------------------------------------------------------------------------- */

/** A window is memory of every rank that the others may write. */
typedef struct onehop_window onehop_window;

/** Does what window::allocate does; collective. */
int onehop_window_make(const onehop_context* ctx, size_t bytes, int banks, onehop_window** made);
/** Does what window::register_existing does; collective. */
int onehop_window_make_over(const onehop_context* ctx, void* memory, size_t bytes,
                            onehop_window** made);
/** Returns the bytes of one bank at a rank. */
int onehop_window_bytes(const onehop_window* window, int rank, size_t* bytes);
/** Returns the address of a bank of this rank's own part; banks count from 0. */
int onehop_window_local(const onehop_window* window, int bank, void** memory);
/** Frees a window; memory given to onehop_window_make_over stays the caller's. */
int onehop_window_free(onehop_window* window);

/* ---- Put chains: push and add_origin, commit, then start and wait again and again ------------ */

/** A chain is a list of puts that are described once and then started together repeatedly. */
typedef struct onehop_chain onehop_chain;

/** Makes an empty chain. Puts and arrivals are numbered from 0, each in the order of the calls that
 *  describe them; `slot` and `arrival` may be NULL. Sources stay the caller's and must live as long
 *  as the chain is used. */
int onehop_chain_make(const onehop_context* ctx, const onehop_window* window, onehop_chain** made);
/** Describes a put of `bytes` bytes at `source` to the window of rank `target`, at `offset` bytes
 *  from its beginning. */
int onehop_chain_push(onehop_chain* chain, const void* source, size_t bytes, int target,
                      size_t offset, int* slot);
/** Describes a put of `blocks` pieces, with `stride_bytes` from the beginning of one to the
 *  next. */
int onehop_chain_push_strided(onehop_chain* chain, const void* source, size_t blocks,
                              size_t block_bytes, ptrdiff_t stride_bytes, int target, size_t offset,
                              int* slot);
/** Describes a put as onehop_chain_push_strided does, whose bytes arrive in `runs` pieces of
 *  `run_bytes` each, with `run_stride_bytes` from the beginning of one to the next. As many bytes
 *  must arrive as are sent. */
int onehop_chain_push_apart(onehop_chain* chain, const void* source, size_t blocks,
                            size_t block_bytes, ptrdiff_t stride_bytes, int target, size_t offset,
                            size_t runs, size_t run_bytes, ptrdiff_t run_stride_bytes, int* slot);
/** Describes a packed put: before each start the caller writes the bytes where
 *  onehop_chain_target_view says. */
int onehop_chain_push_packed(onehop_chain* chain, size_t bytes, int target, size_t offset,
                             int* slot);
/** Describes a put of variable size: it sends what onehop_chain_set_bytes says, at most
 *  `most_bytes`. */
int onehop_chain_push_up_to(onehop_chain* chain, const void* source, size_t most_bytes, int target,
                            size_t offset, int* slot);
/** Describes a put that is both packed and of variable size: the caller writes it where
 *  onehop_chain_target_view says, and passes its size to onehop_chain_set_bytes. */
int onehop_chain_push_packed_up_to(onehop_chain* chain, size_t most_bytes, int target,
                                   size_t offset, int* slot);
/** Declares that rank `origin` has a put to this rank; the n-th arrival from an origin is its n-th
 *  put to this rank. */
int onehop_chain_add_origin(onehop_chain* chain, int origin, int* arrival);

/** Promises that this rank reads what arrived before it writes the next onehop_chain_target_view,
 *  as put_chain::take_turns does. Call it before commit, on all ranks or on none. */
int onehop_chain_take_turns(onehop_chain* chain);
/** Does what put_chain::commit does; collective. */
int onehop_chain_commit(onehop_chain* chain);
/** Sets how many bytes a put of variable size sends from the next start on. */
int onehop_chain_set_bytes(onehop_chain* chain, int slot, size_t bytes);
/** Starts an exchange: all puts leave. Their sources must not change until onehop_chain_source_free
 *  or onehop_chain_wait says so. */
int onehop_chain_start(onehop_chain* chain);
/** Starts an exchange whose puts leave one by one, each when onehop_chain_ready names it; the bytes
 *  of a put may be written until then. Neither call blocks. */
int onehop_chain_start_partial(onehop_chain* chain);
/** Lets one put of an exchange leave that was started with onehop_chain_start_partial. */
int onehop_chain_ready(onehop_chain* chain, int slot);
/** Sets `can` to 1 if a start would not block, otherwise to 0. */
int onehop_chain_can_start(onehop_chain* chain, int* can);
/** Waits until all arrivals are visible and all sources may be written again. */
int onehop_chain_wait(onehop_chain* chain);
/** Waits until one arrival is visible. */
int onehop_chain_wait_for(onehop_chain* chain, int arrival);
/** Waits until one of `count` arrivals is visible; `which` returns its index among them. */
int onehop_chain_wait_any(onehop_chain* chain, const int* arrivals, size_t count, size_t* which);
/** Waits until at least one of `count` arrivals is visible, and moves the visible ones to the
 *  front; `visible` returns their number. */
int onehop_chain_wait_some(onehop_chain* chain, int* arrivals, size_t count, size_t* visible);
/** Sets `over` to 1 if onehop_chain_wait would not block (the test then replaces it), otherwise to
 *  0. */
int onehop_chain_test(onehop_chain* chain, int* over);
/** Sets `visible` to 1 if the arrival may be read, otherwise to 0. */
int onehop_chain_test_for(onehop_chain* chain, int arrival, int* visible);
/** Sets `is_free` to 1 if the source of this put may be written again, otherwise to 0. */
int onehop_chain_source_free(const onehop_chain* chain, int slot, int* is_free);

/** Returns where to write a packed put for the coming start; `bytes` may be NULL. */
int onehop_chain_target_view(const onehop_chain* chain, int slot, void** memory, size_t* bytes);
/** Returns where the bytes of an arrival of the last exchange lie, once it has been waited for;
 *  `bytes` may be NULL. */
int onehop_chain_arrived(const onehop_chain* chain, int arrival, const void** memory,
                         size_t* bytes);
/** Makes the chain empty again; collective. */
int onehop_chain_clear(onehop_chain* chain);
/** Returns how each put travels, one line per put; the text is valid until the next such call. */
int onehop_chain_describe(onehop_chain* chain, const char** words);
/** Frees a chain. */
int onehop_chain_free(onehop_chain* chain);

/* ---- Grids of ranks, fields with ghosts, halo exchanges ------------------------------------- */

/** A grid places the ranks, each with its block of the lattice. */
typedef struct onehop_grid onehop_grid;
/** A field has a value on every site of a block and on its ghosts. */
typedef struct onehop_field onehop_field;
/** A halo is an exchange that fills the ghosts of fields. */
typedef struct onehop_halo onehop_halo;

/** Makes an onehop::cartesian of 1 to 4 `dimensions`, x first and fastest. `grid` (ranks in each
 *  dimension) and `periodic` (0 or not) have one entry per dimension or are NULL. If `grid` is
 *  NULL, a grid is chosen; if `periodic` is NULL, all dimensions are periodic. */
int onehop_grid_make(const onehop_context* ctx, int dimensions, const int* extents, const int* grid,
                     const int* periodic, onehop_grid** made);
/** Returns the extents of this rank's block, its first site in the whole lattice, and its position
 *  in the grid of ranks, with `dimensions` entries each; any of them may be NULL. */
int onehop_grid_block(const onehop_grid* grid, int* local, int* origin, int* position);
/** Returns the rank next to this one: above it for `sign` 1, below it for -1. The result is -1
 *  beyond an end that is not periodic. */
int onehop_grid_neighbour(const onehop_grid* grid, int dimension, int sign, int* rank);
/** Makes the group of the ranks that differ from this one in these dimensions only; collective. */
int onehop_grid_along(const onehop_grid* grid, const int* dimensions, int count,
                      onehop_context** made);
/** Frees a grid; fields on it may remain. */
int onehop_grid_free(onehop_grid* grid);

/** Makes a field with sites of `site_bytes` bytes, all zero, and ghosts of this width around the
 *  block. */
int onehop_field_make(const onehop_grid* grid, size_t site_bytes, int width, onehop_field** made);
/** Makes a field in memory of the caller, which has onehop_field_sites sites and must live as
 *  long. */
int onehop_field_make_over(const onehop_grid* grid, size_t site_bytes, int width, void* memory,
                           size_t bytes, onehop_field** made);
/** Returns the number of sites in memory, ghosts included, and in `shape` their number in each
 *  dimension (NULL or `dimensions` entries): the shape of an array whose first index is the
 *  fastest. */
int onehop_field_sites(const onehop_grid* grid, int width, size_t* sites, size_t* shape);
/** Returns the address of the first site in memory, which is a ghost if the field has any. */
int onehop_field_data(const onehop_field* field, void** sites);
/** Frees a field that no exchange uses any more. */
int onehop_field_free(onehop_field* field);

/** Makes one exchange for the ghosts of `count` fields, which must remain until it is freed;
 *  collective. If `corners` is not 0, it also fills ghosts beyond the block in several
 *  dimensions. */
int onehop_halo_make(onehop_field* const* fields, size_t count, int corners, onehop_halo** made);
/** Starts an exchange; the sites at the faces must not change until onehop_halo_wait. */
int onehop_halo_start(onehop_halo* halo);
/** Starts an exchange whose faces leave one by one, each when onehop_halo_ready names it. Name
 *  every side of every dimension once. Neither call blocks. */
int onehop_halo_start_partial(onehop_halo* halo);
/** Lets one face of an exchange leave that was started with onehop_halo_start_partial: side 0 is
 *  the face below the block in this dimension, side 1 the face above. */
int onehop_halo_ready(onehop_halo* halo, int dimension, int side);
/** Waits until all ghosts are filled. */
int onehop_halo_wait(onehop_halo* halo);
/** Waits for one face: side 0 is below the block in this dimension, side 1 above. */
int onehop_halo_wait_for(onehop_halo* halo, int dimension, int side);
/** Sets `over` to 1 if onehop_halo_wait would not block (the test then replaces it), otherwise to
 *  0. */
int onehop_halo_test(onehop_halo* halo, int* over);
/** Frees an exchange; its fields remain. */
int onehop_halo_free(onehop_halo* halo);

/* ---- Streams: items of any size from producers to consumers --------------------------------- */

/** A stream is a bounded queue of items from producers to consumers. */
typedef struct onehop_stream onehop_stream;

/** ONEHOP_ANY stands for any consumer that has room. */
#define ONEHOP_ANY (-1)

/** A place is the memory where an item is to be written. */
typedef struct {
  void* bytes;
  size_t size;
  int consumer;
} onehop_place;

/** An item may be read until it is released; its bytes belong to the stream. */
typedef struct {
  const void* bytes;
  size_t size;
  int producer;
  uint32_t block;
} onehop_item;

/** Makes an onehop::stream; collective. If `block_bytes` or `blocks` is 0, the default of
 *  stream_options is used. */
int onehop_stream_make(const onehop_context* ctx, const int* producers, size_t producer_count,
                       const int* consumers, size_t consumer_count, size_t largest_item,
                       size_t block_bytes, int blocks, onehop_stream** made);
/** Waits until a consumer has room for an item of at most `bytes` bytes, and returns the place. */
int onehop_stream_reserve(onehop_stream* stream, size_t bytes, int consumer, onehop_place* place);
/** Returns a place as onehop_stream_reserve does, without waiting: `reserved` is 0 if there is no
 *  room now. */
int onehop_stream_try_reserve(onehop_stream* stream, size_t bytes, int consumer,
                              onehop_place* place, int* reserved);
/** Publishes an item: the first `bytes` bytes of the place, which the caller has written. */
int onehop_stream_publish(onehop_stream* stream, const onehop_place* place, size_t bytes);
/** Copies an item to a newly reserved place and publishes it. */
int onehop_stream_send(onehop_stream* stream, const void* bytes, size_t size, int consumer);
/** Sends items that were published but held back. */
int onehop_stream_flush(onehop_stream* stream);
/** Declares at a producer that no more items come, and sends what is held back. */
int onehop_stream_close(onehop_stream* stream);
/** Waits for the next item. `ended` is 1, and there is no item, once all producers have closed and
 *  all items have been taken. */
int onehop_stream_next(onehop_stream* stream, onehop_item* item, int* ended);
/** Returns the next item without waiting. `taken` is 1 if there is an item, `ended` is 1 if none
 *  will come; both are 0 if there is nothing yet. */
int onehop_stream_try_next(onehop_stream* stream, onehop_item* item, int* taken, int* ended);
/** Gives the memory of an item back to its producer; its bytes must not be read afterwards. */
int onehop_stream_release(onehop_stream* stream, const onehop_item* item);
/** Frees a stream. */
int onehop_stream_free(onehop_stream* stream);

#ifdef __cplusplus
}
#endif

#endif
