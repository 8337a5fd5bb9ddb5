! ends HOW INIT: rank 1 ends in some way, as in ends.c. INIT: by which call ranks enter MPI.
program ends
  use iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function raise(what) bind(c)
      import c_int
      integer(c_int), value :: what
    end function
  end interface
  integer :: code, provided, world, integers, adds
  character(len=40) :: how, init, number
  logical :: is_victim
  call get_command_argument(1, how)
  call get_command_argument(2, init)
  call get_environment_variable('PMIX_RANK', number)
  is_victim = number == '1'
  if (is_victim .and. how == 'killed-before-init') code = raise(9)
  if (is_victim .and. how == 'stops-before-init') stop 3
  if (init == 'mpi_init') call mpi_init(code)
  if (init == 'mpi_init_thread') call mpi_init_thread(0, provided, code)
  call mpi_numbers(world, integers, adds)
  if (how == 'all-stop-3') stop 3
  if (is_victim .and. how == 'calls-abort') call mpi_abort(world, 9, code)
  call mpi_barrier(world, code)
  if (.not. is_victim) print '(a)', 'all are here'
  call mpi_finalize(code)
end program
