!> This is onehop for Fortran: the functions of onehop.h under the same names.
!>
!> Each function returns a code; if it is not onehop_ok, onehop_message() says what went wrong. A handle
!> is a type(c_ptr). Memory that a chain or a window keeps is passed as c_loc of a target variable that
!> lives as long; data that a call only reads or writes are passed directly. Numbers of bytes and offsets
!> are of kind c_size_t; ranks, slots and dimensions count from 0; a text ends with c_null_char.
!> c_f_pointer makes an array of the memory of a window, a field or an arrival.
!>
!> Compile this file with the program that uses it, because module files are specific to a compiler.
module onehop
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int), parameter :: onehop_ok = 0, onehop_usage_error = 1, onehop_chain_error = 2, &
      onehop_peer_error = 3, onehop_timeout_error = 4, onehop_resource_error = 5, &
      onehop_other_error = 6
  enum, bind(C)
    enumerator :: onehop_int32, onehop_int64, onehop_uint32, onehop_uint64, onehop_float, &
        onehop_double
  end enum
  enum, bind(C)
    enumerator :: onehop_sum, onehop_min, onehop_max, onehop_bit_and, onehop_bit_or, onehop_bit_xor
  end enum
  integer(c_int), parameter :: onehop_any = -1

  type, bind(C) :: onehop_place
    type(c_ptr) :: bytes
    integer(c_size_t) :: size
    integer(c_int) :: consumer
  end type

  type, bind(C) :: onehop_item
    type(c_ptr) :: bytes
    integer(c_size_t) :: size
    integer(c_int) :: producer
    integer(c_int32_t) :: block
  end type

  interface
    type(c_ptr) function onehop_error_message() bind(C)
      import :: c_ptr
    end function

    integer(c_int) function onehop_join(transport, made) bind(C)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: transport(*)
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_join_communicator(communicator, transport, made) bind(C)
      import :: c_char, c_int, c_ptr
      integer(c_int), value :: communicator
      character(kind=c_char), intent(in) :: transport(*)
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_split(ctx, color, key, made) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: ctx
      integer(c_int), value :: color, key
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_context_free(ctx) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: ctx
    end function

    integer(c_int) function onehop_rank(ctx, rank) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: ctx
      integer(c_int), intent(out) :: rank
    end function

    integer(c_int) function onehop_size(ctx, size) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: ctx
      integer(c_int), intent(out) :: size
    end function

    integer(c_int) function onehop_rank_in_job(ctx, rank, in_job) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: ctx
      integer(c_int), value :: rank
      integer(c_int), intent(out) :: in_job
    end function

    integer(c_int) function onehop_set_deadline(ctx, seconds) bind(C)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: ctx
      real(c_double), value :: seconds
    end function

    integer(c_int) function onehop_abandon(ctx, reason) bind(C)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: ctx
      character(kind=c_char), intent(in) :: reason(*)
    end function

    integer(c_int) function onehop_barrier(ctx) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: ctx
    end function

    integer(c_int) function onehop_broadcast(ctx, data, bytes, root) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(*), intent(inout) :: data(*)
      integer(c_size_t), value :: bytes
      integer(c_int), value :: root
    end function

    integer(c_int) function onehop_allreduce(ctx, values, count, type, how) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(*), intent(inout) :: values(*)
      integer(c_size_t), value :: count
      integer(c_int), value :: type, how
    end function

    integer(c_int) function onehop_reduce(ctx, values, count, type, how, root) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(*), intent(inout) :: values(*)
      integer(c_size_t), value :: count
      integer(c_int), value :: type, how, root
    end function

    integer(c_int) function onehop_scan(ctx, values, count, type, how) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(*), intent(inout) :: values(*)
      integer(c_size_t), value :: count
      integer(c_int), value :: type, how
    end function

    integer(c_int) function onehop_exclusive_scan(ctx, values, count, type, how) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(*), intent(inout) :: values(*)
      integer(c_size_t), value :: count
      integer(c_int), value :: type, how
    end function

    integer(c_int) function onehop_reduce_scatter(ctx, all, mine, count, type, how) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(*), intent(in) :: all(*)
      type(*), intent(inout) :: mine(*)
      integer(c_size_t), value :: count
      integer(c_int), value :: type, how
    end function

    integer(c_int) function onehop_allgather(ctx, mine, bytes, all) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(*), intent(in) :: mine(*)
      integer(c_size_t), value :: bytes
      type(*), intent(inout) :: all(*)
    end function

    integer(c_int) function onehop_gather(ctx, mine, bytes, all, root) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(*), intent(in) :: mine(*)
      integer(c_size_t), value :: bytes
      type(*), intent(inout) :: all(*)
      integer(c_int), value :: root
    end function

    integer(c_int) function onehop_scatter(ctx, all, mine, bytes, root) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(*), intent(in) :: all(*)
      type(*), intent(inout) :: mine(*)
      integer(c_size_t), value :: bytes
      integer(c_int), value :: root
    end function

    integer(c_int) function onehop_alltoall(ctx, send, receive, bytes) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(*), intent(in) :: send(*)
      type(*), intent(inout) :: receive(*)
      integer(c_size_t), value :: bytes
    end function

    integer(c_int) function onehop_alltoallv(ctx, blocks, bytes, into, room, came) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(c_ptr), intent(in) :: blocks(*)
      integer(c_size_t), intent(in) :: bytes(*)
      type(c_ptr), intent(in) :: into(*)
      integer(c_size_t), intent(in) :: room(*)
      integer(c_size_t), intent(out), optional :: came(*)
    end function

    integer(c_int) function onehop_gatherv(ctx, mine, bytes, into, room, came, root) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(*), intent(in) :: mine(*)
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(in), optional :: into(*)
      integer(c_size_t), intent(in), optional :: room(*)
      integer(c_size_t), intent(out), optional :: came(*)
      integer(c_int), value :: root
    end function

    integer(c_int) function onehop_scatterv(ctx, blocks, bytes, mine, room, came, root) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(c_ptr), intent(in), optional :: blocks(*)
      integer(c_size_t), intent(in), optional :: bytes(*)
      type(*), intent(inout) :: mine(*)
      integer(c_size_t), value :: room
      integer(c_size_t), intent(out), optional :: came
      integer(c_int), value :: root
    end function

    integer(c_int) function onehop_allreduce_make(ctx, values, count, type, how, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx, values
      integer(c_size_t), value :: count
      integer(c_int), value :: type, how
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_reduce_make(ctx, values, count, type, how, root, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx, values
      integer(c_size_t), value :: count
      integer(c_int), value :: type, how, root
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_scan_make(ctx, values, count, type, how, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx, values
      integer(c_size_t), value :: count
      integer(c_int), value :: type, how
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_exclusive_scan_make(ctx, values, count, type, how, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx, values
      integer(c_size_t), value :: count
      integer(c_int), value :: type, how
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_reduce_scatter_make(ctx, all, mine, count, type, how, &
        made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx, all, mine
      integer(c_size_t), value :: count
      integer(c_int), value :: type, how
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_broadcast_make(ctx, data, bytes, root, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx, data
      integer(c_size_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_allgather_make(ctx, all, bytes, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx, all
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_gather_make(ctx, mine, bytes, all, root, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx, mine, all
      integer(c_size_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_scatter_make(ctx, all, mine, bytes, root, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx, all, mine
      integer(c_size_t), value :: bytes
      integer(c_int), value :: root
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_alltoall_make(ctx, send, receive, bytes, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx, send, receive
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_alltoallv_make(ctx, blocks, bytes, into, room, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(c_ptr), intent(in) :: blocks(*)
      integer(c_size_t), intent(in) :: bytes(*)
      type(c_ptr), intent(in) :: into(*)
      integer(c_size_t), intent(in) :: room(*)
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_gatherv_make(ctx, mine, bytes, into, room, root, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx, mine
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(in), optional :: into(*)
      integer(c_size_t), intent(in), optional :: room(*)
      integer(c_int), value :: root
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_scatterv_make(ctx, blocks, bytes, mine, room, root, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      type(c_ptr), intent(in), optional :: blocks(*)
      integer(c_size_t), intent(in), optional :: bytes(*)
      type(c_ptr), value :: mine
      integer(c_size_t), value :: room
      integer(c_int), value :: root
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_collective_start(collective) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: collective
    end function

    integer(c_int) function onehop_collective_wait(collective) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: collective
    end function

    integer(c_int) function onehop_collective_test(collective, over) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: collective
      integer(c_int), intent(out) :: over
    end function

    integer(c_int) function onehop_collective_free(collective) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: collective
    end function

    integer(c_int) function onehop_window_make(ctx, bytes, banks, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      integer(c_size_t), value :: bytes
      integer(c_int), value :: banks
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_window_make_over(ctx, memory, bytes, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx, memory
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_window_bytes(window, rank, bytes) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: window
      integer(c_int), value :: rank
      integer(c_size_t), intent(out) :: bytes
    end function

    integer(c_int) function onehop_window_local(window, bank, memory) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: window
      integer(c_int), value :: bank
      type(c_ptr), intent(out) :: memory
    end function

    integer(c_int) function onehop_window_free(window) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: window
    end function

    integer(c_int) function onehop_chain_make(ctx, window, made) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: ctx, window
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_chain_push(chain, source, bytes, target, offset, slot) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: chain, source
      integer(c_size_t), value :: bytes
      integer(c_int), value :: target
      integer(c_size_t), value :: offset
      integer(c_int), intent(out), optional :: slot
    end function

    integer(c_int) function onehop_chain_push_strided(chain, source, blocks, block_bytes, &
        stride_bytes, target, offset, slot) bind(C)
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      type(c_ptr), value :: chain, source
      integer(c_size_t), value :: blocks, block_bytes
      integer(c_intptr_t), value :: stride_bytes
      integer(c_int), value :: target
      integer(c_size_t), value :: offset
      integer(c_int), intent(out), optional :: slot
    end function

    integer(c_int) function onehop_chain_push_apart(chain, source, blocks, block_bytes, &
        stride_bytes, target, offset, runs, run_bytes, run_stride_bytes, slot) bind(C)
      import :: c_int, c_intptr_t, c_ptr, c_size_t
      type(c_ptr), value :: chain, source
      integer(c_size_t), value :: blocks, block_bytes
      integer(c_intptr_t), value :: stride_bytes
      integer(c_int), value :: target
      integer(c_size_t), value :: offset, runs, run_bytes
      integer(c_intptr_t), value :: run_stride_bytes
      integer(c_int), intent(out), optional :: slot
    end function

    integer(c_int) function onehop_chain_push_packed(chain, bytes, target, offset, slot) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: chain
      integer(c_size_t), value :: bytes
      integer(c_int), value :: target
      integer(c_size_t), value :: offset
      integer(c_int), intent(out), optional :: slot
    end function

    integer(c_int) function onehop_chain_push_up_to(chain, source, most_bytes, target, offset, &
        slot) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: chain, source
      integer(c_size_t), value :: most_bytes
      integer(c_int), value :: target
      integer(c_size_t), value :: offset
      integer(c_int), intent(out), optional :: slot
    end function

    integer(c_int) function onehop_chain_push_packed_up_to(chain, most_bytes, target, offset, &
        slot) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: chain
      integer(c_size_t), value :: most_bytes
      integer(c_int), value :: target
      integer(c_size_t), value :: offset
      integer(c_int), intent(out), optional :: slot
    end function

    integer(c_int) function onehop_chain_add_origin(chain, origin, arrival) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
      integer(c_int), value :: origin
      integer(c_int), intent(out), optional :: arrival
    end function

    integer(c_int) function onehop_chain_take_turns(chain) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
    end function

    integer(c_int) function onehop_chain_commit(chain) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
    end function

    integer(c_int) function onehop_chain_set_bytes(chain, slot, bytes) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: chain
      integer(c_int), value :: slot
      integer(c_size_t), value :: bytes
    end function

    integer(c_int) function onehop_chain_start(chain) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
    end function

    integer(c_int) function onehop_chain_start_partial(chain) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
    end function

    integer(c_int) function onehop_chain_ready(chain, slot) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
      integer(c_int), value :: slot
    end function

    integer(c_int) function onehop_chain_can_start(chain, can) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
      integer(c_int), intent(out) :: can
    end function

    integer(c_int) function onehop_chain_wait(chain) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
    end function

    integer(c_int) function onehop_chain_wait_for(chain, arrival) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
      integer(c_int), value :: arrival
    end function

    integer(c_int) function onehop_chain_wait_any(chain, arrivals, count, which) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: chain
      integer(c_int), intent(in) :: arrivals(*)
      integer(c_size_t), value :: count
      integer(c_size_t), intent(out) :: which
    end function

    integer(c_int) function onehop_chain_wait_some(chain, arrivals, count, visible) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: chain
      integer(c_int), intent(inout) :: arrivals(*)
      integer(c_size_t), value :: count
      integer(c_size_t), intent(out) :: visible
    end function

    integer(c_int) function onehop_chain_test(chain, over) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
      integer(c_int), intent(out) :: over
    end function

    integer(c_int) function onehop_chain_test_for(chain, arrival, visible) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
      integer(c_int), value :: arrival
      integer(c_int), intent(out) :: visible
    end function

    integer(c_int) function onehop_chain_source_free(chain, slot, is_free) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
      integer(c_int), value :: slot
      integer(c_int), intent(out) :: is_free
    end function

    integer(c_int) function onehop_chain_target_view(chain, slot, memory, bytes) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: chain
      integer(c_int), value :: slot
      type(c_ptr), intent(out) :: memory
      integer(c_size_t), intent(out), optional :: bytes
    end function

    integer(c_int) function onehop_chain_arrived(chain, arrival, memory, bytes) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: chain
      integer(c_int), value :: arrival
      type(c_ptr), intent(out) :: memory
      integer(c_size_t), intent(out), optional :: bytes
    end function

    integer(c_int) function onehop_chain_clear(chain) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
    end function

    integer(c_int) function onehop_chain_describe(chain, words) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
      type(c_ptr), intent(out) :: words
    end function

    integer(c_int) function onehop_chain_free(chain) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: chain
    end function

    integer(c_int) function onehop_grid_make(ctx, dimensions, extents, grid, periodic, made) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: ctx
      integer(c_int), value :: dimensions
      integer(c_int), intent(in) :: extents(*)
      integer(c_int), intent(in), optional :: grid(*), periodic(*)
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_grid_block(grid, local, origin, position) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), intent(out), optional :: local(*), origin(*), position(*)
    end function

    integer(c_int) function onehop_grid_neighbour(grid, dimension, sign, rank) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), value :: dimension, sign
      integer(c_int), intent(out) :: rank
    end function

    integer(c_int) function onehop_grid_along(grid, dimensions, count, made) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int), intent(in) :: dimensions(*)
      integer(c_int), value :: count
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_grid_free(grid) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
    end function

    integer(c_int) function onehop_field_make(grid, site_bytes, width, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: grid
      integer(c_size_t), value :: site_bytes
      integer(c_int), value :: width
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_field_make_over(grid, site_bytes, width, memory, bytes, &
        made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: grid
      integer(c_size_t), value :: site_bytes
      integer(c_int), value :: width
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_field_sites(grid, width, sites, shape) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: grid
      integer(c_int), value :: width
      integer(c_size_t), intent(out), optional :: sites, shape(*)
    end function

    integer(c_int) function onehop_field_data(field, sites) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: field
      type(c_ptr), intent(out) :: sites
    end function

    integer(c_int) function onehop_field_free(field) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: field
    end function

    integer(c_int) function onehop_halo_make(fields, count, corners, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), intent(in) :: fields(*)
      integer(c_size_t), value :: count
      integer(c_int), value :: corners
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_halo_start(halo) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
    end function

    integer(c_int) function onehop_halo_start_partial(halo) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
    end function

    integer(c_int) function onehop_halo_ready(halo, dimension, side) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int), value :: dimension, side
    end function

    integer(c_int) function onehop_halo_wait(halo) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
    end function

    integer(c_int) function onehop_halo_wait_for(halo, dimension, side) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int), value :: dimension, side
    end function

    integer(c_int) function onehop_halo_test(halo, over) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int), intent(out) :: over
    end function

    integer(c_int) function onehop_halo_free(halo) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
    end function

    integer(c_int) function onehop_stream_make(ctx, producers, producer_count, consumers, &
        consumer_count, largest_item, block_bytes, blocks, made) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: ctx
      integer(c_int), intent(in) :: producers(*)
      integer(c_size_t), value :: producer_count
      integer(c_int), intent(in) :: consumers(*)
      integer(c_size_t), value :: consumer_count, largest_item, block_bytes
      integer(c_int), value :: blocks
      type(c_ptr), intent(out) :: made
    end function

    integer(c_int) function onehop_stream_reserve(stream, bytes, consumer, place) bind(C)
      import :: c_int, c_ptr, c_size_t, onehop_place
      type(c_ptr), value :: stream
      integer(c_size_t), value :: bytes
      integer(c_int), value :: consumer
      type(onehop_place), intent(out) :: place
    end function

    integer(c_int) function onehop_stream_try_reserve(stream, bytes, consumer, place, &
        reserved) bind(C)
      import :: c_int, c_ptr, c_size_t, onehop_place
      type(c_ptr), value :: stream
      integer(c_size_t), value :: bytes
      integer(c_int), value :: consumer
      type(onehop_place), intent(out) :: place
      integer(c_int), intent(out) :: reserved
    end function

    integer(c_int) function onehop_stream_publish(stream, place, bytes) bind(C)
      import :: c_int, c_ptr, c_size_t, onehop_place
      type(c_ptr), value :: stream
      type(onehop_place), intent(in) :: place
      integer(c_size_t), value :: bytes
    end function

    integer(c_int) function onehop_stream_send(stream, bytes, size, consumer) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: stream
      type(*), intent(in) :: bytes(*)
      integer(c_size_t), value :: size
      integer(c_int), value :: consumer
    end function

    integer(c_int) function onehop_stream_flush(stream) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
    end function

    integer(c_int) function onehop_stream_close(stream) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
    end function

    integer(c_int) function onehop_stream_next(stream, item, ended) bind(C)
      import :: c_int, c_ptr, onehop_item
      type(c_ptr), value :: stream
      type(onehop_item), intent(out) :: item
      integer(c_int), intent(out) :: ended
    end function

    integer(c_int) function onehop_stream_try_next(stream, item, taken, ended) bind(C)
      import :: c_int, c_ptr, onehop_item
      type(c_ptr), value :: stream
      type(onehop_item), intent(out) :: item
      integer(c_int), intent(out) :: taken, ended
    end function

    integer(c_int) function onehop_stream_release(stream, item) bind(C)
      import :: c_int, c_ptr, onehop_item
      type(c_ptr), value :: stream
      type(onehop_item), intent(in) :: item
    end function

    integer(c_int) function onehop_stream_free(stream) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
    end function
  end interface

contains

  !> Returns one line that says what went wrong in the last failed call.
  function onehop_message() result(message)
    character(:), allocatable :: message
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: words
    integer :: length
    interface
      integer(c_size_t) function strlen(words) bind(C)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: words
      end function
    end interface
    words = onehop_error_message()
    length = int(strlen(words))
    call c_f_pointer(words, letters, [length])
    allocate (character(length) :: message)
    message = transfer(letters, message)
  end function

end module
