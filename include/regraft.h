/* regraft for programs in C: the part that needs no MPI. regraft_mpi.h has the rest; docs/c.md shows how both are used.
 *
 * Every function that can fail returns a regraft_status. It has written its results only if that status is REGRAFT_OK,
 * unless its comment says otherwise. No exception leaves a function. Arguments are checked before anything is done:
 * null handles, null arrays with a count, ranges beyond the end and the like are answered by REGRAFT_ERROR_ARGUMENT.
 *
 * The caller owns all arrays. The comment gives the length of an array in [brackets]; the pointer may be NULL if the
 * length is 0. One function makes a handle and another frees it; the latter accepts NULL. Ranges are half-open. A PE
 * has the number that was its rank at the start of the job, and is never renumbered. Results are the same on every PE
 * and machine, for any number of threads. A handle is used by one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The version of this header; regraft_version() returns that of the library. */
#define REGRAFT_VERSION_MAJOR 0
#define REGRAFT_VERSION_MINOR 1
#define REGRAFT_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library, as "MAJOR.MINOR.PATCH". */
char const* regraft_version(void);

/* --- errors --- */

/* One of the values below, or a number of the caller's own that is at least REGRAFT_UNIFORM (regraft_resilient). */
typedef int regraft_status;
enum {
    REGRAFT_OK = 0,
    REGRAFT_ERROR_ARGUMENT = 1, /* a contract of the function was broken: a bug of the caller */
    REGRAFT_ERROR_INPUT = 2,    /* input from outside is bad: "what is wrong, and what was expected" */
    REGRAFT_ERROR_MPI = 3,      /* MPI returned an error other than a death; not survivable */
    REGRAFT_NO_MEMORY = 4,
    REGRAFT_ERROR_INTERNAL = 5,  /* any other exception */
    REGRAFT_PROCESS_FAILURE = 6, /* a member died: the body of regraft_resilient passes it on */
    REGRAFT_DEPARTED = 7,        /* MPIs without ULFM: this PE's death is simulated; free all, MPI_Finalize, leave */
    REGRAFT_DATA_LOST = 8,       /* no living PE holds some wanted blocks; the same on all members */
    REGRAFT_DIVERGENCE = 9,      /* members that must compute the same did not; the same on all members */
    REGRAFT_DAMAGED = 10,        /* blocks arrived different from what was sent, repeatedly; the same on all members */
    REGRAFT_DUPLICATE = 11,      /* two entities of a snapshot have one name; the same on all members */
    REGRAFT_DISK = 12,           /* an archive cannot be written, or holds nothing readable; the same on all members */
    REGRAFT_UNIFORM = 100        /* numbers from here on are the caller's; all members return the same */
};

/* One line about the last call on this thread that did not return REGRAFT_OK; "" if there was none. Valid until the
 * next such call. */
char const* regraft_error_message(void);

/* --- ranges, hashes, random numbers --- */

/* The numbers first, ..., last - 1. The range is empty if both are equal; first > last is not a range. */
typedef struct regraft_range {
    uint64_t first;
    uint64_t last;
} regraft_range;

/* Stands for "none" in place of a vertex, PE or round. */
#define REGRAFT_NONE UINT32_MAX
/* Stands in place of a seed for "not shuffled": things stay in the order of their numbers. */
#define REGRAFT_NO_SEED UINT64_MAX

/* Part `index` of `parts` when count things are dealt in order and as evenly as possible. Empty unless index <
 * parts. */
regraft_range regraft_even_part(uint64_t count, uint64_t index, uint64_t parts);

/* A 64-bit hash (XXH3) of bytes[size]; the hash of no bytes if bytes is NULL. */
uint64_t regraft_hash(void const* bytes, uint64_t size);

/* Mixes a number into a well-distributed one (SplitMix64). Different numbers have different results. */
uint64_t regraft_mix(uint64_t x);

/* State of a random number generator (xoshiro256**): a seed gives the same numbers on every platform. The functions
 * below return 0 if random is NULL. */
typedef struct regraft_random {
    uint64_t state[4];
} regraft_random;

void regraft_random_seed(regraft_random* random, uint64_t seed);
/* A uniform number in [0, 1) with 53 random bits. */
double regraft_random_unit(regraft_random* random);
/* A uniform number in [0, n), without bias; 0 if n is 0. */
uint64_t regraft_random_below(regraft_random* random, uint64_t n);

/* --- sums that do not depend on the order --- */

/* Sums of doubles: any order, any grouping and any number of ranks gives the same bits. regraft_sums_all_reduce adds
 * the sums of all ranks. */
typedef struct regraft_sums regraft_sums;

/* Makes count sums without rounding, all 0. Each takes 600 bytes. */
regraft_status regraft_sums_create(uint64_t count, regraft_sums** sums);
/* Makes count sums of values whose absolute value is at most bound, a power of two. They are faster to add than exact
 * ones, and 24 bytes per sum travel between ranks. Each value is rounded to a grid that depends on bound and
 * most_values alone: steps of 2^-84 of bound for fewer than 2^20 values. Larger values are added without rounding. The
 * caller adds at most most_values values (below 2^50) to a sum, on all ranks together. bound and most_values are the
 * same on all ranks. */
regraft_status regraft_sums_create_scaled(uint64_t count, double bound, uint64_t most_values, regraft_sums** sums);
void regraft_sums_free(regraft_sums* sums);
/* Adds all of values[count] to sum `index`. */
regraft_status regraft_sums_add(regraft_sums* sums, uint64_t index, double const* values, uint64_t count);
/* Adds values[i] of values[count] to sum first + i. */
regraft_status regraft_sums_add_each(regraft_sums* sums, uint64_t first, double const* values, uint64_t count);
/* Writes the sums first, ..., first + count - 1 to values[count], each rounded once. Infinities and NaNs follow the
 * rules of IEEE addition. */
