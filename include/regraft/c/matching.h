/* Matching: give each left vertex (block) to one of its neighbours (PEs that hold it), to none of them too many. A part
 * of regraft.h. */
#pragma once

#include "regraft/c/numbers.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Left vertex x has the neighbours neighbours[offsets[x]], ..., neighbours[offsets[x + 1] - 1], below num_right. */
typedef struct regraft_graph {
    uint64_t num_left;          /* below 2^32 - 1 */
    uint32_t num_right;         /* below 2^32 - 1; right vertices are 0, ..., num_right - 1 */
    uint64_t const* offsets;    /* [num_left + 1], ascending from 0 */
    uint32_t const* neighbours; /* [offsets[num_left]] */
} regraft_graph;

/* What a matching has reached, and the bounds that prove it. */
typedef struct regraft_matching {
    uint64_t b;            /* the largest number of left vertices (or weight, or units) that one right vertex gets */
    uint64_t lower_bound;  /* ceil(all / right vertices with a neighbour); weighted: no matching has a smaller b */
    uint64_t num_isolated; /* number of left vertices (with units) that have no neighbour */
    uint64_t hall_size;    /* number of right vertices in hall_set */
} regraft_matching;

/* Finds the smallest possible b. right_of[num_left] gets the right vertex of each left one, or REGRAFT_NONE if that has
 * no neighbour. hall_set[num_right], or NULL, gets ascending right vertices that prove b: more than (b - 1) * hall_size
 * left vertices have neighbours only among them. result may be NULL. Mostly O(edges). */
regraft_status regraft_matching_min_b(regraft_graph const* graph, uint32_t* right_of, uint32_t* hall_set,
                                      regraft_matching* result);
/* The same for left vertices of weight[num_left], with a sum below 2^63. b is at most lower_bound plus the largest
 * weight; to find the smallest b is NP-hard. hall_set proves lower_bound, unless that is the largest weight. */
regraft_status regraft_matching_min_b_weighted(regraft_graph const* graph, uint64_t const* weight, uint32_t* right_of,
                                               uint32_t* hall_set, regraft_matching* result);
/* The same where left vertex x is units[x] equal units that may be divided; all units together are below 2^63.
 * share[edges], parallel to neighbours, gets the number of units that each neighbour gets. b is the smallest
 * possible. */
regraft_status regraft_matching_min_b_shares(regraft_graph const* graph, uint64_t const* units, uint64_t* share,
                                             uint32_t* hall_set, regraft_matching* result);
/* Matches as many left vertices as possible, at most capacity[v] to right vertex v; capacity[num_right]. The others get
 * REGRAFT_NONE in right_of. num_matched may be NULL. */
regraft_status regraft_matching_max_b(regraft_graph const* graph, uint32_t const* capacity, uint32_t* right_of,
                                      uint64_t* num_matched);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
