#ifndef ONEHOP_H
#define ONEHOP_H
/**
 * This is onehop for C11, and through onehop.f90 for Fortran: jobs and groups, windows and put
 * chains, halo exchanges, streams and collectives. The C++ header of the same noun,
 * <onehop/put_chain.hpp> and so on, says what each call means, costs and requires; this header says
 * what differs.
 *
 * Every function returns ONEHOP_OK or the code of an error, and onehop_error_message then says what
 * is wrong and what to do. Results come through pointers, which are written on success only. A
 * handle is made by a function with `make`, `join`, `split` or `along` in its name and ended by the
 * `free` of its kind, which takes NULL, too; what was made of a handle may outlive it. After an
 * error a rank usually tells the others by onehop_abandon and ends.
 */

#include <stddef.h>
#include <stdint.h>

/* A call names a value that is none of an enumeration's; in C++ such a value needs the type. */
#ifdef __cplusplus
#define ONEHOP_OF_INT : int
extern "C" {
#else
#define ONEHOP_OF_INT
#endif

/** The codes of errors; the classes are those of <onehop/error.hpp>. */
enum onehop_code {
  ONEHOP_OK = 0,             /**< the call did what it says */
  ONEHOP_USAGE_ERROR = 1,    /**< a call that makes no sense */
  ONEHOP_CHAIN_ERROR = 2,    /**< the ranks disagree about a put chain */
  ONEHOP_PEER_ERROR = 3,     /**< another rank failed or died */
  ONEHOP_TIMEOUT_ERROR = 4,  /**< a wait reached its deadline */
  ONEHOP_RESOURCE_ERROR = 5, /**< the machine lacks something */
  ONEHOP_OTHER_ERROR = 6     /**< anything else, such as no memory */
};

/** Says in one line what went wrong in this thread's last call that failed; "" before any has. The
 *  message stays until the next call fails. */
const char* onehop_error_message(void);

/* ---- Jobs and groups ------------------------------------------------------------------------ */

/** A job, or a group of its ranks. */
typedef struct onehop_context onehop_context;

/** Does what onehop::join does; NULL is "auto". */
int onehop_join(const char* transport, onehop_context** made);
/** Does what onehop::join_communicator does, for what MPI_Comm_c2f gives; in Fortran that is the
 *  communicator itself. Collective among its ranks. */
int onehop_join_communicator(int communicator, const char* transport, onehop_context** made);
/** Does what context::split does; collective. A rank that gives a negative colour gets NULL. */
int onehop_split(const onehop_context* ctx, int color, int key, onehop_context** made);
/** A rank leaves its job once its last context, and all that was made of it, is gone. */
int onehop_context_free(onehop_context* ctx);

/** Returns the number of this rank in this context, from 0. */
int onehop_rank(const onehop_context* ctx, int* rank);
/** Returns how many ranks this context has. */
int onehop_size(const onehop_context* ctx, int* size);
/** Returns the number that a rank of this context has in the job that was joined. */
int onehop_rank_in_job(const onehop_context* ctx, int rank, int* in_job);
/** Sets the longest time that any wait may last. */
int onehop_set_deadline(const onehop_context* ctx, double seconds);
/** Tells every rank of the job that this one gives up, and why. */
int onehop_abandon(const onehop_context* ctx, const char* reason);

/* ---- Collectives, all of them collective ---------------------------------------------------- */

/** The types of values that onehop_allreduce combines. */
typedef enum onehop_type ONEHOP_OF_INT {
  ONEHOP_INT32,
  ONEHOP_INT64,
  ONEHOP_UINT32,
  ONEHOP_UINT64,
  ONEHOP_FLOAT,
  ONEHOP_DOUBLE
} onehop_type;

/** The ways in which onehop_allreduce combines them. */
typedef enum onehop_reduction ONEHOP_OF_INT {
  ONEHOP_SUM,
  ONEHOP_MIN,
  ONEHOP_MAX,
  ONEHOP_BIT_AND, /**< for integers only, as are BIT_OR and BIT_XOR */
  ONEHOP_BIT_OR,
  ONEHOP_BIT_XOR
} onehop_reduction;

/** Returns once every rank has called it. */
int onehop_barrier(const onehop_context* ctx);
/** Gives every rank the `bytes` that rank `root` has in `data`. */
int onehop_broadcast(const onehop_context* ctx, void* data, size_t bytes, int root);
/** Combines `count` values of every rank, element by element in the order of ranks, in place. */
int onehop_allreduce(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                     onehop_reduction how);
/** Combines so for `root` alone: the values of the other ranks are undefined afterwards. */
int onehop_reduce(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                  onehop_reduction how, int root);
/** Each rank gets the values of the ranks from 0 to itself, combined in rank order, in place. */
int onehop_scan(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                onehop_reduction how);
/** Each rank gets the values of the ranks before it; rank 0 keeps its own. */
int onehop_exclusive_scan(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                          onehop_reduction how);
/** Combines what all ranks give in `all`, which has `count` values for each rank: block r of the
 *  result becomes `mine` of rank r. */
int onehop_reduce_scatter(const onehop_context* ctx, const void* all, void* mine, size_t count,
                          onehop_type type, onehop_reduction how);
/** Gathers `bytes` of every rank in `all`, which must have room for those of all ranks. */
int onehop_allgather(const onehop_context* ctx, const void* mine, size_t bytes, void* all);
/** Gathers `bytes` of every rank at `root`; elsewhere `all` is not touched and may be NULL. */
int onehop_gather(const onehop_context* ctx, const void* mine, size_t bytes, void* all, int root);
/** Block r of what `root` has in `all` becomes `mine` of rank r; elsewhere `all` may be NULL. */
int onehop_scatter(const onehop_context* ctx, const void* all, void* mine, size_t bytes, int root);
/** Block r of `send`, of `bytes`, goes to rank r, from which block r of `receive` comes; they do
 *  not overlap. */
int onehop_alltoall(const onehop_context* ctx, const void* send, void* receive, size_t bytes);
/** Sends blocks[r], of bytes[r], to rank r; what rank r sends here is written to into[r], which has
 *  room for room[r] bytes, and came[r] says how many came. The lists have an entry for each rank;
 *  blocks of 0 bytes may be NULL, and so may `came`. Receivers need not know the sizes. */
int onehop_alltoallv(const onehop_context* ctx, const void* const* blocks, const size_t* bytes,
                     void* const* into, const size_t* room, size_t* came);
/** Gathers blocks of any size at `root`, where the lists say the same as those of onehop_alltoallv;
 *  they may be NULL elsewhere. */
int onehop_gatherv(const onehop_context* ctx, const void* mine, size_t bytes, void* const* into,
                   const size_t* room, size_t* came, int root);
/** Sends blocks[r] of `root`, of bytes[r], to rank r, which has room for `room` bytes in `mine`;
 *  the lists may be NULL elsewhere, and so may `came`. */
int onehop_scatterv(const onehop_context* ctx, const void* const* blocks, const size_t* bytes,
                    void* mine, size_t room, size_t* came, int root);

/* ---- Persistent collectives: make, then start and wait again and again ----------------------- */

/** A collective that was described once, as in <onehop/persistent_collective.hpp>. It takes what
 * the collective of its name takes; the memory must live as long, and is left alone from start to
 *  wait. */
typedef struct onehop_collective onehop_collective;

/** Makes an allreduce, in place; collective. */
int onehop_allreduce_make(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                          onehop_reduction how, onehop_collective** made);
/** Makes a reduce; the values of ranks other than `root` are undefined after a wait. Collective. */
int onehop_reduce_make(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                       onehop_reduction how, int root, onehop_collective** made);
/** Makes a scan, in place; collective. */
int onehop_scan_make(const onehop_context* ctx, void* values, size_t count, onehop_type type,
                     onehop_reduction how, onehop_collective** made);
/** Makes a scan of the ranks below, in place; collective. */
int onehop_exclusive_scan_make(const onehop_context* ctx, void* values, size_t count,
                               onehop_type type, onehop_reduction how, onehop_collective** made);
/** Makes a reduce_scatter; collective. */
int onehop_reduce_scatter_make(const onehop_context* ctx, const void* all, void* mine, size_t count,
                               onehop_type type, onehop_reduction how, onehop_collective** made);
/** Makes a broadcast of `root`; collective. */
int onehop_broadcast_make(const onehop_context* ctx, void* data, size_t bytes, int root,
                          onehop_collective** made);
/** Makes an allgather; `all` has a block of `bytes` for each rank, which writes its own before each
 *  start. Collective. */
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

/** Makes an alltoallv: blocks[r], of bytes[r], goes to rank r, from which into[r] comes, of room[r]
 *  bytes, which must be as many as that rank sends. Blocks of 0 bytes may be NULL. Collective. */
int onehop_alltoallv_make(const onehop_context* ctx, const void* const* blocks, const size_t* bytes,
                          void* const* into, const size_t* room, onehop_collective** made);
/** Makes a gatherv at `root`, where room[r] is what rank r gives; elsewhere the lists may be NULL.
 *  Collective. */
int onehop_gatherv_make(const onehop_context* ctx, const void* mine, size_t bytes,
                        void* const* into, const size_t* room, int root, onehop_collective** made);
/** Makes a scatterv from `root`, whose blocks are as long as the memory of the ranks that get them;
 *  elsewhere the lists may be NULL. Collective. */
int onehop_scatterv_make(const onehop_context* ctx, const void* const* blocks, const size_t* bytes,
                         void* mine, size_t room, int root, onehop_collective** made);

/** Does what persistent_collective::start does. */
int onehop_collective_start(onehop_collective* collective);
/** Does what persistent_collective::wait does. */
int onehop_collective_wait(onehop_collective* collective);
/** `over` is 1 when a wait would return at once, and the test then replaces it; else 0. */
int onehop_collective_test(onehop_collective* collective, int* over);
/** Frees it; NULL is allowed. Nothing may be under way. */
int onehop_collective_free(onehop_collective* collective);

/* ---- Windows -------------------------------------------------------------------------------- */

/** Memory of every rank that the others may write. */
typedef struct onehop_window onehop_window;

/** Does what window::allocate does; collective. */
int onehop_window_make(const onehop_context* ctx, size_t bytes, int banks, onehop_window** made);
/** Does what window::register_existing does; collective. */
int onehop_window_make_over(const onehop_context* ctx, void* memory, size_t bytes,
                            onehop_window** made);
/** Returns the bytes of one bank at a rank. */
int onehop_window_bytes(const onehop_window* window, int rank, size_t* bytes);
/** Says where a bank of this rank's own part lies; banks count from 0. */
int onehop_window_local(const onehop_window* window, int bank, void** memory);
/** Frees a window; memory given to onehop_window_make_over stays the caller's. */
int onehop_window_free(onehop_window* window);

/* ---- Put chains: push and add_origin, commit, then start and wait again and again ------------ */

/** Puts that are described once and started together, again and again. */
typedef struct onehop_chain onehop_chain;

/** Puts and arrivals are numbered from 0, each in the order of the calls that describe them;
 *  `slot` and `arrival` may be NULL. Sources stay the caller's and must live as long as the chain
 *  is used. */
int onehop_chain_make(const onehop_context* ctx, const onehop_window* window, onehop_chain** made);
/** Describes a put of `bytes` at `source` to the window of rank `target`, `offset` bytes after its
 *  beginning. */
int onehop_chain_push(onehop_chain* chain, const void* source, size_t bytes, int target,
                      size_t offset, int* slot);
/** Sends `blocks` pieces, from the beginning of one to that of the next `stride_bytes`. */
int onehop_chain_push_strided(onehop_chain* chain, const void* source, size_t blocks,
                              size_t block_bytes, ptrdiff_t stride_bytes, int target, size_t offset,
                              int* slot);
/** Sends as onehop_chain_push_strided does; the bytes arrive in `runs` pieces of `run_bytes`, from
 *  the beginning of one to that of the next `run_stride_bytes`, and are as many as those sent. */
int onehop_chain_push_apart(onehop_chain* chain, const void* source, size_t blocks,
                            size_t block_bytes, ptrdiff_t stride_bytes, int target, size_t offset,
                            size_t runs, size_t run_bytes, ptrdiff_t run_stride_bytes, int* slot);
/** Before each start the caller writes the bytes where onehop_chain_target_view says. */
int onehop_chain_push_packed(onehop_chain* chain, size_t bytes, int target, size_t offset,
                             int* slot);
/** Sends what onehop_chain_set_bytes says, at most `most_bytes`. */
int onehop_chain_push_up_to(onehop_chain* chain, const void* source, size_t most_bytes, int target,
                            size_t offset, int* slot);
/** Describes a put that is both packed and of variable size: the caller writes it where
 *  onehop_chain_target_view says and gives its size to onehop_chain_set_bytes. */
int onehop_chain_push_packed_up_to(onehop_chain* chain, size_t most_bytes, int target,
                                   size_t offset, int* slot);
/** Says that rank `origin` has a put to this rank; the n-th arrival of an origin is its n-th put.
 */
int onehop_chain_add_origin(onehop_chain* chain, int origin, int* arrival);

/** Promises that what arrived is read before the next onehop_chain_target_view is written, as
 *  put_chain::take_turns does; before commit, on all ranks or on none. */
int onehop_chain_take_turns(onehop_chain* chain);
/** Does what put_chain::commit does; collective. */
int onehop_chain_commit(onehop_chain* chain);
/** Sets how many bytes a put of variable size sends from the next start on. */
int onehop_chain_set_bytes(onehop_chain* chain, int slot, size_t bytes);
/** Starts an exchange: all puts leave, and their sources must not change until
 *  onehop_chain_source_free or onehop_chain_wait says so. */
int onehop_chain_start(onehop_chain* chain);
/** Starts an exchange whose puts leave one by one, each when onehop_chain_ready names it; its bytes
 *  may be written until then. Neither blocks. */
int onehop_chain_start_partial(onehop_chain* chain);
/** Lets one put of an exchange that was started partially leave. */
int onehop_chain_ready(onehop_chain* chain, int slot);
/** `can` is 1 when a start would not block, else 0. */
int onehop_chain_can_start(onehop_chain* chain, int* can);
/** Waits until all arrivals are visible and all sources may be written again. */
int onehop_chain_wait(onehop_chain* chain);
/** Waits until one arrival is visible. */
int onehop_chain_wait_for(onehop_chain* chain, int arrival);
/** Returns as soon as one of `count` arrivals is visible; `which` is its place among them. */
int onehop_chain_wait_any(onehop_chain* chain, const int* arrivals, size_t count, size_t* which);
/** Returns as soon as any of `count` arrivals are visible, and moves these to the front: `visible`
 *  says how many they are. */
int onehop_chain_wait_some(onehop_chain* chain, int* arrivals, size_t count, size_t* visible);
/** `over` is 1 when onehop_chain_wait would not block, and then replaces it; else 0. */
int onehop_chain_test(onehop_chain* chain, int* over);
/** `visible` is 1 when the arrival may be read, else 0. */
int onehop_chain_test_for(onehop_chain* chain, int arrival, int* visible);
/** `is_free` is 1 when the source of this put may be written again, else 0. */
int onehop_chain_source_free(const onehop_chain* chain, int slot, int* is_free);

/** Says where to write a packed put for the coming start; `bytes` may be NULL. */
int onehop_chain_target_view(const onehop_chain* chain, int slot, void** memory, size_t* bytes);
/** Says where the bytes of an arrival of the last exchange lie, once it has been waited for;
 *  `bytes` may be NULL. */
int onehop_chain_arrived(const onehop_chain* chain, int arrival, const void** memory,
                         size_t* bytes);
/** Makes the chain empty again; collective. */
int onehop_chain_clear(onehop_chain* chain);
/** Says how each put goes, one line for each; the words stay until the next such call. */
int onehop_chain_describe(onehop_chain* chain, const char** words);
/** Frees a chain. */
int onehop_chain_free(onehop_chain* chain);

/* ---- Grids of ranks, fields with ghosts, halo exchanges ------------------------------------- */

/** Ranks on a grid, each with its block of the lattice. */
typedef struct onehop_grid onehop_grid;
/** A value on every site of a block and on its ghosts. */
typedef struct onehop_field onehop_field;
/** An exchange that fills the ghosts of fields. */
typedef struct onehop_halo onehop_halo;

/** Makes what onehop::cartesian is, for 1 to 4 `dimensions`, x first, the fastest. `grid` (ranks in
 *  each dimension) and `periodic` (0 or not) have as many entries or are NULL: then a grid is
 *  chosen, and all dimensions are periodic. */
int onehop_grid_make(const onehop_context* ctx, int dimensions, const int* extents, const int* grid,
                     const int* periodic, onehop_grid** made);
/** Returns the extents of this rank's block, its first site in the whole lattice, and its position
 *  among the ranks: `dimensions` entries each; any may be NULL. */
int onehop_grid_block(const onehop_grid* grid, int* local, int* origin, int* position);
/** Returns the rank next to this one, above it for `sign` 1, below for -1; -1 past an end. */
int onehop_grid_neighbour(const onehop_grid* grid, int dimension, int sign, int* rank);
/** Makes the group of the ranks that differ from this one in these dimensions only; collective. */
int onehop_grid_along(const onehop_grid* grid, const int* dimensions, int count,
                      onehop_context** made);
/** Frees a grid; fields on it may stay. */
int onehop_grid_free(onehop_grid* grid);

/** Makes a field of sites of `site_bytes`, all zero, with ghosts of this width around the block. */
int onehop_field_make(const onehop_grid* grid, size_t site_bytes, int width, onehop_field** made);
/** Makes a field in the caller's memory of onehop_field_sites sites, which must live as long. */
int onehop_field_make_over(const onehop_grid* grid, size_t site_bytes, int width, void* memory,
                           size_t bytes, onehop_field** made);
/** Returns the number of sites in memory, ghosts included, and how many there are in each dimension
 *  (NULL or `dimensions` entries): the shape of an array whose first index is the fastest. */
int onehop_field_sites(const onehop_grid* grid, int width, size_t* sites, size_t* shape);
/** Returns the first site in memory, which is a ghost where there are any. */
int onehop_field_data(const onehop_field* field, void** sites);
/** Frees a field, which no exchange uses any more. */
int onehop_field_free(onehop_field* field);

/** Makes one exchange for the ghosts of `count` fields, which must stay until it is freed;
 *  collective. `corners` also fills ghosts that are past the block in several dimensions. */
int onehop_halo_make(onehop_field* const* fields, size_t count, int corners, onehop_halo** made);
/** Starts an exchange; the sites at the faces must not change until onehop_halo_wait. */
int onehop_halo_start(onehop_halo* halo);
/** Begins an exchange whose faces leave one by one, each when onehop_halo_ready names it; every
 * side of every dimension is named once. Neither blocks. */
int onehop_halo_start_partial(onehop_halo* halo);
/** Lets one face of an exchange that was started partially leave: side 0 is the face below in this
 *  dimension, side 1 that above. */
int onehop_halo_ready(onehop_halo* halo, int dimension, int side);
/** Waits until all ghosts are filled. */
int onehop_halo_wait(onehop_halo* halo);
/** Waits for one face: side 0 is below the block in this dimension, side 1 above. */
int onehop_halo_wait_for(onehop_halo* halo, int dimension, int side);
/** `over` is 1 when onehop_halo_wait would not block, and then replaces it; else 0. */
int onehop_halo_test(onehop_halo* halo, int* over);
/** Frees an exchange; its fields stay. */
int onehop_halo_free(onehop_halo* halo);

/* ---- Streams: items of any size from producers to consumers --------------------------------- */

/** A bounded queue of items from producers to consumers. */
typedef struct onehop_stream onehop_stream;

/** ONEHOP_ANY stands for any consumer that has room. */
#define ONEHOP_ANY (-1)

/** A place is where an item is to be written. */
typedef struct {
  void* bytes;
  size_t size;
  int consumer;
} onehop_place;

/** An item that may be read until it is released; all of it is the stream's. */
typedef struct {
  const void* bytes;
  size_t size;
  int producer;
  uint32_t block;
} onehop_item;

/** Makes what onehop::stream is; collective. 0 for `block_bytes` or `blocks` takes the default of
 *  stream_options. */
int onehop_stream_make(const onehop_context* ctx, const int* producers, size_t producer_count,
                       const int* consumers, size_t consumer_count, size_t largest_item,
                       size_t block_bytes, int blocks, onehop_stream** made);
/** Gives the place for an item of at most `bytes` for a consumer, once there is room. */
int onehop_stream_reserve(onehop_stream* stream, size_t bytes, int consumer, onehop_place* place);
/** `reserved` is 0 where there is no room now. */
int onehop_stream_try_reserve(onehop_stream* stream, size_t bytes, int consumer,
                              onehop_place* place, int* reserved);
/** Publishes an item: the first `bytes` of the place, which the caller has written. */
int onehop_stream_publish(onehop_stream* stream, const onehop_place* place, size_t bytes);
/** Copies an item to a reserved place and publishes it. */
int onehop_stream_send(onehop_stream* stream, const void* bytes, size_t size, int consumer);
/** Sends items that were published and are held back. */
int onehop_stream_flush(onehop_stream* stream);
/** Says at a producer that no more items come, and sends what is held back. */
int onehop_stream_close(onehop_stream* stream);
/** `ended` is 1, and there is no item, once all producers have closed and all has been taken. */
int onehop_stream_next(onehop_stream* stream, onehop_item* item, int* ended);
/** `taken` is 1 where there is an item, `ended` where none will come; both are 0 where there is
 *  nothing yet. */
int onehop_stream_try_next(onehop_stream* stream, onehop_item* item, int* taken, int* ended);
/** Gives the place of an item back to its producer; its bytes must not be read afterwards. */
int onehop_stream_release(onehop_stream* stream, const onehop_item* item);
/** Frees a stream. */
int onehop_stream_free(onehop_stream* stream);

#ifdef __cplusplus
}
#endif

#endif