regraft_status regraft_sums_values(regraft_sums const* sums, uint64_t first, double* values, uint64_t count);
/* Sets all sums to 0. */
regraft_status regraft_sums_clear(regraft_sums* sums);

/* --- matching: give each left vertex (block) to one of its neighbours (PEs that hold it), to none of them too many
 * --- */

/* Left vertex x has the neighbours neighbours[offsets[x]], ..., neighbours[offsets[x + 1] - 1], below num_right. */
typedef struct regraft_graph {
    uint64_t num_left; /* below 2^32 - 1 */
    uint32_t num_right;
    uint64_t const* offsets;    /* [num_left + 1], ascending from 0 */
    uint32_t const* neighbours; /* [offsets[num_left]] */
} regraft_graph;

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

/* --- schedule: which PE sends what in which round --- */

/* Request i: PE receivers[i] wants a block that the PEs holders[offsets[i]], ..., holders[offsets[i + 1] - 1] hold. */
typedef struct regraft_requests {
    uint64_t count;            /* at most 2^30 */
    uint32_t const* receivers; /* [count] */
    uint64_t const* offsets;   /* [count + 1], ascending from 0 */
    uint32_t const* holders;   /* [offsets[count]] */
    uint64_t const* bytes;     /* [count] sizes with a sum below 2^63; NULL: all blocks have one size */
} regraft_requests;

enum {
    REGRAFT_PER_BLOCK = 0, /* a message is one block: as few rounds as any plan can have */
    REGRAFT_BUNDLED = 1    /* a message is everything that one PE has for another */
};

typedef struct regraft_schedule {
    uint64_t b;              /* the largest number of blocks that one PE sends */
    uint64_t num_rounds;     /* the largest number of messages that one PE sends or receives; 0 from
                              * regraft_schedule_senders */
    uint64_t num_local;      /* number of requests of PEs that hold the block */
    uint64_t num_lost;       /* number of requests for blocks that no PE holds */
    uint64_t most_bytes;     /* with bytes: the largest number of bytes that one PE sends */
    uint64_t most_bytes_min; /* with bytes: lower bound for most_bytes for any choice of senders */
} regraft_schedule;

/* Chooses a sender for each request, as evenly as possible by blocks or bytes, and writes it to sender_of[count]. A PE
 * that holds the block it wants is its own sender; the sender is REGRAFT_NONE if no PE holds the block. result may be
 * NULL. Complexity as of the matching. */
regraft_status regraft_schedule_senders(regraft_requests const* requests, uint32_t* sender_of,
                                        regraft_schedule* result);
/* Chooses a sender and a round for each request: 0 <= round_of[i] < num_rounds, or REGRAFT_NONE if nothing is sent. In
 * a round a PE sends at most one message and receives at most one. messages is REGRAFT_PER_BLOCK or REGRAFT_BUNDLED.
 * O(requests log requests). */
regraft_status regraft_schedule_rounds(regraft_requests const* requests, int messages, uint32_t* sender_of,
                                       uint32_t* round_of, regraft_schedule* result);

/* --- placement: which of the PEs that submit keep a copy of which block --- */

/* A rule that says which slots hold a block; every PE evaluates it alone. Slot i is the i-th of the PEs that submit.
 * Takes O(1) memory, except by nodes. */
typedef struct regraft_placement regraft_placement;

/* Every slot keeps its own even part and those of replicas - 1 partners; two copies are half the machine apart. 1 <=
 * replicas <= num_slots, here and below. */
regraft_status regraft_placement_pairwise(uint64_t num_blocks, uint32_t num_slots, uint32_t replicas,
                                          regraft_placement** placement);
/* Ranges of range_blocks blocks (0: about 64 ranges per slot) are put in an order drawn by seed and dealt to the slots.
 * When a PE dies, many others hold parts of what it worked on. With REGRAFT_NO_SEED the ranges stay in their order. */
regraft_status regraft_placement_permuted(uint64_t num_blocks, uint32_t num_slots, uint32_t replicas,
                                          uint64_t range_blocks, uint64_t seed, regraft_placement** placement);
/* Slots are divided into floor(num_slots / replicas) groups; a group has the slots with equal numbers modulo the number
 * of groups (with a seed: in a random order). Each group holds an even part of the blocks. No placement has fewer sets
 * of deaths that lose data. */
regraft_status regraft_placement_mod_k(uint64_t num_blocks, uint32_t num_slots, uint32_t replicas, uint64_t seed,
                                       regraft_placement** placement);
/* Copies are on as many different nodes as there are. node_of[num_slots] has any ids (regraft_node_ids); range_blocks
 * and seed as above. */
regraft_status regraft_placement_node_aware(uint64_t num_blocks, uint32_t const* node_of, uint32_t num_slots,
                                            uint32_t replicas, uint64_t range_blocks, uint64_t seed,
                                            regraft_placement** placement);
void regraft_placement_free(regraft_placement* placement);
/* Writes the number of slots that hold the block to *count and the first `capacity` of these slots to
 * slots[capacity]. */
regraft_status regraft_placement_holders(regraft_placement const* placement, uint64_t block, uint32_t* slots,
                                         uint64_t capacity, uint64_t* count);
/* Writes the number of ascending disjoint ranges that a slot holds to *count and the first `capacity` of them to
 * ranges[capacity]. */
regraft_status regraft_placement_held(regraft_placement const* placement, uint32_t slot, regraft_range* ranges,
                                      uint64_t capacity, uint64_t* count);

/* --- assignment: which PE computes on which sites --- */

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
