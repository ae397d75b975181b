! Names, keywords and functions that few programs use. What a rank finds is printed by rank 0 in the order of ranks.
module requests
  use mpi, only: MPI_ADDRESS_KIND, MPI_STATUS_SIZE, MPI_SUCCESS, MPI_BYTE, MPI_Status_set_elements, &
    MPI_Status_set_cancelled
  implicit none
  integer :: freed = 0, cancelled = 0
contains

  subroutine say_status(extra, status, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), ierr
    call MPI_Status_set_elements(status, MPI_BYTE, int(extra), ierr)
    call MPI_Status_set_cancelled(status, .false., ierr)
  end subroutine
  subroutine be_freed(extra, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: ierr
    freed = freed + int(extra)
    extra = extra + 2
    ierr = MPI_SUCCESS
  end subroutine
  subroutine be_cancelled(extra, complete, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierr
    cancelled = cancelled + merge(100, 1, complete) + int(extra)
    ierr = MPI_SUCCESS
  end subroutine
end module

program named
  use requests
  use mpi, only: MPI_Alltoallw_init, MPI_Cancel, MPI_Cart_create, MPI_Comm_free, MPI_Comm_get_errhandler, &
    MPI_COMM_NULL, MPI_Comm_rank, MPI_Comm_set_errhandler, MPI_Comm_size, MPI_COMM_WORLD, &
    MPI_ERR_TYPE, MPI_Error_class, MPI_ERRORS_RETURN, MPI_Finalize, MPI_Get_count, MPI_Grequest_complete, &
    MPI_Grequest_start, MPI_Ialltoallw, MPI_IN_PLACE, MPI_Ineighbor_alltoallw, MPI_Info_create, &
    MPI_Info_create_env, MPI_Info_free, MPI_Info_get_string, MPI_INFO_NULL, MPI_Info_set, MPI_Init, &
    MPI_INTEGER, MPI_Neighbor_alltoallw, MPI_Recv, MPI_Request_free, MPI_REQUEST_NULL, MPI_Send, MPI_Sizeof, &
    MPI_Start, MPI_STATUS_IGNORE, MPI_Type_size, MPI_Wait
  implicit none
  integer :: rank, ranks, ierr
  call MPI_Init(ierror=ierr)
  call MPI_Comm_rank(comm=MPI_COMM_WORLD, rank=rank, ierror=ierr)
  call MPI_Comm_size(size=ranks, comm=MPI_COMM_WORLD, ierror=ierr)
  call sizes
  call own_requests
  call types_of_each
  call types_of_neighbours
  call hints
  call no_handle
  call MPI_Finalize(ierr)

contains

  include 'say.f90'

  subroutine sizes
    integer :: found(4)
    double precision :: field(2, 3)
    complex :: number
    call MPI_Sizeof(field, found(1), ierr)
    call MPI_Sizeof(number, found(2), ierr)
    call MPI_Sizeof(found, found(3), ierr)
    call MPI_Sizeof(.true., found(4), ierr)
    call say('sizes', found)
  end subroutine

  subroutine own_requests
    integer :: request, status(MPI_STATUS_SIZE), count
    integer(MPI_ADDRESS_KIND), target :: extra
    extra = 7
    call MPI_Grequest_start(say_status, be_freed, be_cancelled, extra, request, ierr)
    call MPI_Cancel(request, ierr)
    call MPI_Grequest_complete(request, ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_Get_count(status, MPI_BYTE, count, ierr)
    call say('own request', [freed, cancelled, count, int(extra), merge(1, 0, request == MPI_REQUEST_NULL)])
  end subroutine

  ! Arrays of datatypes may be gone when a call that does not block is done.
  subroutine types_of_each
    integer :: from(ranks), to(ranks), again(ranks), counts(ranks), places(ranks), request, i
    from = [(100 * rank + i, i=1, ranks)]
    counts = 1
    places = [(4 * (i - 1), i=1, ranks)]
    call MPI_Ialltoallw(from, counts, places, [(MPI_INTEGER, i=1, ranks)], to, counts, places, &
                        [(MPI_INTEGER, i=1, ranks)], MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Alltoallw_init(to, counts, places, [(MPI_INTEGER, i=1, ranks)], again, counts, places, &
                            [(MPI_INTEGER, i=1, ranks)], MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
    call MPI_Start(request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Request_free(request, ierr)
    call say('types of each', [sum(to), merge(1, 0, all(again == from))])
    ! Where messages are taken from where they go, the arguments of the first ones mean nothing.
    call MPI_Ialltoallw(MPI_IN_PLACE, 0, 0, [(-1076, i=1, ranks)], to, counts, places, [(MPI_INTEGER, i=1, ranks)], &
                        MPI_COMM_WORLD, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call say('types in place', [merge(1, 0, all(to == from))])
  end subroutine

  subroutine types_of_neighbours
    integer :: ring, from(2), to(2), later(2), request
    integer(MPI_ADDRESS_KIND) :: places(2)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, ierr)
    from = [10 * rank + 1, 10 * rank + 2]
    places = [0, 4]
    call MPI_Neighbor_alltoallw(from, [1, 1], places, [MPI_INTEGER, MPI_INTEGER], to, [1, 1], places, &
                                [MPI_INTEGER, MPI_INTEGER], ring, ierr)
    call MPI_Ineighbor_alltoallw(to, [1, 1], places, [MPI_INTEGER, MPI_INTEGER], later, [1, 1], places, &
                                 [MPI_INTEGER, MPI_INTEGER], ring, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_free(ring, ierr)
    call say('types of neighbours', [to, later, merge(1, 0, ring == MPI_COMM_NULL)])
  end subroutine

  ! The room for a text is counted without the zero that C has at its end.
  subroutine hints
    integer :: info, rooms(3)
    logical :: there, missing
    character(len=8) :: all, part
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'key', 'value', ierr)
    rooms = [8, 3, 0]
    all = ''
    part = ''
    call MPI_Info_get_string(info, 'key', rooms(1), all, there, ierr)
    call MPI_Info_get_string(info, 'key', rooms(2), part, there, ierr)
    call MPI_Info_get_string(info, 'other', rooms(3), part, missing, ierr)
    call say('hints', [rooms, merge(1, 0, all == 'value'), merge(1, 0, part == 'val'), merge(1, 0, there), &
                       merge(1, 0, missing)])
    call MPI_Info_free(info, ierr)
    call MPI_Info_create_env(info, ierr)
    call MPI_Info_free(info, ierr)
    call say('hints of the job', [ierr])
  end subroutine

  ! A number that is no handle is told as an error.
  subroutine no_handle
    integer :: size, class, handler
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Comm_get_errhandler(MPI_COMM_WORLD, handler, ierr)
    call MPI_Type_size(-1076, size, ierr)
    call MPI_Error_class(ierr, class, ierr)
    call say('no handle', [merge(1, 0, class == MPI_ERR_TYPE), merge(1, 0, handler == MPI_ERRORS_RETURN)])
  end subroutine
end program
