program halo
  use mpi_f08
  implicit none
  integer :: rank, ranks, from
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), 0, from, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  if (from /= mod(rank + ranks - 1, ranks)) call MPI_Abort(MPI_COMM_WORLD, 1)
  call MPI_Finalize()
end program
