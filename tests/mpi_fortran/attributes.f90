! Attributes of a program of two languages, with attributes.c.
program attributes
  use mpi
  implicit none
  integer(MPI_ADDRESS_KIND), external :: found_by_c, set_by_c
  integer(MPI_ADDRESS_KIND) :: value, place, found
  integer :: key, ierr, copied
  logical :: flag
  call MPI_Init(ierr)
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierr)
  value = 5555
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
  found = found_by_c(key)
  place = set_by_c(key)
  call MPI_Comm_dup(MPI_COMM_WORLD, copied, ierr)
  call MPI_Comm_get_attr(copied, key, value, flag, ierr)
  print *, found, flag .and. value == place
  call MPI_Comm_free(copied, ierr)
  call MPI_Finalize(ierr)
end program
