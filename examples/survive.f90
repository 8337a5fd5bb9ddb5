! Sums a million numbers that lie in the memory of the ranks. Rank 1 dies; the sum is the same, bit for bit.
!   gfortran PREFIX/include/regraft.f90 survive.f90 $(pkg-config --libs regraft-mpi) -o survive
module sum_of_sites
  use regraft
  implicit none
  integer(c_int64_t), parameter :: num_sites = 1000000, number_bytes = 8
  type(c_ptr) :: comm, store, work, sums
  real(c_double) :: total(1)

  interface
    integer(c_int) function raise(signal) bind(c)
      import
      integer(c_int), value :: signal
    end function
  end interface

contains

  ! Every rank makes its part of the input and gives it to the store, which keeps each number on two ranks.
  function submit_input() result(status)
    integer(c_int) :: status
    integer(c_int32_t) :: num_ranks
    integer(c_int64_t) :: i
    type(regraft_range) :: mine
    type(c_ptr) :: placement
    real(c_double), allocatable :: input(:)
    num_ranks = regraft_communicator_size(comm)
    mine = regraft_even_part(num_sites, int(regraft_communicator_position(comm), c_int64_t), int(num_ranks, c_int64_t))
    allocate (input(mine%last - mine%first))
    do i = 1, size(input)
      input(i) = 1 / real(mine%first + i, c_double)
    end do
    status = regraft_placement_mod_k(num_sites, num_ranks, min(2_c_int32_t, num_ranks), regraft_no_seed, placement)
    if (status /= regraft_ok) return
    status = regraft_store_submit(store, placement, mine, input, number_bytes)
    call regraft_placement_free(placement)
  end function

  ! The sum over all sites, exact and so the same whichever rank adds which. Runs again after a death.
  function compute(context) bind(c) result(status)
    type(c_ptr), value :: context  ! not used: all is in the module
    integer(c_int) :: status
    integer(c_int64_t) :: num_ranges, count
    type(c_ptr) :: sites
    type(regraft_range), pointer :: mine(:)
    real(c_double), allocatable :: numbers(:)
    status = regraft_ok
    if (regraft_store_num_blocks(store) == 0) status = submit_input()
    if (status /= regraft_ok) return
    status = regraft_assignment_pieces(work, regraft_communicator_self(comm), sites, count=num_ranges)
    if (status /= regraft_ok) return
    call c_f_pointer(sites, mine, [num_ranges])
    count = sum(mine%last - mine%first)
    allocate (numbers(count))
    status = regraft_store_load(store, mine, num_ranges, numbers, number_bytes * count)
    if (status /= regraft_ok) return
    if (regraft_communicator_self(comm) == 1 .and. regraft_communicator_size(comm) > 1) status = raise(9)  ! SIGKILL
    status = regraft_sums_clear(sums)
    if (status == regraft_ok) status = regraft_sums_add(sums, 0_c_int64_t, numbers, count)
    if (status == regraft_ok) status = regraft_sums_all_reduce(comm, sums)
    if (status == regraft_ok) status = regraft_sums_values(sums, 0_c_int64_t, total, 1_c_int64_t)
  end function

  ! Survivors take over the sites of the dead.
  function take_over() result(status)
    integer(c_int) :: status
    integer(c_int32_t), pointer :: survivors(:)
    call c_f_pointer(regraft_communicator_members(comm), survivors, [regraft_communicator_size(comm)])
    status = regraft_assignment_reassign(work, survivors, size(survivors, kind=c_int64_t))
  end function

  ! And their copies.
  function recover(failure, context) bind(c) result(status)
    type(regraft_failure), intent(in) :: failure
    type(c_ptr), value :: context
    integer(c_int) :: status
    if (regraft_communicator_position(comm) == 0) &
      print '(i0, a, i0, a)', failure%num_lost, ' died, ', regraft_communicator_size(comm), ' go on'
    status = take_over()
    if (status == regraft_ok) status = regraft_store_repair(store)
  end function
end module

program survive
  use sum_of_sites
  implicit none

  interface  ! MPI's own, in C: so this compiles where no MPI for Fortran is installed
    integer(c_int) function mpi_init_c(argc, argv) bind(c, name="MPI_Init")
      import
      type(c_ptr), value :: argc, argv
    end function
    integer(c_int) function mpi_finalize_c() bind(c, name="MPI_Finalize")
      import
    end function
  end interface

  call must(mpi_init_c(c_null_ptr, c_null_ptr))
  call must(regraft_communicator_create_world(comm))  ! from a communicator of Fortran: regraft_communicator_create_f
  call must(regraft_store_create(comm, store=store))
  call must(regraft_sums_create(1_c_int64_t, sums))
  call must(regraft_assignment_balance([0_c_int64_t, num_sites], 1_c_int64_t, &
                                       num_pes=regraft_communicator_num_founders(comm), assignment=work))
  call must(take_over())  ! ranks may have died before there was a communicator
  call must(regraft_resilient(comm, c_funloc(compute), c_funloc(recover), c_null_ptr))
  if (regraft_communicator_position(comm) == 0) print '(f0.15, a, i0, a, i0, a)', total(1), ' from ', &
    regraft_communicator_size(comm), ' of ', regraft_communicator_num_founders(comm), ' ranks'
  call regraft_assignment_free(work)
  call regraft_sums_free(sums)
  call regraft_store_free(store)
  call regraft_communicator_free(comm)
  call must(mpi_finalize_c())

contains

  subroutine must(status)
    integer(c_int), intent(in) :: status
    if (status == regraft_ok) return
    print '(a)', regraft_message()
    error stop 1
  end subroutine
end program
