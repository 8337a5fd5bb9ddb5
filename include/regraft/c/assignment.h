/* Assignment: which PE computes on which sites. A part of regraft.h. */
#pragma once

#include "regraft/c/numbers.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Sites (things to compute on, such as blocks) that are dealt to PEs. They are grouped in partitions of sites that have
 * something in common. */
typedef struct regraft_assignment regraft_assignment;

/* Deals the sites evenly. Partition q is the sites partition_begin[q], ..., partition_begin[q + 1] - 1;
 * partition_begin[num_partitions + 1] ascends. Every PE gets the same number of sites or, if cost_per_site is not NULL,
 * the same cost: cost_per_site[num_partitions] has positive costs, and all sites together cost less than 2^63.
 * O(partitions log partitions + num_pes). */
regraft_status regraft_assignment_balance(uint64_t const* partition_begin, uint64_t num_partitions,
                                          uint64_t const* cost_per_site, uint32_t num_pes,
                                          regraft_assignment** assignment);
/* Frees the assignment; the pieces that were read from it go with it. NULL is accepted. */
void regraft_assignment_free(regraft_assignment* assignment);
/* Deals the sites of the PEs that are not in survivors[num_survivors] to those that are; these keep theirs. survivors
 * ascends and is not empty. All PEs that pass the same arguments get the same result. On failure the assignment is as
 * before. */
regraft_status regraft_assignment_reassign(regraft_assignment* assignment, uint32_t const* survivors,
                                           uint64_t num_survivors);
/* Sets *sites to the pieces of pe, *count to their number and, unless partitions is NULL, *partitions to their
 * partitions. Pieces ascend by site, and none is empty. Valid until the next reassignment. */
regraft_status regraft_assignment_pieces(regraft_assignment const* assignment, uint32_t pe, regraft_range const** sites,
                                         uint32_t const** partitions, uint64_t* count);
/* The same for the pieces that the last reassignment gave to pe: it has to load these. */
regraft_status regraft_assignment_gained(regraft_assignment const* assignment, uint32_t pe, regraft_range const** sites,
                                         uint32_t const** partitions, uint64_t* count);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
