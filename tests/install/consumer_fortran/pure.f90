! A program of another project, in Fortran, on libregraft: senders for four blocks, and the message on a wrong graph.
program pure
  use regraft
  implicit none
  integer(c_int64_t), target :: offsets(5) = [0, 2, 4, 5, 7]
  integer(c_int32_t), target :: neighbours(7) = [0, 1, 0, 1, 0, 0, 2]
  integer(c_int32_t) :: right_of(4)
  type(regraft_graph) :: graph
  type(regraft_matching) :: matching
  graph = regraft_graph(4, 3, c_loc(offsets), c_loc(neighbours))
  if (regraft_matching_min_b(graph, right_of, result=matching) /= regraft_ok) error stop 'a matching was expected'
  if (maxval([count(right_of == 0), count(right_of == 1), count(right_of == 2)]) /= matching%b) error stop 'b is wrong'
  print '(i0, a)', matching%b, ' of 4 blocks by the busiest'
  graph%num_right = 2
  if (regraft_matching_min_b(graph, right_of) /= regraft_error_argument) error stop 'a refusal was expected'
  if (index(regraft_message(), 'below num_right') == 0) error stop 'the message is not what was expected'
end program
