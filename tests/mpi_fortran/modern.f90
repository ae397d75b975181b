! Handles with types, calls without ierror and by keywords. What is found is printed by rank 0.
module own
  use mpi_f08
  implicit none
contains
  subroutine larger(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    if (datatype /= MPI_INTEGER) return
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    where (in > inout) inout = in
  end subroutine
end module

program modern
  use own
  implicit none
  type(MPI_Comm) :: row
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, both(2)
  type(MPI_Datatype) :: line
  type(MPI_Op) :: most
  type(MPI_Win) :: window
  integer :: rank, ranks, right, left, n, i, field(4, 3), sums(2)
  integer, allocatable :: all(:)
  double precision :: x, y(2)
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  logical :: flag
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(comm=MPI_COMM_WORLD, size=ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  allocate (all(2 * ranks))

  x = rank + 0.5d0
  call MPI_Irecv(y, 2, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(x, 1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, both)
  call MPI_Get_count(both(1), MPI_DOUBLE_PRECISION, n)
  call print('message', [nint(2 * y(1)), both(1)%MPI_SOURCE, both(1)%MPI_TAG, n, &
                         merge(1, 0, all_null(requests))])

  ! A line of a field of two dimensions is another line there.
  field = rank
  call MPI_Type_vector(3, 1, 4, MPI_INTEGER, line)
  call MPI_Type_commit(line)
  call MPI_Sendrecv(field(4, 1), 1, line, right, 2, field(1, 1), 1, line, left, 2, MPI_COMM_WORLD, status)
  call MPI_Type_free(line)
  call print('line', [sum(field(1, :)), sum(field), merge(1, 0, line == MPI_DATATYPE_NULL)])

  call MPI_Op_create(larger, .true., most)
  call MPI_Allreduce([rank, -rank], sums, 2, MPI_INTEGER, most, MPI_COMM_WORLD)
  call MPI_Op_free(most)
  call MPI_Allgather(sums - rank, 2, MPI_INTEGER, all, 2, MPI_INTEGER, MPI_COMM_WORLD, ierror=n)
  call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call print('collectives', [sums, all, n])

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, row)
  call MPI_Comm_rank(row, i)
  call MPI_Comm_free(row)
  call MPI_Get_processor_name(name, n)
  call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, flag, MPI_STATUS_IGNORE)
  call print('split', [i, merge(1, 0, row == MPI_COMM_NULL), merge(1, 0, n == len_trim(name)), merge(1, 0, flag)])

  call MPI_Win_create(sums, 8_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  call MPI_Win_fence(0, window)
  call MPI_Accumulate(rank, 1, MPI_INTEGER, 0, 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, window)
  call MPI_Win_fence(0, window)
  call MPI_Win_free(window)
  call print('window', sums)
  call MPI_Finalize()

contains

  logical function all_null(handles)
    type(MPI_Request), intent(in) :: handles(:)
    all_null = all_of(handles == MPI_REQUEST_NULL)
  end function
  logical function all_of(each)
    logical, intent(in) :: each(:)
    all_of = count(each) == size(each)
  end function

  subroutine print(what, values)
    character(len=*), intent(in) :: what
    integer, intent(in) :: values(:)
    integer :: theirs(size(values)), from
    if (rank /= 0) then
      call MPI_Send(values, size(values), MPI_INTEGER, 0, 99, MPI_COMM_WORLD)
      return
    end if
    do from = 0, ranks - 1
      theirs = values
      if (from > 0) call MPI_Recv(theirs, size(values), MPI_INTEGER, from, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      write (*, '(a,a,i0,a,*(1x,i0))') what, ' of ', from, ':', theirs
    end do
  end subroutine
end program
