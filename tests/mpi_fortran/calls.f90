! Every kind of argument that differs between C and Fortran goes through one call at least. What a
! rank finds is printed by rank 0 in the order of ranks, so that two MPIs can be compared.
module own
  use mpi
  implicit none
  integer :: handled = 0, copied = 0, removed = 0
contains

  include 'say.f90'

  ! The larger of two numbers by their last digits, or the sum of both for a type of the program's.
  subroutine combine(in, inout, length, datatype)
    integer :: length, datatype, i
    integer :: in(*), inout(*)
    if (datatype == MPI_INTEGER) then
      do i = 1, length
        if (mod(in(i), 10) > mod(inout(i), 10)) inout(i) = in(i)
      end do
    else
      do i = 1, 2 * length
        inout(i) = inout(i) + in(i)
      end do
    end if
  end subroutine

  subroutine handle(comm, code)
    integer :: comm, code, class, ierr
    call MPI_Error_class(code, class, ierr)
    if (comm == MPI_COMM_SELF .and. class == MPI_ERR_RANK) handled = handled + 1
  end subroutine

  subroutine copy(comm, key, extra, in, out, flag, ierr)
    integer :: comm, key, ierr
    integer(MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    copied = copied + int(extra)
    out = in + 1
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine

  subroutine remove(comm, key, value, extra, ierr)
    integer :: comm, key, ierr
    integer(MPI_ADDRESS_KIND) :: value, extra
    removed = removed + int(value)
    ierr = MPI_SUCCESS
  end subroutine
end module

program calls
  use own
  implicit none
  integer :: rank, ranks, right, left, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call messages
  call collectives
  call datatypes
  call topologies
  call attributes
  call texts
  call windows
  call files
  call errors
  call MPI_Finalize(ierr)

contains

  subroutine messages
    integer :: requests(4), statuses(MPI_STATUS_SIZE, 4), status(MPI_STATUS_SIZE), indices(4)
    integer :: numbers(4), from(4), i, n, place
    double precision :: real_numbers(3), real_from(3)
    logical :: flag
    numbers = [(100 * rank + i, i = 1, 4)]
    do i = 1, 4
      call MPI_Irecv(from(i), 1, MPI_INTEGER, left, i, MPI_COMM_WORLD, requests(i), ierr)
    end do
    do i = 4, 1, -1
      call MPI_Send(numbers(i), 1, MPI_INTEGER, right, i, MPI_COMM_WORLD, ierr)
    end do
    call MPI_Waitall(4, requests, statuses, ierr)
    call say('waitall', [from, statuses(MPI_SOURCE, :), statuses(MPI_TAG, :), count(requests == MPI_REQUEST_NULL)])

    ! Only the third request can be done, so that the index says where counting begins.
    requests = MPI_REQUEST_NULL
    call MPI_Recv_init(from(3), 1, MPI_INTEGER, left, 7, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Start(requests(3), ierr)
    call MPI_Send(numbers(2), 1, MPI_INTEGER, right, 7, MPI_COMM_WORLD, ierr)
    call MPI_Waitany(4, requests, place, status, ierr)
    call MPI_Startall(1, requests(3), ierr)
    call MPI_Send(numbers(1), 1, MPI_INTEGER, right, 7, MPI_COMM_WORLD, ierr)
    call MPI_Waitsome(4, requests, n, indices, MPI_STATUSES_IGNORE, ierr)
    call MPI_Request_free(requests(3), ierr)
    call say('places', [place, status(MPI_TAG), n, indices(1), from(3)])
    call MPI_Waitany(4, requests, place, status, ierr)
    call MPI_Testsome(4, requests, n, indices, MPI_STATUSES_IGNORE, ierr)
    call MPI_Testall(4, requests, flag, MPI_STATUSES_IGNORE, ierr)
    call say('none', [place, n, merge(1, 0, flag)])

    real_numbers = [rank + 0.25d0, rank + 0.5d0, rank + 0.75d0]
    real_from = 0
    call MPI_Sendrecv(real_numbers, 2, MPI_DOUBLE_PRECISION, right, 5, real_from, 3, MPI_DOUBLE_PRECISION, &
                      left, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, n, ierr)
    call say('sendrecv', [nint(100 * real_from), n, status(MPI_TAG)])
    call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, flag, status, ierr)
    call say('iprobe', [merge(1, 0, flag)])
  end subroutine

  subroutine collectives
    integer :: sums(3), own_op, two, pairs(4), place(2), counts(ranks), displs(ranks), i
    integer, allocatable :: all(:)
    complex(kind(1d0)) :: z
    real :: smallest(2)
    logical :: any
    sums = [rank, 2 * rank, 1]
    call MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call say('sums in place', sums)
    call MPI_Op_create(combine, .true., own_op, ierr)
    call MPI_Allreduce(10 * rank + mod(7 * rank + 3, 10), place(1), 1, MPI_INTEGER, own_op, MPI_COMM_WORLD, ierr)
    call MPI_Type_contiguous(2, MPI_INTEGER, two, ierr)
    call MPI_Type_commit(two, ierr)
    call MPI_Allreduce([rank, 1, 2 * rank, 3], pairs, 2, two, own_op, MPI_COMM_WORLD, ierr)
    call say('operation of its own', [place(1), pairs])
    call MPI_Op_free(own_op, ierr)
    call MPI_Type_free(two, ierr)
    call say('freed', [merge(1, 0, own_op == MPI_OP_NULL), merge(1, 0, two == MPI_DATATYPE_NULL)])
    z = cmplx(rank, -rank, kind(1d0))
    call MPI_Allreduce(MPI_IN_PLACE, z, 1, MPI_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
    smallest = [real(mod(rank + 1, ranks)), real(rank)]
    call MPI_Allreduce(MPI_IN_PLACE, smallest, 1, MPI_2REAL, MPI_MINLOC, MPI_COMM_WORLD, ierr)
    any = rank == 0
    call MPI_Allreduce(MPI_IN_PLACE, any, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
    call say('types of Fortran', [nint(real(z)), nint(aimag(z)), nint(smallest), merge(1, 0, any)])
    counts = [(i, i = 1, ranks)]
    displs = [((i * (i - 1)) / 2, i = 1, ranks)]
    allocate (all(sum(counts)))
    call MPI_Allgatherv([(10 * rank + i, i = 1, rank + 1)], rank + 1, MPI_INTEGER, all, counts, displs, &
                        MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call say('allgatherv', all)
  end subroutine

  subroutine datatypes
    type thing
      sequence
      double precision :: x(2)
      integer :: n, unused
    end type
    type(thing) :: things(2)
    integer :: struct, column, bytes, matrix(3, 4), combiner, n(3), ints(3), types(2)
    integer(MPI_ADDRESS_KIND) :: places(3), extent, lower
    call MPI_Get_address(things(1)%x, places(1), ierr)
    call MPI_Get_address(things(1)%n, places(2), ierr)
    call MPI_Get_address(things(2)%x, places(3), ierr)
    extent = MPI_Aint_diff(places(3), places(1))
    places = places - places(1)
    call MPI_Type_create_struct(2, [2, 1], places, [MPI_DOUBLE_PRECISION, MPI_INTEGER], types(1), ierr)
    call MPI_Type_create_resized(types(1), 0_MPI_ADDRESS_KIND, extent, struct, ierr)
    call MPI_Type_commit(struct, ierr)
    things%n = rank + 1
    things(1)%x = rank
    things(2)%x = 2 * rank
    call MPI_Bcast(things, 2, struct, ranks - 1, MPI_COMM_WORLD, ierr)
    call MPI_Type_get_extent(struct, lower, extent, ierr)
    call MPI_Type_size(struct, bytes, ierr)
    call say('struct', [things%n, nint(things(2)%x), int(lower), int(extent), bytes])
    call MPI_Type_get_envelope(types(1), n(1), n(2), n(3), combiner, ierr)
    call MPI_Type_get_contents(types(1), 3, 2, 2, ints, places, types, ierr)
    call say('contents', [combiner, n, ints, int(places(:2)), types])
    call MPI_Type_create_subarray(2, [3, 4], [1, 4], [1, 0], MPI_ORDER_FORTRAN, MPI_INTEGER, column, ierr)
    call MPI_Type_commit(column, ierr)
    matrix = rank
    call MPI_Bcast(matrix, 1, column, 0, MPI_COMM_WORLD, ierr)
    call say('row', [sum(matrix(1, :)), sum(matrix(2, :)), sum(matrix(3, :))])
    ! Addresses count from MPI_BOTTOM.
    call MPI_Get_address(bytes, places(1), ierr)
    call MPI_Type_create_hindexed(1, [1], places, MPI_INTEGER, column, ierr)
    call MPI_Type_commit(column, ierr)
    bytes = 10 + rank
    call MPI_Bcast(MPI_BOTTOM, 1, column, 0, MPI_COMM_WORLD, ierr)
    call say('bottom', [bytes])
  end subroutine

  subroutine topologies
    integer :: grid, row, dims(2), coords(2), sources, targets, graph, n(2)
    logical :: periods(2), weighted
    dims = [ranks, 1]
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid, ierr)
    call MPI_Cart_get(grid, 2, dims, periods, coords, ierr)
    call MPI_Cart_shift(grid, 0, 1, sources, targets, ierr)
    call MPI_Cart_sub(grid, [.false., .true.], row, ierr)
    call MPI_Comm_size(row, n(1), ierr)
    call say('grid', [dims, merge(1, 0, periods), coords, sources, targets, n(1)])
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, [right], MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph, ierr)
    call MPI_Dist_graph_neighbors_count(graph, n(1), n(2), weighted, ierr)
    call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, coords, 1, MPI_INTEGER, graph, ierr)
    call say('graph', [n, merge(1, 0, weighted), coords(1)])
    call MPI_Comm_compare(MPI_COMM_WORLD, graph, n(1), ierr)
    call MPI_Comm_free(grid, ierr)
    call say('compared', [n(1), merge(1, 0, grid == MPI_COMM_NULL)])
  end subroutine

  subroutine attributes
    integer :: key, other
    integer(MPI_ADDRESS_KIND) :: value, upper
    logical :: flag, found
    call MPI_Comm_create_keyval(copy, remove, key, 5_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, -40_MPI_ADDRESS_KIND - rank, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, other, ierr)
    call MPI_Comm_get_attr(other, key, value, flag, ierr)
    call MPI_Comm_free(other, ierr)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, upper, found, ierr)
    call say('attribute', [int(value), copied, removed, merge(1, 0, flag), merge(1, 0, found .and. upper > 32766)])
    call MPI_Comm_free_keyval(key, ierr)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 3_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, other, ierr)
    call MPI_Comm_get_attr(other, key, value, flag, ierr)
    call say('attribute as it is', [int(value), merge(1, 0, flag)])
    call MPI_Comm_free(other, ierr)
  end subroutine

  subroutine texts
    character(len=40) :: word
    character(len=MPI_MAX_ERROR_STRING) :: long
    integer :: info, length, keys
    logical :: flag
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, ' colour  ', 'dark red   ', ierr)
    word = 'untouched'
    call MPI_Info_get(info, 'colour', 40, word, flag, ierr)
    call MPI_Info_get_nkeys(info, keys, ierr)
    call say('info', [len_trim(word), merge(1, 0, word == 'dark red'), merge(1, 0, flag), keys])
    word = 'untouched'
    call MPI_Info_get(info, 'size', 40, word, flag, ierr)
    call say('no info', [merge(1, 0, word == 'untouched'), merge(1, 0, flag)])
    call MPI_Comm_set_name(MPI_COMM_WORLD, 'all of them ', ierr)
    call MPI_Comm_get_name(MPI_COMM_WORLD, word, length, ierr)
    call say('name', [length, merge(1, 0, word == 'all of them')])
    call MPI_Error_string(MPI_ERR_RANK, long, length, ierr)
    call say('error', [merge(1, 0, length == len_trim(long))])
  end subroutine

  subroutine windows
    integer :: window, memory(2), got
    integer(MPI_ADDRESS_KIND) :: bytes
    logical :: flag
    memory = [rank, 0]
    call MPI_Win_create(memory, 8_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
    call MPI_Win_get_attr(window, MPI_WIN_SIZE, bytes, flag, ierr)
    call MPI_Win_fence(0, window, ierr)
    call MPI_Put(rank + 50, 1, MPI_INTEGER, right, 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, ierr)
    call MPI_Get(got, 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, ierr)
    call MPI_Win_fence(0, window, ierr)
    call say('window', [memory, got, int(bytes), merge(1, 0, flag)])
    call MPI_Win_free(window, ierr)
  end subroutine

  subroutine files
    integer :: fh, numbers(2), status(MPI_STATUS_SIZE), n
    integer(MPI_OFFSET_KIND) :: bytes, position
    character(len=200) :: name
    call get_command_argument(1, name)
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, fh, ierr)
    position = 8 * rank
    call MPI_File_write_at_all(fh, position, [rank, -rank], 2, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call MPI_File_set_view(fh, 4_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierr)
    call MPI_File_read_at(fh, int(2 * right, MPI_OFFSET_KIND), numbers(1), 1, MPI_INTEGER, status, ierr)
    call MPI_Get_count(status, MPI_INTEGER, n, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_File_get_size(fh, bytes, ierr)
    call MPI_File_close(fh, ierr)
    call say('file', [numbers(1), n, int(bytes), merge(1, 0, fh == MPI_FILE_NULL)])
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (rank == 0) call MPI_File_delete(name, MPI_INFO_NULL, ierr)
  end subroutine

  subroutine errors
    integer :: handler, same
    call MPI_Comm_create_errhandler(handle, handler, ierr)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, ierr)
    call MPI_Comm_get_errhandler(MPI_COMM_SELF, same, ierr)
    handled = merge(0, 100, same == handler)
    call MPI_Errhandler_free(same, ierr)
    call MPI_Errhandler_free(handler, ierr)
    call MPI_Send(rank, 1, MPI_INTEGER, 5, 0, MPI_COMM_SELF, ierr)
    call say('handler', [handled, merge(1, 0, handler == MPI_ERRHANDLER_NULL)])
  end subroutine
end program
