! regraft for programs in Fortran 2018: the functions of regraft.h and regraft_mpi.h, which say what each does, by their names.
!
! tools/package/fortran.py makes it from these headers. Handles are type(c_ptr). Pointers are arguments by reference; those that may be
! NULL in C may be left out. Unsigned numbers are signed ones of the same bits. Callbacks are bind(c) functions, given by c_funloc.
! Views that C gives as pointers become arrays by c_f_pointer. docs/mpi/c.md has a program.
module regraft
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int), parameter :: regraft_ok = 0
  integer(c_int), parameter :: regraft_error_argument = 1
  integer(c_int), parameter :: regraft_error_input = 2
  integer(c_int), parameter :: regraft_error_mpi = 3
  integer(c_int), parameter :: regraft_no_memory = 4
  integer(c_int), parameter :: regraft_error_internal = 5
  integer(c_int), parameter :: regraft_process_failure = 6
  integer(c_int), parameter :: regraft_departed = 7
  integer(c_int), parameter :: regraft_data_lost = 8
  integer(c_int), parameter :: regraft_divergence = 9
  integer(c_int), parameter :: regraft_damaged = 10
  integer(c_int), parameter :: regraft_duplicate = 11
  integer(c_int), parameter :: regraft_disk = 12
  integer(c_int), parameter :: regraft_uniform = 100
  integer(c_int), parameter :: regraft_per_block = 0
  integer(c_int), parameter :: regraft_bundled = 1
  integer(c_int), parameter :: regraft_differential_never = 0
  integer(c_int), parameter :: regraft_differential_automatic = 1
  integer(c_int), parameter :: regraft_differential_always = 2
  ! In place of a vertex, PE or round: there is none. In place of a seed: not shuffled.
  integer(c_int32_t), parameter :: regraft_none = -1
  integer(c_int64_t), parameter :: regraft_no_seed = -1

  type, bind(c) :: regraft_range
    integer(c_int64_t) :: first = 0
    integer(c_int64_t) :: last = 0
  end type

  type, bind(c) :: regraft_random
    integer(c_int64_t) :: state(4) = 0
  end type

  type, bind(c) :: regraft_graph
    integer(c_int64_t) :: num_left = 0
    integer(c_int32_t) :: num_right = 0
    type(c_ptr) :: offsets = c_null_ptr
    type(c_ptr) :: neighbours = c_null_ptr
  end type

  type, bind(c) :: regraft_matching
    integer(c_int64_t) :: b = 0
    integer(c_int64_t) :: lower_bound = 0
    integer(c_int64_t) :: num_isolated = 0
    integer(c_int64_t) :: hall_size = 0
  end type

  type, bind(c) :: regraft_requests
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: receivers = c_null_ptr
    type(c_ptr) :: offsets = c_null_ptr
    type(c_ptr) :: holders = c_null_ptr
    type(c_ptr) :: bytes = c_null_ptr
  end type

  type, bind(c) :: regraft_schedule
    integer(c_int64_t) :: b = 0
    integer(c_int64_t) :: num_rounds = 0
    integer(c_int64_t) :: num_local = 0
    integer(c_int64_t) :: num_lost = 0
    integer(c_int64_t) :: most_bytes = 0
    integer(c_int64_t) :: most_bytes_min = 0
  end type

  type, bind(c) :: regraft_failure
    type(c_ptr) :: lost = c_null_ptr
    integer(c_int64_t) :: num_lost = 0
    type(c_ptr) :: noticed_in = c_null_ptr
    real(c_double) :: silence_ms = 0
    real(c_double) :: shrink_ms = 0
  end type

  type, bind(c) :: regraft_save_options
    integer(c_int32_t) :: files = 0
    integer(c_int32_t) :: kept = 0
    type(c_ptr) :: attributes = c_null_ptr
    integer(c_int64_t) :: attributes_size = 0
  end type

  type, bind(c) :: regraft_save_report
    integer(c_int64_t) :: generation = 0
    integer(c_int64_t) :: files = 0
    integer(c_int64_t) :: bytes = 0
    integer(c_int64_t) :: bytes_written = 0
  end type

  type, bind(c) :: regraft_open_report
    integer(c_int64_t) :: generation = 0
    integer(c_int64_t) :: num_refused = 0
    type(c_ptr) :: attributes = c_null_ptr
    integer(c_int64_t) :: attributes_size = 0
    integer(c_int64_t) :: saved_commit = 0
    integer(c_int64_t) :: num_adopted = 0
    integer(c_int64_t) :: num_removed = 0
    integer(c_int64_t) :: bytes_read = 0
  end type

  type, bind(c) :: regraft_keep
    type(c_ptr) :: folder = c_null_ptr
    type(c_ptr) :: job = c_null_ptr
    type(c_ptr) :: name = c_null_ptr
    integer(c_int64_t) :: room = 0
  end type

  type, bind(c) :: regraft_store_options
    logical(c_bool) :: checked = .false.
    logical(c_bool) :: referenced = .false.
    logical(c_bool) :: rounds = .false.
    integer(c_int32_t) :: parities = 0
    integer(c_int32_t) :: data = 0
    type(c_ptr) :: node = c_null_ptr
    type(c_ptr) :: keep = c_null_ptr
  end type

  type, bind(c) :: regraft_load_options
    type(c_funptr) :: reread = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
    logical(c_bool) :: from_disk = .false.
    logical(c_bool) :: leave_lost = .false.
  end type

  type, bind(c) :: regraft_load_report
    integer(c_int64_t) :: num_lost = 0
    integer(c_int64_t) :: num_damaged = 0
    integer(c_int64_t) :: blocks_moved = 0
    integer(c_int64_t) :: bytes_moved = 0
    integer(c_int64_t) :: bytes_between_nodes = 0
    integer(c_int64_t) :: most_sent = 0
    integer(c_int64_t) :: most_sent_bound = 0
    integer(c_int64_t) :: most_received = 0
    integer(c_int64_t) :: bytes_received = 0
    integer(c_int64_t) :: bytes_local = 0
  end type

  type, bind(c) :: regraft_update_report
    integer(c_int64_t) :: blocks_changed = 0
    integer(c_int64_t) :: bytes_changed = 0
    integer(c_int64_t) :: bytes_moved = 0
    integer(c_int64_t) :: num_regained = 0
  end type

  type, bind(c) :: regraft_repair_options
    integer(c_int32_t) :: replicas = 0
    integer(c_int64_t) :: room = 0
    type(c_ptr) :: node = c_null_ptr
  end type

  type, bind(c) :: regraft_repair_report
    integer(c_int32_t) :: least_copies = 0
    integer(c_int32_t) :: most_copies = 0
    integer(c_int64_t) :: num_lost = 0
    integer(c_int64_t) :: num_damaged = 0
    integer(c_int64_t) :: bytes_missing = 0
    integer(c_int64_t) :: bytes_not_restored = 0
    integer(c_int64_t) :: bytes_copied = 0
    integer(c_int64_t) :: most_sent = 0
    integer(c_int64_t) :: most_received = 0
    integer(c_int64_t) :: num_unplaced = 0
  end type

  type, bind(c) :: regraft_snapshot_options
    integer(c_int32_t) :: copies = 0
    integer(c_int32_t) :: parities = 0
    integer(c_int32_t) :: data = 0
    logical(c_bool) :: compressed = .false.
    logical(c_bool) :: checked = .false.
    integer(c_int64_t) :: steps = 0
    real(c_double) :: mtbf_hours = 0
    type(c_ptr) :: node_of = c_null_ptr
    type(c_ptr) :: keep = c_null_ptr
    integer(c_int32_t) :: differential = 0
    integer(c_int64_t) :: chunk_bytes = 0
    integer(c_int32_t) :: generations = 0
    logical(c_bool) :: trusts_changes = .false.
  end type

  type, bind(c) :: regraft_entity
    type(c_funptr) :: bytes = c_null_funptr
    type(c_funptr) :: room = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
  end type

  type, bind(c) :: regraft_restore_options
    type(c_funptr) :: adopt = c_null_funptr
    type(c_ptr) :: context = c_null_ptr
    logical(c_bool) :: balanced = .false.
    logical(c_bool) :: leave_lost = .false.
    integer(c_int64_t) :: generation = 0
    logical(c_bool) :: from_disk = .false.
  end type

  type, bind(c) :: regraft_commit_report
    integer(c_int64_t) :: bytes = 0
    integer(c_int64_t) :: stored_bytes = 0
    real(c_double) :: create_ms = 0
    real(c_double) :: exchange_ms = 0
    logical(c_bool) :: sent_changes = .false.
    integer(c_int64_t) :: changed_bytes = 0
  end type

  type, bind(c) :: regraft_restore_report
    integer(c_int64_t) :: generation = 0
    integer(c_int64_t) :: num_adopted = 0
    integer(c_int64_t) :: num_lost = 0
    integer(c_int64_t) :: num_removed = 0
    integer(c_int64_t) :: bytes_local = 0
    integer(c_int64_t) :: bytes_received = 0
    integer(c_int64_t) :: redundancy_bytes = 0
  end type

  type, bind(c) :: regraft_committed
    type(c_ptr) :: name = c_null_ptr
    integer(c_int32_t) :: home = 0
    integer(c_int64_t) :: bytes = 0
    integer(c_int64_t) :: stored_bytes = 0
  end type

  type, bind(c) :: regraft_adoption
    type(c_ptr) :: name = c_null_ptr
    integer(c_int32_t) :: from = 0
    integer(c_int32_t) :: to = 0
    integer(c_int64_t) :: bytes = 0
  end type

  type, bind(c) :: regraft_reopen_options
    logical(c_bool) :: leave_lost = .false.
    logical(c_bool) :: leave_missing = .false.
    type(c_ptr) :: repair = c_null_ptr
  end type

  type, bind(c) :: regraft_reopen_report
    integer(c_int64_t) :: version = 0
    integer(c_int64_t) :: num_refused = 0
    type(c_ptr) :: attributes = c_null_ptr
    integer(c_int64_t) :: attributes_size = 0
    integer(c_int64_t) :: num_lost = 0
    integer(c_int64_t) :: bytes_inherited = 0
    type(regraft_repair_report) :: repaired = regraft_repair_report()
  end type

  type, bind(c) :: regraft_files_options
    type(c_ptr) :: folder = c_null_ptr
    type(c_ptr) :: snapshot = c_null_ptr
    type(c_ptr) :: archive = c_null_ptr
    integer(c_int64_t) :: flush_every = 0
    type(c_ptr) :: save = c_null_ptr
  end type

  type, bind(c) :: regraft_files_report
    type(regraft_commit_report) :: commit = regraft_commit_report()
    logical(c_bool) :: completed_flush = .false.
    type(c_ptr) :: problem = c_null_ptr
  end type

  interface
    function regraft_version() bind(c) result(answer)
      import
      type(c_ptr) :: answer
    end function

    function regraft_error_message() bind(c) result(answer)
      import
      type(c_ptr) :: answer
    end function

    function regraft_even_part(count, index, parts) bind(c) result(answer)
      import
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: index
      integer(c_int64_t), value :: parts
      type(regraft_range) :: answer
    end function

    function regraft_hash(bytes, size) bind(c) result(answer)
      import
      type(*), intent(in), optional :: bytes(*)
      integer(c_int64_t), value :: size
      integer(c_int64_t) :: answer
    end function

    function regraft_mix(x) bind(c) result(answer)
      import
      integer(c_int64_t), value :: x
      integer(c_int64_t) :: answer
    end function

    subroutine regraft_random_seed(random, seed) bind(c)
      import
      type(regraft_random), intent(inout), optional :: random
      integer(c_int64_t), value :: seed
    end subroutine

    function regraft_random_unit(random) bind(c) result(answer)
      import
      type(regraft_random), intent(inout), optional :: random
      real(c_double) :: answer
    end function

    function regraft_random_below(random, n) bind(c) result(answer)
      import
      type(regraft_random), intent(inout), optional :: random
      integer(c_int64_t), value :: n
      integer(c_int64_t) :: answer
    end function

    function regraft_sums_create(count, sums) bind(c) result(answer)
      import
      integer(c_int64_t), value :: count
      type(c_ptr), intent(inout), optional :: sums
      integer(c_int) :: answer
    end function

    function regraft_sums_create_scaled(count, bound, most_values, sums) bind(c) result(answer)
      import
      integer(c_int64_t), value :: count
      real(c_double), value :: bound
      integer(c_int64_t), value :: most_values
      type(c_ptr), intent(inout), optional :: sums
      integer(c_int) :: answer
    end function

    subroutine regraft_sums_free(sums) bind(c)
      import
      type(c_ptr), value :: sums
    end subroutine

    function regraft_sums_add(sums, index, values, count) bind(c) result(answer)
      import
      type(c_ptr), value :: sums
      integer(c_int64_t), value :: index
      real(c_double), intent(in), optional :: values(*)
      integer(c_int64_t), value :: count
      integer(c_int) :: answer
    end function

    function regraft_sums_add_each(sums, first, values, count) bind(c) result(answer)
      import
      type(c_ptr), value :: sums
      integer(c_int64_t), value :: first
      real(c_double), intent(in), optional :: values(*)
      integer(c_int64_t), value :: count
      integer(c_int) :: answer
    end function

    function regraft_sums_values(sums, first, values, count) bind(c) result(answer)
      import
      type(c_ptr), value :: sums
      integer(c_int64_t), value :: first
      real(c_double), intent(inout), optional :: values(*)
      integer(c_int64_t), value :: count
      integer(c_int) :: answer
    end function

    function regraft_sums_clear(sums) bind(c) result(answer)
      import
      type(c_ptr), value :: sums
      integer(c_int) :: answer
    end function

    function regraft_matching_min_b(graph, right_of, hall_set, result) bind(c) result(answer)
      import
      type(regraft_graph), intent(in), optional :: graph
      integer(c_int32_t), intent(inout), optional :: right_of(*)
      integer(c_int32_t), intent(inout), optional :: hall_set(*)
      type(regraft_matching), intent(inout), optional :: result
      integer(c_int) :: answer
    end function

    function regraft_matching_min_b_weighted(graph, weight, right_of, hall_set, result) bind(c) result(answer)
      import
      type(regraft_graph), intent(in), optional :: graph
      integer(c_int64_t), intent(in), optional :: weight(*)
      integer(c_int32_t), intent(inout), optional :: right_of(*)
      integer(c_int32_t), intent(inout), optional :: hall_set(*)
      type(regraft_matching), intent(inout), optional :: result
      integer(c_int) :: answer
    end function

    function regraft_matching_min_b_shares(graph, units, share, hall_set, result) bind(c) result(answer)
      import
      type(regraft_graph), intent(in), optional :: graph
      integer(c_int64_t), intent(in), optional :: units(*)
      integer(c_int64_t), intent(inout), optional :: share(*)
      integer(c_int32_t), intent(inout), optional :: hall_set(*)
      type(regraft_matching), intent(inout), optional :: result
      integer(c_int) :: answer
    end function

    function regraft_matching_max_b(graph, capacity, right_of, num_matched) bind(c) result(answer)
      import
      type(regraft_graph), intent(in), optional :: graph
      integer(c_int32_t), intent(in), optional :: capacity(*)
      integer(c_int32_t), intent(inout), optional :: right_of(*)
      integer(c_int64_t), intent(inout), optional :: num_matched
      integer(c_int) :: answer
    end function

    function regraft_schedule_senders(requests, sender_of, result) bind(c) result(answer)
      import
      type(regraft_requests), intent(in), optional :: requests
      integer(c_int32_t), intent(inout), optional :: sender_of(*)
      type(regraft_schedule), intent(inout), optional :: result
      integer(c_int) :: answer
    end function

    function regraft_schedule_rounds(requests, messages, sender_of, round_of, result) bind(c) result(answer)
      import
      type(regraft_requests), intent(in), optional :: requests
      integer(c_int), value :: messages
      integer(c_int32_t), intent(inout), optional :: sender_of(*)
      integer(c_int32_t), intent(inout), optional :: round_of(*)
      type(regraft_schedule), intent(inout), optional :: result
      integer(c_int) :: answer
    end function

    function regraft_placement_pairwise(num_blocks, num_slots, replicas, placement) bind(c) result(answer)
      import
      integer(c_int64_t), value :: num_blocks
      integer(c_int32_t), value :: num_slots
      integer(c_int32_t), value :: replicas
      type(c_ptr), intent(inout), optional :: placement
      integer(c_int) :: answer
    end function

    function regraft_placement_permuted(num_blocks, num_slots, replicas, range_blocks, seed, placement) bind(c) result(answer)
      import
      integer(c_int64_t), value :: num_blocks
      integer(c_int32_t), value :: num_slots
      integer(c_int32_t), value :: replicas
      integer(c_int64_t), value :: range_blocks
      integer(c_int64_t), value :: seed
      type(c_ptr), intent(inout), optional :: placement
      integer(c_int) :: answer
    end function

    function regraft_placement_mod_k(num_blocks, num_slots, replicas, seed, placement) bind(c) result(answer)
      import
      integer(c_int64_t), value :: num_blocks
      integer(c_int32_t), value :: num_slots
      integer(c_int32_t), value :: replicas
      integer(c_int64_t), value :: seed
      type(c_ptr), intent(inout), optional :: placement
      integer(c_int) :: answer
    end function

    function regraft_placement_node_aware(num_blocks, node_of, num_slots, replicas, range_blocks, seed, placement) bind(c) &
        result(answer)
      import
      integer(c_int64_t), value :: num_blocks
      integer(c_int32_t), intent(in), optional :: node_of(*)
      integer(c_int32_t), value :: num_slots
      integer(c_int32_t), value :: replicas
      integer(c_int64_t), value :: range_blocks
      integer(c_int64_t), value :: seed
      type(c_ptr), intent(inout), optional :: placement
      integer(c_int) :: answer
    end function

    function regraft_placement_over_nodes(rule, node_of, num_slots, range_blocks, seed, placement) bind(c) result(answer)
      import
      type(c_ptr), value :: rule
      integer(c_int32_t), intent(in), optional :: node_of(*)
      integer(c_int32_t), value :: num_slots
      integer(c_int64_t), value :: range_blocks
      integer(c_int64_t), value :: seed
      type(c_ptr), intent(inout), optional :: placement
      integer(c_int) :: answer
    end function

    subroutine regraft_placement_free(placement) bind(c)
      import
      type(c_ptr), value :: placement
    end subroutine

    function regraft_placement_holders(placement, block, slots, capacity, count) bind(c) result(answer)
      import
      type(c_ptr), value :: placement
      integer(c_int64_t), value :: block
      integer(c_int32_t), intent(inout), optional :: slots(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout), optional :: count
      integer(c_int) :: answer
    end function

    function regraft_placement_held(placement, slot, ranges, capacity, count) bind(c) result(answer)
      import
      type(c_ptr), value :: placement
      integer(c_int32_t), value :: slot
      type(regraft_range), intent(inout), optional :: ranges(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(inout), optional :: count
      integer(c_int) :: answer
    end function

    function regraft_assignment_balance(partition_begin, num_partitions, cost_per_site, num_pes, assignment) bind(c) &
        result(answer)
      import
      integer(c_int64_t), intent(in), optional :: partition_begin(*)
      integer(c_int64_t), value :: num_partitions
      integer(c_int64_t), intent(in), optional :: cost_per_site(*)
      integer(c_int32_t), value :: num_pes
      type(c_ptr), intent(inout), optional :: assignment
      integer(c_int) :: answer
    end function

    subroutine regraft_assignment_free(assignment) bind(c)
      import
      type(c_ptr), value :: assignment
    end subroutine

    function regraft_assignment_reassign(assignment, survivors, num_survivors) bind(c) result(answer)
      import
      type(c_ptr), value :: assignment
      integer(c_int32_t), intent(in), optional :: survivors(*)
      integer(c_int64_t), value :: num_survivors
      integer(c_int) :: answer
    end function

    function regraft_assignment_pieces(assignment, pe, sites, partitions, count) bind(c) result(answer)
      import
      type(c_ptr), value :: assignment
      integer(c_int32_t), value :: pe
      type(c_ptr), intent(inout), optional :: sites
      type(c_ptr), intent(inout), optional :: partitions
      integer(c_int64_t), intent(inout), optional :: count
      integer(c_int) :: answer
    end function

    function regraft_assignment_gained(assignment, pe, sites, partitions, count) bind(c) result(answer)
      import
      type(c_ptr), value :: assignment
      integer(c_int32_t), value :: pe
      type(c_ptr), intent(inout), optional :: sites
      type(c_ptr), intent(inout), optional :: partitions
      integer(c_int64_t), intent(inout), optional :: count
      integer(c_int) :: answer
    end function

    function regraft_communicator_create_f(parent, comm) bind(c) result(answer)
      import
      integer(c_int), value :: parent
      type(c_ptr), intent(inout), optional :: comm
      integer(c_int) :: answer
    end function

    function regraft_communicator_create_world(comm) bind(c) result(answer)
      import
      type(c_ptr), intent(inout), optional :: comm
      integer(c_int) :: answer
    end function

    subroutine regraft_communicator_free(comm) bind(c)
      import
      type(c_ptr), value :: comm
    end subroutine

    function regraft_communicator_self(comm) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int32_t) :: answer
    end function

    function regraft_communicator_size(comm) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int32_t) :: answer
    end function

    function regraft_communicator_members(comm) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      type(c_ptr) :: answer
    end function

    function regraft_communicator_position(comm) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int32_t) :: answer
    end function

    function regraft_communicator_num_founders(comm) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int32_t) :: answer
    end function

    function regraft_communicator_epoch(comm) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int32_t) :: answer
    end function

    function regraft_communicator_native_f(comm) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int) :: answer
    end function

    function regraft_communicator_check(comm, code, call) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: code
      character(kind=c_char), intent(in), optional :: call(*)
      integer(c_int) :: answer
    end function

    function regraft_communicator_check_statuses_f(comm, code, statuses, count, call) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int), value :: code
      integer(c_int), intent(in), optional :: statuses(*)
      integer(c_int64_t), value :: count
      character(kind=c_char), intent(in), optional :: call(*)
      integer(c_int) :: answer
    end function

    function regraft_communicator_wait_all_f(comm, requests, count) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int), intent(inout), optional :: requests
      integer(c_int64_t), value :: count
      integer(c_int) :: answer
    end function

    function regraft_communicator_dismiss_errors(comm) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int) :: answer
    end function

    function regraft_communicator_look(comm) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int) :: answer
    end function

    function regraft_communicator_agree(comm, mine, all) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      logical(c_bool), value :: mine
      logical(c_bool), intent(inout), optional :: all
      integer(c_int) :: answer
    end function

    function regraft_communicator_shrink(comm) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int) :: answer
    end function

    function regraft_communicator_broadcast(comm, data, size, root) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      type(*), intent(inout), optional :: data(*)
      integer(c_int64_t), value :: size
      integer(c_int32_t), value :: root
      integer(c_int) :: answer
    end function

    function regraft_sums_all_reduce(comm, sums) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      type(c_ptr), value :: sums
      integer(c_int) :: answer
    end function

    function regraft_node_ids(comm, node_of, size) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      integer(c_int32_t), intent(inout), optional :: node_of(*)
      integer(c_int64_t), value :: size
      integer(c_int) :: answer
    end function

    function regraft_plan_failures(plan) bind(c) result(answer)
      import
      character(kind=c_char), intent(in), optional :: plan(*)
      integer(c_int) :: answer
    end function

    function regraft_resilient(comm, body, recover, context) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      type(c_funptr), value :: body
      type(c_funptr), value :: recover
      type(c_ptr), value :: context
      integer(c_int) :: answer
    end function

    function regraft_job_of_environment() bind(c) result(answer)
      import
      type(c_ptr) :: answer
    end function

    function regraft_store_create(comm, options, store) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      type(regraft_store_options), intent(in), optional :: options
      type(c_ptr), intent(inout), optional :: store
      integer(c_int) :: answer
    end function

    subroutine regraft_store_free(store) bind(c)
      import
      type(c_ptr), value :: store
    end subroutine

    function regraft_store_submit(store, placement, mine, blocks, block_bytes) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      type(c_ptr), value :: placement
      type(regraft_range), value :: mine
      type(*), intent(in), optional :: blocks(*)
      integer(c_int64_t), value :: block_bytes
      integer(c_int) :: answer
    end function

    function regraft_store_submit_sized(store, placement, mine, blocks, offsets) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      type(c_ptr), value :: placement
      type(regraft_range), value :: mine
      type(*), intent(in), optional :: blocks(*)
      integer(c_int64_t), intent(in), optional :: offsets(*)
      integer(c_int) :: answer
    end function

    function regraft_store_update(store, changed, count, blocks, size, report) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      type(regraft_range), intent(in), optional :: changed(*)
      integer(c_int64_t), value :: count
      type(*), intent(in), optional :: blocks(*)
      integer(c_int64_t), value :: size
      type(regraft_update_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_store_load(store, wanted, count, out, size, options, report) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      type(regraft_range), intent(in), optional :: wanted(*)
      integer(c_int64_t), value :: count
      type(*), intent(inout), optional :: out(*)
      integer(c_int64_t), value :: size
      type(regraft_load_options), intent(in), optional :: options
      type(regraft_load_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_store_repair(store, options, report) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      type(regraft_repair_options), intent(in), optional :: options
      type(regraft_repair_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_store_scrub(store, num_damaged) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      integer(c_int64_t), intent(inout), optional :: num_damaged
      integer(c_int) :: answer
    end function

    function regraft_store_save(store, archive, options, report) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      character(kind=c_char), intent(in), optional :: archive(*)
      type(regraft_save_options), intent(in), optional :: options
      type(regraft_save_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_store_open(store, archive, place, context, report) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      character(kind=c_char), intent(in), optional :: archive(*)
      type(c_funptr), value :: place
      type(c_ptr), value :: context
      type(regraft_open_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_store_refused(store, index) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      integer(c_int64_t), value :: index
      type(c_ptr) :: answer
    end function

    function regraft_store_num_blocks(store) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      integer(c_int64_t) :: answer
    end function

    function regraft_store_version(store) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      integer(c_int64_t) :: answer
    end function

    function regraft_store_bytes_held(store) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      integer(c_int64_t) :: answer
    end function

    function regraft_store_size(store, blocks, size) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      type(regraft_range), value :: blocks
      integer(c_int64_t), intent(inout), optional :: size
      integer(c_int) :: answer
    end function

    function regraft_store_held(store, blocks, bytes, size) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      type(regraft_range), value :: blocks
      type(c_ptr), intent(inout), optional :: bytes
      integer(c_int64_t), intent(inout), optional :: size
      integer(c_int) :: answer
    end function

    function regraft_store_lost(store, ranges, count) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      type(c_ptr), intent(inout), optional :: ranges
      integer(c_int64_t), intent(inout), optional :: count
      integer(c_int) :: answer
    end function

    function regraft_store_regained(store, ranges, count) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      type(c_ptr), intent(inout), optional :: ranges
      integer(c_int64_t), intent(inout), optional :: count
      integer(c_int) :: answer
    end function

    function regraft_store_trim(store) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      integer(c_int) :: answer
    end function

    function regraft_checkpoint_create(comm, checkpoint) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      type(c_ptr), intent(inout), optional :: checkpoint
      integer(c_int) :: answer
    end function

    subroutine regraft_checkpoint_free(checkpoint) bind(c)
      import
      type(c_ptr), value :: checkpoint
    end subroutine

    function regraft_checkpoint_commit(checkpoint, share, size) bind(c) result(answer)
      import
      type(c_ptr), value :: checkpoint
      type(*), intent(in), optional :: share(*)
      integer(c_int64_t), value :: size
      integer(c_int) :: answer
    end function

    function regraft_checkpoint_commit_identical(checkpoint, state, size) bind(c) result(answer)
      import
      type(c_ptr), value :: checkpoint
      type(*), intent(in), optional :: state(*)
      integer(c_int64_t), value :: size
      integer(c_int) :: answer
    end function

    function regraft_checkpoint_generation(checkpoint) bind(c) result(answer)
      import
      type(c_ptr), value :: checkpoint
      integer(c_int64_t) :: answer
    end function

    function regraft_checkpoint_num_shares(checkpoint) bind(c) result(answer)
      import
      type(c_ptr), value :: checkpoint
      integer(c_int64_t) :: answer
    end function

    function regraft_checkpoint_share(checkpoint, index, pe, bytes, size) bind(c) result(answer)
      import
      type(c_ptr), value :: checkpoint
      integer(c_int64_t), value :: index
      integer(c_int32_t), intent(inout), optional :: pe
      type(c_ptr), intent(inout), optional :: bytes
      integer(c_int64_t), intent(inout), optional :: size
      integer(c_int) :: answer
    end function

    function regraft_snapshot_create(comm, options, snapshot) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      type(regraft_snapshot_options), intent(in), optional :: options
      type(c_ptr), intent(inout), optional :: snapshot
      integer(c_int) :: answer
    end function

    subroutine regraft_snapshot_free(snapshot) bind(c)
      import
      type(c_ptr), value :: snapshot
    end subroutine

    function regraft_snapshot_add(snapshot, name, data, size) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      character(kind=c_char), intent(in), optional :: name(*)
      type(*), intent(inout), optional :: data(*)
      integer(c_int64_t), value :: size
      integer(c_int) :: answer
    end function

    function regraft_snapshot_add_entity(snapshot, name, entity) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      character(kind=c_char), intent(in), optional :: name(*)
      type(regraft_entity), intent(in), optional :: entity
      integer(c_int) :: answer
    end function

    function regraft_snapshot_add_common(snapshot, name, data, size) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      character(kind=c_char), intent(in), optional :: name(*)
      type(*), intent(inout), optional :: data(*)
      integer(c_int64_t), value :: size
      integer(c_int) :: answer
    end function

    function regraft_snapshot_remove(snapshot, name) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      character(kind=c_char), intent(in), optional :: name(*)
      integer(c_int) :: answer
    end function

    function regraft_snapshot_has(snapshot, name) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      character(kind=c_char), intent(in), optional :: name(*)
      logical(c_bool) :: answer
    end function

    function regraft_snapshot_changed(snapshot, name, first_byte, bytes) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      character(kind=c_char), intent(in), optional :: name(*)
      integer(c_int64_t), value :: first_byte
      integer(c_int64_t), value :: bytes
      integer(c_int) :: answer
    end function

    function regraft_snapshot_commit(snapshot, report) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      type(regraft_commit_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_snapshot_due(snapshot) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      logical(c_bool) :: answer
    end function

    function regraft_snapshot_restore(snapshot, options, report) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      type(regraft_restore_options), intent(in), optional :: options
      type(regraft_restore_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_snapshot_save(snapshot, archive, options, report) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      character(kind=c_char), intent(in), optional :: archive(*)
      type(regraft_save_options), intent(in), optional :: options
      type(regraft_save_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_snapshot_start_save(snapshot, archive, options, saving) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      character(kind=c_char), intent(in), optional :: archive(*)
      type(regraft_save_options), intent(in), optional :: options
      type(c_ptr), intent(inout), optional :: saving
      integer(c_int) :: answer
    end function

    function regraft_saving_is_written(saving) bind(c) result(answer)
      import
      type(c_ptr), value :: saving
      logical(c_bool) :: answer
    end function

    function regraft_saving_wait(saving, report) bind(c) result(answer)
      import
      type(c_ptr), value :: saving
      type(regraft_save_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    subroutine regraft_saving_free(saving) bind(c)
      import
      type(c_ptr), value :: saving
    end subroutine

    function regraft_snapshot_open(snapshot, archive, options, report) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      character(kind=c_char), intent(in), optional :: archive(*)
      type(regraft_restore_options), intent(in), optional :: options
      type(regraft_open_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_snapshot_refused(snapshot, index) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      integer(c_int64_t), value :: index
      type(c_ptr) :: answer
    end function

    function regraft_snapshot_generation(snapshot) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      integer(c_int64_t) :: answer
    end function

    function regraft_snapshot_oldest(snapshot) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      integer(c_int64_t) :: answer
    end function

    function regraft_snapshot_num_committed(snapshot) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      integer(c_int64_t) :: answer
    end function

    function regraft_snapshot_committed(snapshot, index, entity) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      integer(c_int64_t), value :: index
      type(regraft_committed), intent(inout), optional :: entity
      integer(c_int) :: answer
    end function

    function regraft_snapshot_adopted(snapshot, index, adoption) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      integer(c_int64_t), value :: index
      type(regraft_adoption), intent(inout), optional :: adoption
      integer(c_int) :: answer
    end function

    function regraft_snapshot_lost(snapshot, index) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      integer(c_int64_t), value :: index
      type(c_ptr) :: answer
    end function

    function regraft_snapshot_removed(snapshot, index) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      integer(c_int64_t), value :: index
      type(c_ptr) :: answer
    end function

    function regraft_snapshot_bytes_held(snapshot) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      integer(c_int64_t) :: answer
    end function

    function regraft_snapshot_trim(snapshot) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      integer(c_int) :: answer
    end function

    function regraft_store_reopen(store, options, report) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      type(regraft_reopen_options), intent(in), optional :: options
      type(regraft_reopen_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_store_set_attributes(store, bytes, size) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      type(*), intent(in), optional :: bytes(*)
      integer(c_int64_t), value :: size
      integer(c_int) :: answer
    end function

    function regraft_store_discard(store) bind(c) result(answer)
      import
      type(c_ptr), value :: store
      integer(c_int) :: answer
    end function

    function regraft_snapshot_reopen(snapshot, options, report) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      type(regraft_restore_options), intent(in), optional :: options
      type(regraft_open_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_snapshot_discard(snapshot) bind(c) result(answer)
      import
      type(c_ptr), value :: snapshot
      integer(c_int) :: answer
    end function

    function regraft_files_create(comm, options, files) bind(c) result(answer)
      import
      type(c_ptr), value :: comm
      type(regraft_files_options), intent(in), optional :: options
      type(c_ptr), intent(inout), optional :: files
      integer(c_int) :: answer
    end function

    subroutine regraft_files_free(files) bind(c)
      import
      type(c_ptr), value :: files
    end subroutine

    function regraft_files_route(files, name, path) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      character(kind=c_char), intent(in), optional :: name(*)
      type(c_ptr), intent(inout), optional :: path
      integer(c_int) :: answer
    end function

    function regraft_files_remove(files, name) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      character(kind=c_char), intent(in), optional :: name(*)
      integer(c_int) :: answer
    end function

    function regraft_files_has(files, name) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      character(kind=c_char), intent(in), optional :: name(*)
      logical(c_bool) :: answer
    end function

    function regraft_files_count(files) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      integer(c_int64_t) :: answer
    end function

    function regraft_files_name(files, index) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      integer(c_int64_t), value :: index
      type(c_ptr) :: answer
    end function

    function regraft_files_commit(files, report) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      type(regraft_files_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_files_due(files) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      logical(c_bool) :: answer
    end function

    function regraft_files_restore(files, options, report) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      type(regraft_restore_options), intent(in), optional :: options
      type(regraft_restore_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_files_resume(files, report) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      type(regraft_open_report), intent(inout), optional :: report
      integer(c_int) :: answer
    end function

    function regraft_files_flush(files) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      integer(c_int) :: answer
    end function

    function regraft_files_discard(files) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      integer(c_int) :: answer
    end function

    function regraft_files_generation(files) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      integer(c_int64_t) :: answer
    end function

    function regraft_files_lost(files, index) bind(c) result(answer)
      import
      type(c_ptr), value :: files
      integer(c_int64_t), value :: index
      type(c_ptr) :: answer
    end function

  end interface

contains

  !> What the last call that did not return regraft_ok says of it.
  function regraft_message() result(text)
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: length
    call c_f_pointer(regraft_error_message(), letters, [huge(1)])
    length = 0
    do while (letters(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate (character(length) :: text)
    text = transfer(letters(1:length), text)
  end function
end module
