C     The names of MPI 1, in the form that Fortran had then. What is found is printed by rank 0.
      program former
      implicit none
      include 'mpif.h'
      integer rank, ranks, ierr, right, left, pair, places(2), kinds(2)
      integer lengths(2), extent, lower, upper, key, value, handler, i
      integer status(MPI_STATUS_SIZE), request, n
      double precision x(2), y(2), begin
      logical flag
      external handle, copy, remove
      integer handled, copied, entered
      common /counts/ handled, copied, entered
      data handled /0/, copied /0/, entered /0/
      call MPI_INIT(ierr)
      begin = MPI_WTIME()
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
      right = mod(rank + 1, ranks)
      left = mod(rank + ranks - 1, ranks)

      places(1) = 0
      places(2) = 8
      lengths(1) = 1
      lengths(2) = 2
      kinds(1) = MPI_DOUBLE_PRECISION
      kinds(2) = MPI_INTEGER
      call MPI_TYPE_STRUCT(2, lengths, places, kinds, pair, ierr)
      call MPI_TYPE_COMMIT(pair, ierr)
      call MPI_TYPE_EXTENT(pair, extent, ierr)
      call MPI_TYPE_LB(pair, lower, ierr)
      call MPI_TYPE_UB(pair, upper, ierr)
      x(1) = rank + 0.5d0
      x(2) = 0
      call MPI_IRECV(y, 1, pair, left, 3, MPI_COMM_WORLD, request, ierr)
      call MPI_SEND(x, 1, pair, right, 3, MPI_COMM_WORLD, ierr)
      call MPI_WAIT(request, status, ierr)
      call MPI_GET_COUNT(status, pair, n, ierr)
      i = nint(10 * y(1))
      call MPI_REDUCE(i, value, 1, MPI_INTEGER, MPI_SUM, 0,
     &                MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) print '(a,6(1x,i0))', 'struct', extent, lower,
     &                                       upper, i, n, value

      call MPI_KEYVAL_CREATE(copy, remove, key, 4, ierr)
      call MPI_ATTR_PUT(MPI_COMM_WORLD, key, -7, ierr)
      call MPI_COMM_DUP(MPI_COMM_WORLD, i, ierr)
      call MPI_ATTR_GET(i, key, value, flag, ierr)
      call MPI_COMM_FREE(i, ierr)
      if (rank .eq. 0) print '(a,2(1x,i0),1x,l1)', 'attribute', value,
     &                                             copied, flag
      call MPI_ATTR_GET(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
      if (rank .eq. 0) print *, flag .and. value .ge. 32767

      call MPI_ERRHANDLER_CREATE(handle, handler, ierr)
      call MPI_ERRHANDLER_SET(MPI_COMM_WORLD, handler, ierr)
      call MPI_SEND(x, 1, MPI_REAL, ranks, 3, MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) print '(a,1x,i0)', 'handler', handled
      call MPI_BARRIER(MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) print '(a,2(1x,i0))', 'profiled', entered, ierr
      if (MPI_WTIME() .lt. begin) print *, 'time goes back'
      call MPI_FINALIZE(ierr)
      end

C     A function of the program's is called in place of the library's, which has another name.
      subroutine MPI_BARRIER(comm, ierr)
      integer comm, ierr, handled, copied, entered
      common /counts/ handled, copied, entered
      entered = entered + 1
      call PMPI_BARRIER(comm, ierr)
      end

      subroutine handle(comm, code)
      integer comm, code, handled, copied, entered
      common /counts/ handled, copied, entered
      handled = handled + 1
      end

      subroutine copy(comm, key, extra, in, out, flag, ierr)
      integer comm, key, extra, in, out, ierr, handled, copied
      integer entered
      logical flag
      common /counts/ handled, copied, entered
      copied = copied + extra
      out = in - 1
      flag = .true.
      ierr = 0
      end

      subroutine remove(comm, key, value, extra, ierr)
      integer comm, key, value, extra, ierr
      ierr = 0
      end
