! Rows of matrices go around a ring of ranks, one rank further with each start, until they are back.
program from_fortran
  use onehop
  implicit none
  integer, parameter :: rows = 4, columns = 6, row = 2
  real(c_double), target :: matrix(rows, columns)
  real(c_double), pointer :: came(:)
  type(c_ptr) :: job = c_null_ptr, window, chain, memory, sum_of_all
  integer(c_int) :: rank, ranks, arrival
  integer(c_size_t) :: bytes
  integer :: turn, column
  real(c_double), target :: wrong(1)

  call check(onehop_join("auto" // c_null_char, job))
  call check(onehop_rank(job, rank))
  call check(onehop_size(job, ranks))
  do column = 1, columns
    matrix(row, column) = 100 * rank + column
  end do

  ! The numbers of a matrix row are not contiguous; they are a column apart.
  bytes = columns * c_sizeof(matrix(1, 1))
  call check(onehop_window_make(job, bytes, 2, window))
  call check(onehop_chain_make(job, window, chain))
  call check(onehop_chain_push_strided(chain, c_loc(matrix(row, 1)), int(columns, c_size_t), &
      c_sizeof(matrix(1, 1)), int(rows * c_sizeof(matrix(1, 1)), c_intptr_t), &
      modulo(rank + 1, ranks), 0_c_size_t))
  call check(onehop_chain_add_origin(chain, modulo(rank - 1, ranks), arrival))
  call check(onehop_chain_commit(chain))

  do turn = 1, ranks
    call check(onehop_chain_start(chain))
    call check(onehop_chain_wait(chain))
    call check(onehop_chain_arrived(chain, arrival, memory))
    call c_f_pointer(memory, came, [columns])
    matrix(row, :) = came
  end do

  wrong = count(matrix(row, :) /= [(100 * rank + column, column=1, columns)])
  call check(onehop_allreduce_make(job, c_loc(wrong), 1_c_size_t, onehop_double, onehop_sum, &
      sum_of_all))
  call check(onehop_collective_start(sum_of_all))
  call check(onehop_collective_wait(sum_of_all))
  if (rank == 0 .and. wrong(1) == 0) print '(a)', "every row is home again"
  call check(onehop_collective_free(sum_of_all))
  call check(onehop_chain_free(chain))
  call check(onehop_window_free(window))
  call check(onehop_context_free(job))

contains

  !> Ends all ranks with one line that says why.
  subroutine check(code)
    integer(c_int), intent(in) :: code
    integer(c_int) :: ignored
    if (code == onehop_ok) return
    print '(a)', onehop_message()
    if (c_associated(job)) ignored = onehop_abandon(job, onehop_message() // c_null_char)
    stop 2
  end subroutine

end program
