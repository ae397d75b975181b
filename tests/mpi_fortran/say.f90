  ! Rank 0 prints what each rank has found, in the order of ranks. Programs of this folder include it.
  subroutine say(what, values)
    character(len=*), intent(in) :: what
    integer, intent(in) :: values(:)
    integer :: rank, ranks, from, ierr
    integer :: theirs(size(values))
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    if (rank /= 0) then
      call MPI_Send(values, size(values), MPI_INTEGER, 0, 99, MPI_COMM_WORLD, ierr)
      return
    end if
    do from = 0, ranks - 1
      theirs = values
      if (from > 0) call MPI_Recv(theirs, size(values), MPI_INTEGER, from, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      print '(a,a,i0,a,*(1x,i0))', what, ' of ', from, ':', theirs
    end do
  end subroutine
