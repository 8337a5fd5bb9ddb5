! fortran VICTIM: a ring and sums, over all and over every other rank, while a rank dies (-1: none dies).
program fortran
  use iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function raise(what) bind(c)
      import c_int
      integer(c_int), value :: what
    end function
  end interface
  integer :: code, rank, ranks, victim, request, from, half, world, integers, adds, round, status(20)
  integer :: all, few
  character(len=10) :: word
  call get_command_argument(1, word)
  read (word, *) victim
  call mpi_init(code)
  call mpi_numbers(world, integers, adds)
  call mpi_comm_rank(world, rank, code)
  call mpi_comm_size(world, ranks, code)
  call mpi_comm_split(world, mod(rank, 2), rank, half, code)
  do round = 1, 3
    from = -1
    call mpi_irecv(from, 1, integers, mod(rank + ranks - 1, ranks), 5, world, request, code)
    if (round == 2 .and. rank == victim) code = raise(9)
    call mpi_send(rank, 1, integers, mod(rank + 1, ranks), 5, world, code)
    call mpi_wait(request, status, code)
    call mpi_allreduce(2**rank, all, 1, integers, adds, world, code)
    call mpi_allreduce(2**rank, few, 1, integers, adds, half, code)
    print '(a, 6(1x, i0))', 'round', round, rank, from, all, few, code
  end do
  call mpi_finalize(code)
end program
