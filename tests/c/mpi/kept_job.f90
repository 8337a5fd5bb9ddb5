! kept_job.c in Fortran, with the same output: kept_job FOLDER NODES CRASH. Each goes on from what the other has kept.
module kept_job
  use regraft
  implicit none
  integer(c_int64_t), parameter :: num_blocks = 60, longest = 50, num_cells = 10, num_steps = 8
  integer, parameter :: most_ranks = 16

  type :: cell_type
    character(kind=c_char, len=16) :: name = ''
    integer(c_int8_t), allocatable :: bytes(:)
    logical :: is_used = .false.
  end type

  type(c_ptr) :: comm, store, snapshot
  integer(c_int32_t), target :: node_of(0:most_ranks - 1)
  integer :: num_nodes, crash, num_commits = 0, num_failed = 0
  logical :: is_done = .false.
  integer(c_int64_t), target :: steps(1) = 0
  integer(c_int64_t), pointer :: step => steps(1)
  type(cell_type), target :: cells(2 * num_cells)

  interface
    integer(c_int) function raise(signal) bind(c)
      import
      integer(c_int), value :: signal
    end function
  end interface

contains

  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    num_failed = num_failed + 1
    print '(4a)', 'expected ', what, '; regraft said last: ', regraft_message()
  end subroutine

  subroutine say(what, number)
    character(*), intent(in) :: what
    integer(c_int64_t), intent(in) :: number
    if (regraft_communicator_position(comm) /= 0) return
    print '(a, 1x, i0)', what, number
    flush (6)
  end subroutine

  function part_of(count) result(part)
    integer(c_int64_t), intent(in) :: count
    type(regraft_range) :: part
    part = regraft_even_part(count, int(regraft_communicator_position(comm), c_int64_t), &
                             int(regraft_communicator_size(comm), c_int64_t))
  end function

  ! The bits of an unsigned byte.
  elemental function byte(number) result(bits)
    integer(c_int64_t), intent(in) :: number
    integer(c_int8_t) :: bits
    bits = int(ieor(iand(number, 255_c_int64_t), 128_c_int64_t) - 128, c_int8_t)
  end function

  ! Block i has i mod 50 + 1 bytes.
  subroutine make_blocks(blocks, bytes, offsets)
    type(regraft_range), intent(in) :: blocks
    integer(c_int8_t), allocatable, intent(out) :: bytes(:)
    integer(c_int64_t), allocatable, intent(out) :: offsets(:)
    integer(c_int64_t) :: i, j
    offsets = [0_c_int64_t]
    bytes = [integer(c_int8_t) ::]
    do i = blocks%first, blocks%last - 1
      bytes = [bytes, [(byte(i * 31 + j * 7 + 1), j = 0, mod(i, longest))]]
      offsets = [offsets, size(bytes, kind=c_int64_t)]
    end do
  end subroutine

  function submit() result(status)
    integer(c_int) :: status
    integer(c_int8_t), allocatable :: bytes(:)
    integer(c_int64_t), allocatable :: offsets(:)
    integer(c_int32_t), pointer :: members(:)
    integer(c_int32_t) :: num_ranks
    type(c_ptr) :: rule, placement
    num_ranks = regraft_communicator_size(comm)
    call c_f_pointer(regraft_communicator_members(comm), members, [num_ranks])
    call make_blocks(part_of(num_blocks), bytes, offsets)
    status = regraft_store_set_attributes(store, transfer('input'//c_null_char, [c_null_char]), 6_c_int64_t)
    if (status /= regraft_ok) return
    status = regraft_placement_pairwise(num_blocks, num_ranks, min(2_c_int32_t, num_ranks), rule)
    if (status /= regraft_ok) return
    status = regraft_placement_over_nodes(rule, node_of(members), num_ranks, 0_c_int64_t, 0_c_int64_t, placement)
    if (status /= regraft_ok) return
    status = regraft_store_submit_sized(store, placement, part_of(num_blocks), bytes, offsets)
    call regraft_placement_free(rule)
    call regraft_placement_free(placement)
  end function

  ! One rank gives block 7 other bytes, and then its own again.
  function update_input() result(status)
    integer(c_int) :: status
    type(regraft_range) :: block
    type(regraft_update_report) :: report
    integer(c_int8_t), allocatable :: own(:), other(:), found(:)
    integer(c_int64_t), allocatable :: offsets(:)
    integer(c_int64_t) :: given, length
    block = regraft_range(7, 8)
    call make_blocks(block, own, offsets)
    other = not(own)
    found = own
    length = size(own, kind=c_int64_t)
    given = merge(1_c_int64_t, 0_c_int64_t, regraft_communicator_position(comm) == 0)
    status = regraft_store_update(store, [block], given, other, given * length, report)
    if (status /= regraft_ok) return
    call check(report%blocks_changed == 1 .and. report%bytes_changed == length .and. report%num_regained == 0, 'one block')
    status = regraft_store_load(store, [block], 1_c_int64_t, found, length)
    if (status /= regraft_ok) return
    call check(all(found == other), 'the other bytes')
    status = regraft_store_update(store, [block], given, own, given * length)
  end function

  ! What the nodes do not have any more, block by block.
  function tell_lost() result(status)
    integer(c_int) :: status
    type(c_ptr) :: where
    type(regraft_range), pointer :: lost(:)
    integer(c_int64_t) :: count, i, block
    call check(index(regraft_message(), 'only on nodes that are missing') > 0, 'a message of lost blocks')
    status = regraft_store_lost(store, where, count)
    if (status /= regraft_ok) return
    call c_f_pointer(where, lost, [count])
    do i = 1, count
      do block = lost(i)%first, lost(i)%last - 1
        call say('lost block', block)
      end do
    end do
  end function

  ! The input from the nodes, or made.
  function open_input() result(status)
    integer(c_int) :: status
    type(regraft_reopen_report) :: report
    character(kind=c_char), pointer :: attributes(:)
    integer(c_int8_t), allocatable :: expected(:), found(:)
    integer(c_int64_t), allocatable :: offsets(:)
    type(regraft_range) :: all
    if (regraft_store_version(store) == 0) then
      status = regraft_store_reopen(store, report=report)
      if (status == regraft_data_lost) then
        status = tell_lost()
      else if (status == regraft_ok .and. report%version > 0) then
        call c_f_pointer(report%attributes, attributes, [report%attributes_size])
        call check(size(attributes) == 6 .and. attributes(1) == 'i' .and. attributes(5) == 't', 'the attributes')
        call check(report%num_lost == 0 .and. report%version == regraft_store_version(store), 'a whole version')
        call check(report%repaired%least_copies == min(2_c_int32_t, regraft_communicator_size(comm)), 'two copies')
        call say('input reopened, files refused:', report%num_refused)
      end if
      if (status /= regraft_ok) return
    end if
    if (regraft_store_version(store) == 0) then
      status = submit()
      if (status == regraft_ok) status = update_input()
      if (status /= regraft_ok) return
      call say('input made of blocks:', num_blocks)
    end if
    all = regraft_range(0, num_blocks)
    call make_blocks(all, expected, offsets)
    allocate (found(size(expected)))
    status = regraft_store_load(store, [all], 1_c_int64_t, found, size(found, kind=c_int64_t))
    if (status == regraft_ok) call check(.not. any(found /= expected), 'the blocks that were made')
  end function

  function bytes_of(length, context) bind(c) result(where)
    integer(c_int64_t), intent(out) :: length
    type(c_ptr), value :: context
    type(c_ptr) :: where
    type(cell_type), pointer :: cell
    call c_f_pointer(context, cell)
    length = size(cell%bytes, kind=c_int64_t)
    where = c_loc(cell%bytes)
  end function

  function room_for(length, context) bind(c) result(where)
    integer(c_int64_t), value :: length
    type(c_ptr), value :: context
    type(c_ptr) :: where
    type(cell_type), pointer :: cell
    call c_f_pointer(context, cell)
    if (allocated(cell%bytes)) deallocate (cell%bytes)
    allocate (cell%bytes(length))
    where = c_loc(cell%bytes)
  end function

  function add_cell(name, length, context) bind(c) result(status)
    character(kind=c_char), intent(in) :: name(*)
    integer(c_int64_t), value :: length
    type(c_ptr), value :: context
    integer(c_int) :: status
    integer :: i, j
    status = regraft_no_memory
    do i = 1, size(cells)
      if (.not. cells(i)%is_used) exit
    end do
    if (i > size(cells)) return
    cells(i)%is_used = .true.
    cells(i)%name = ''
    do j = 1, len(cells(i)%name)
      cells(i)%name(j:j) = name(j)
      if (name(j) == c_null_char) exit
    end do
    allocate (cells(i)%bytes(length))
    status = regraft_snapshot_add_entity(snapshot, cells(i)%name, regraft_entity(c_funloc(bytes_of), c_funloc(room_for), &
                                                                                 c_loc(cells(i))))
  end function

  function number_of(cell) result(number)
    type(cell_type), intent(in) :: cell
    integer(c_int64_t) :: number
    read (cell%name(6:index(cell%name, c_null_char) - 1), *) number
  end function

  ! Cells grow by a byte in every step.
  subroutine fill_cells()
    integer :: i
    do i = 1, size(cells)
      if (.not. cells(i)%is_used) cycle
      deallocate (cells(i)%bytes)
      allocate (cells(i)%bytes(100 + step), source=byte(number_of(cells(i)) * 3 + step))
    end do
  end subroutine

  subroutine check_cells()
    integer :: i
    do i = 1, size(cells)
      if (.not. cells(i)%is_used) cycle
      call check(size(cells(i)%bytes) == 100 + step, 'as many bytes as the step has')
      call check(.not. any(cells(i)%bytes /= byte(number_of(cells(i)) * 3 + step)), 'the bytes of the step')
    end do
  end subroutine

  ! Cells that a reopen or restore has dealt to other ranks are not here any more.
  subroutine drop_cells(all)
    logical, intent(in) :: all
    integer :: i
    do i = 1, size(cells)
      if (.not. cells(i)%is_used) cycle
      if (regraft_snapshot_has(snapshot, cells(i)%name)) then
        if (.not. all) cycle
        call check(regraft_snapshot_remove(snapshot, cells(i)%name) == regraft_ok, 'a cell to remove')
      end if
      cells(i)%is_used = .false.
      deallocate (cells(i)%bytes)
    end do
  end subroutine

  ! All cells are dealt to the members.
  function begin() result(status)
    integer(c_int) :: status
    character(kind=c_char, len=16) :: name
    type(regraft_range) :: mine
    integer(c_int64_t) :: i
    call drop_cells(.true.)
    step = 0
    status = regraft_ok
    mine = part_of(num_cells)
    do i = mine%first, mine%last - 1
      write (name, '(a, i0, a)') 'cell ', i, c_null_char
      status = add_cell(name, 100_c_int64_t, c_null_ptr)
      if (status /= regraft_ok) return
    end do
    call fill_cells()
    status = regraft_snapshot_commit(snapshot)
    if (status == regraft_ok) call say('state made at step', step)
  end function

  ! The state from the nodes, or the first one.
  function open_state() result(status)
    integer(c_int) :: status
    type(regraft_open_report) :: report
    status = regraft_ok
    if (regraft_snapshot_generation(snapshot) > 0) return
    status = regraft_snapshot_reopen(snapshot, regraft_restore_options(adopt=c_funloc(add_cell)), report)
    if (status == regraft_data_lost) then
      call check(index(regraft_message(), 'only on nodes that are missing') > 0, 'a message of lost entities')
      call say('state lost at step', step)
    else if (status /= regraft_ok) then
      return
    end if
    if (regraft_snapshot_generation(snapshot) == 0) then
      status = begin()
      return
    end if
    call drop_cells(.false.)
    call check(report%generation > 0 .and. regraft_snapshot_num_committed(snapshot) == num_cells, 'all entities')
    call say('state of step', step)
  end function

  function advance() result(status)
    integer(c_int) :: status
    call check_cells()
    step = step + 1
    call fill_cells()
    status = regraft_snapshot_commit(snapshot)
    if (status /= regraft_ok) return
    num_commits = num_commits + 1
    if (num_commits == crash) status = raise(9)  ! SIGKILL, as all ranks do
  end function

  function count_cells() result(status)
    integer(c_int) :: status
    type(c_ptr) :: sums
    real(c_double) :: total(1)
    status = regraft_sums_create(1_c_int64_t, sums)
    total = count(cells%is_used)
    if (status == regraft_ok) status = regraft_sums_add(sums, 0_c_int64_t, total, 1_c_int64_t)
    if (status == regraft_ok) status = regraft_sums_all_reduce(comm, sums)
    if (status == regraft_ok) status = regraft_sums_values(sums, 0_c_int64_t, total, 1_c_int64_t)
    call regraft_sums_free(sums)
    if (status == regraft_ok) status = regraft_communicator_agree(comm, .true._c_bool)
    if (status /= regraft_ok) return
    call check(nint(total(1)) == num_cells, 'each cell on one rank')
    call say('done by ranks:', int(regraft_communicator_size(comm), c_int64_t))
  end function

  function body(context) bind(c) result(status)
    type(c_ptr), value :: context  ! not used: all is in the module
    integer(c_int) :: status
    status = regraft_ok
    if (.not. is_done) then
      status = open_input()
      if (status == regraft_ok) status = open_state()
      do while (status == regraft_ok .and. step < num_steps)
        status = advance()
      end do
      if (status == regraft_ok) call check_cells()
      if (status == regraft_ok) status = count_cells()
      if (status /= regraft_ok) return
    end if
    is_done = .true.
    status = regraft_snapshot_discard(snapshot)
    if (status == regraft_ok) status = regraft_store_discard(store)
  end function

  function recover(failure, context) bind(c) result(status)
    type(regraft_failure), intent(in) :: failure
    type(c_ptr), value :: context
    integer(c_int) :: status
    status = regraft_ok
    if (is_done) return  ! it is discarded again
    status = regraft_store_repair(store)
    if (status /= regraft_ok .or. regraft_snapshot_generation(snapshot) == 0) return
    status = regraft_snapshot_restore(snapshot, regraft_restore_options(adopt=c_funloc(add_cell)))
    if (status == regraft_ok) call drop_cells(.false.)
  end function

  function run(folder, plan) result(status)
    character(*), intent(in) :: folder, plan
    integer(c_int) :: status
    integer :: i
    character(kind=c_char, len=4096), target :: path
    character(kind=c_char, len=6), target :: input, state
    type(regraft_keep), target :: keep
    status = regraft_communicator_create_world(comm)
    if (status /= regraft_ok) return
    node_of = [(mod(i, num_nodes), i = 0, most_ranks - 1)]
    write (path, '(2a, i0, a)') folder, '/', node_of(regraft_communicator_self(comm)), c_null_char
    input = 'input'//c_null_char
    state = 'state'//c_null_char
    keep = regraft_keep(c_loc(path), regraft_job_of_environment(), c_loc(input), 1048576)
    status = regraft_store_create(comm, regraft_store_options(checked=.true._c_bool, keep=c_loc(keep)), store)
    if (status /= regraft_ok) return
    keep%name = c_loc(state)
    status = regraft_snapshot_create(comm, regraft_snapshot_options(node_of=c_loc(node_of), keep=c_loc(keep)), snapshot)
    if (status == regraft_ok) status = regraft_snapshot_add_common(snapshot, 'step'//c_null_char, steps, 8_c_int64_t)
    if (status == regraft_ok) status = regraft_plan_failures(plan//c_null_char)
    if (status == regraft_ok) status = regraft_resilient(comm, c_funloc(body), c_funloc(recover), c_null_ptr)
    if (status == regraft_ok) print '(a)', 'end of a rank'
  end function
end module

program main
  use kept_job
  implicit none
  character(4000) :: folder, plan
  character(20) :: number

  interface  ! MPI's own, in C: so this compiles where no MPI for Fortran is installed
    integer(c_int) function mpi_init_c(argc, argv) bind(c, name="MPI_Init")
      import
      type(c_ptr), value :: argc, argv
    end function
    integer(c_int) function mpi_finalize_c() bind(c, name="MPI_Finalize")
      import
    end function
  end interface

  call get_command_argument(1, folder)
  call get_command_argument(2, number)
  read (number, *) num_nodes
  call get_command_argument(3, number)
  read (number, *) crash
  call get_environment_variable('REGRAFT_FAIL', plan)
  call check(mpi_init_c(c_null_ptr, c_null_ptr) == 0, 'MPI')
  call check(run(trim(folder), trim(plan)) == regraft_ok, 'a job that ends well')
  call regraft_snapshot_free(snapshot)
  call regraft_store_free(store)
  call regraft_communicator_free(comm)
  call check(mpi_finalize_c() == 0, 'MPI to end')
  if (num_failed > 0) error stop 1
end program
