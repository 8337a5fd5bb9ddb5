/* regraft for programs in C: what needs no MPI. regraft_mpi.h has the rest, docs/c.md shows how both are used.
 *
 * Every function that can fail returns a regraft_status, and what it writes it has written only if that is REGRAFT_OK,
 * unless its comment says otherwise. No exception leaves a function, and arguments are looked at before anything is
 * done: null handles, null arrays with a count, ranges beyond the end and the like are REGRAFT_ERROR_ARGUMENT.
 *
 * Arrays are the caller's: a pointer, whose length the comment says in [brackets], may be NULL if that is 0. Handles
 * are made by one function and given back by another, which takes NULL as well. Ranges are half-open. PEs are numbered
 * as the ranks at the start of the job, and never renumbered. Results are the same on every PE and machine, for any
 * number of threads. A handle is used by one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Of this header; regraft_version() is the library's. */
#define REGRAFT_VERSION_MAJOR 0
#define REGRAFT_VERSION_MINOR 1
#define REGRAFT_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* "MAJOR.MINOR.PATCH" */
char const* regraft_version(void);

/* --- errors --- */

/* One of those below, or a number of the caller's own from REGRAFT_UNIFORM on (regraft_resilient). */
typedef int regraft_status;
enum {
    REGRAFT_OK = 0,
    REGRAFT_ERROR_ARGUMENT = 1, /* a contract of the function was broken: a bug of the caller */
    REGRAFT_ERROR_INPUT = 2,    /* bad input from outside: "what is wrong, and what was expected" */
    REGRAFT_ERROR_MPI = 3,      /* MPI returned an error that is no death; not survivable */
    REGRAFT_NO_MEMORY = 4,
    REGRAFT_ERROR_INTERNAL = 5,  /* any other exception */
    REGRAFT_PROCESS_FAILURE = 6, /* a member died: the body of regraft_resilient passes it on */
    REGRAFT_DEPARTED = 7,        /* MPIs without ULFM: this PE's death is simulated; free all, MPI_Finalize, leave */
    REGRAFT_DATA_LOST = 8,       /* wanted blocks that nobody alive holds; the same on all members */
    REGRAFT_DIVERGENCE = 9,      /* members that must compute alike did not; the same on all members */
    REGRAFT_DAMAGED = 10,   /* blocks arrived other than they were sent, again and again; the same on all members */
    REGRAFT_DUPLICATE = 11, /* two entities of a snapshot have one name; the same on all members */
    REGRAFT_DISK = 12,      /* an archive cannot be written, or has nothing to read; the same on all members */
    REGRAFT_UNIFORM = 100   /* from here on the caller's, returned by all members alike */
};

/* What the last call on this thread that did not return REGRAFT_OK says of it, in one line; "" if there was none. Valid
 * until the next such call. */
char const* regraft_error_message(void);

/* --- ranges, hashes, random numbers --- */

/* first, ..., last - 1. Empty if they are equal; first > last is no range. */
typedef struct regraft_range {
    uint64_t first;
    uint64_t last;
} regraft_range;

/* In place of a vertex, PE or round: there is none. */
#define REGRAFT_NONE UINT32_MAX
/* In place of a seed: as they are numbered, not shuffled. */
#define REGRAFT_NO_SEED UINT64_MAX

/* Part `index` of `parts` if count things are dealt in order and as evenly as possible. Empty unless index < parts. */
regraft_range regraft_even_part(uint64_t count, uint64_t index, uint64_t parts);

/* A 64-bit hash (XXH3) of bytes[size]; of none if bytes is NULL. */
uint64_t regraft_hash(void const* bytes, uint64_t size);

/* Mixes a number into a well-distributed one (SplitMix64); different ones into different ones. */
uint64_t regraft_mix(uint64_t x);

/* Random numbers, the same of a seed on every platform (xoshiro256**). Of NULL all are 0. */
typedef struct regraft_random {
    uint64_t state[4];
} regraft_random;

void regraft_random_seed(regraft_random* random, uint64_t seed);
/* Uniform in [0, 1), 53 bits. */
double regraft_random_unit(regraft_random* random);
/* Uniform in [0, n), without bias; 0 if n is 0. */
uint64_t regraft_random_below(regraft_random* random, uint64_t n);

/* --- sums that do not depend on the order --- */

/* Sums of doubles without rounding: any order and grouping, any number of ranks gives the same bits (600 bytes each).
 * regraft_sums_all_reduce adds them over ranks. */
typedef struct regraft_sums regraft_sums;

/* count sums, all 0. */
regraft_status regraft_sums_create(uint64_t count, regraft_sums** sums);
/* The same for values whose absolute value is at most bound, a power of two: faster to add, and 24 bytes per sum travel
 * in place of 600. Each value is rounded to a grid that depends on bound and most_values alone (steps of 2^-84 of bound
 * for up to 2^20 values), so order and grouping do not matter here either. Larger values are added exactly. A caller adds
 * at most most_values values (below 2^50) to one sum, on all ranks together, and gives the same bound and most_values on
 * all ranks. */
regraft_status regraft_sums_create_scaled(uint64_t count, double bound, uint64_t most_values, regraft_sums** sums);
void regraft_sums_free(regraft_sums* sums);
/* Adds all of values[count] to sum `index`. */
regraft_status regraft_sums_add(regraft_sums* sums, uint64_t index, double const* values, uint64_t count);
/* Adds values[i] of values[count] to sum first + i. */
regraft_status regraft_sums_add_each(regraft_sums* sums, uint64_t first, double const* values, uint64_t count);
/* The sums first, ..., first + count - 1, each rounded once, to values[count]. Infinities, NaNs as IEEE adds them. */
regraft_status regraft_sums_values(regraft_sums const* sums, uint64_t first, double* values, uint64_t count);
/* All are 0 again. */
regraft_status regraft_sums_clear(regraft_sums* sums);

/* --- matching: give each left vertex (block) to one of its neighbours (PEs that hold it), none too many --- */

/* Left vertex x has the neighbours neighbours[offsets[x]], ..., neighbours[offsets[x + 1] - 1], below num_right. */
typedef struct regraft_graph {
    uint64_t num_left; /* below 2^32 - 1 */
    uint32_t num_right;
    uint64_t const* offsets;    /* [num_left + 1], ascending from 0 */
    uint32_t const* neighbours; /* [offsets[num_left]] */
} regraft_graph;

typedef struct regraft_matching {
    uint64_t b;            /* the most (left vertices, weight, units) that one right vertex gets */
    uint64_t lower_bound;  /* ceil(all / right vertices with a neighbour); weighted: no matching has a smaller b */
    uint64_t num_isolated; /* left vertices (with units) that have no neighbour */
    uint64_t hall_size;    /* how many right vertices hall_set lists */
} regraft_matching;

/* The smallest b there is. right_of[num_left]: the right vertex of each left one, REGRAFT_NONE if it has no neighbour.
 * hall_set[num_right], or NULL: ascending right vertices that prove b, more than (b - 1) * hall_size left vertices have
 * neighbours only among them. result may be NULL. Mostly O(edges). */
regraft_status regraft_matching_min_b(regraft_graph const* graph, uint32_t* right_of, uint32_t* hall_set,
                                      regraft_matching* result);
/* The same for left vertices of weight[num_left], together below 2^63. b is at most lower_bound and the largest weight
 * together; the smallest is NP-hard to find. hall_set proves lower_bound, unless that is the largest weight. */
regraft_status regraft_matching_min_b_weighted(regraft_graph const* graph, uint64_t const* weight, uint32_t* right_of,
                                               uint32_t* hall_set, regraft_matching* result);
/* Left vertex x is units[x] equal units, together below 2^63, that may be divided: share[edges] says, like neighbours,
 * how many each neighbour gets. The smallest b there is. */
regraft_status regraft_matching_min_b_shares(regraft_graph const* graph, uint64_t const* units, uint64_t* share,
                                             uint32_t* hall_set, regraft_matching* result);
/* As many left vertices as possible, at most capacity[v] at right vertex v; capacity[num_right]. The others are
 * REGRAFT_NONE in right_of. num_matched may be NULL. */
regraft_status regraft_matching_max_b(regraft_graph const* graph, uint32_t const* capacity, uint32_t* right_of,
                                      uint64_t* num_matched);

/* --- schedule: who sends what in which round --- */

/* Request i: PE receivers[i] wants a block that the PEs holders[offsets[i]], ..., holders[offsets[i + 1] - 1] hold. */
typedef struct regraft_requests {
    uint64_t count;            /* at most 2^30 */
    uint32_t const* receivers; /* [count] */
    uint64_t const* offsets;   /* [count + 1], ascending from 0 */
    uint32_t const* holders;   /* [offsets[count]] */
    uint64_t const* bytes;     /* [count] sizes, together below 2^63; NULL: all the same */
} regraft_requests;

enum {
    REGRAFT_PER_BLOCK = 0, /* a message is one block: as few rounds as any plan can have */
    REGRAFT_BUNDLED = 1    /* a message is all that one PE has for another */
};

typedef struct regraft_schedule {
    uint64_t b;              /* the most blocks that one PE sends */
    uint64_t num_rounds;     /* the most messages that one PE sends or receives; 0 from regraft_schedule_senders */
    uint64_t num_local;      /* requests of PEs that hold the block */
    uint64_t num_lost;       /* requests for blocks that nobody holds */
    uint64_t most_bytes;     /* with bytes: the most that one PE sends, */
    uint64_t most_bytes_min; /* and what no choice of senders can fall below */
} regraft_schedule;

/* Who sends, as evenly as possible, by blocks or bytes: sender_of[count]. Who holds the block is its own sender;
 * REGRAFT_NONE if nobody holds it. result may be NULL. Complexity as of the matching. */
regraft_status regraft_schedule_senders(regraft_requests const* requests, uint32_t* sender_of,
                                        regraft_schedule* result);
/* And in which round, 0 <= round_of[i] < num_rounds, REGRAFT_NONE if nothing is sent: in a round a PE sends at most one
 * message and receives at most one. messages: REGRAFT_PER_BLOCK or REGRAFT_BUNDLED. O(requests log requests). */
regraft_status regraft_schedule_rounds(regraft_requests const* requests, int messages, uint32_t* sender_of,
                                       uint32_t* round_of, regraft_schedule* result);

/* --- placement: which of the PEs that submit keep a copy of which block --- */

/* A rule that every PE evaluates alone. Slot i is the i-th of those who submit. Takes O(1) memory but by nodes. */
typedef struct regraft_placement regraft_placement;

/* Every slot keeps its own even part and those of replicas - 1 partners; two copies are half the machine apart.
 * 1 <= replicas <= num_slots, here and below. */
regraft_status regraft_placement_pairwise(uint64_t num_blocks, uint32_t num_slots, uint32_t replicas,
                                          regraft_placement** placement);
/* Ranges of range_blocks blocks (0: about 64 per slot) in an order drawn by seed, dealt to the slots: when a PE dies,
 * many others have parts of what it worked on. REGRAFT_NO_SEED: in their order. */
regraft_status regraft_placement_permuted(uint64_t num_blocks, uint32_t num_slots, uint32_t replicas,
                                          uint64_t range_blocks, uint64_t seed, regraft_placement** placement);
/* floor(num_slots / replicas) groups of slots with equal numbers modulo that many (of a random order, with a seed),
 * each with an even part of the blocks: the fewest sets of deaths that lose data. */
regraft_status regraft_placement_mod_k(uint64_t num_blocks, uint32_t num_slots, uint32_t replicas, uint64_t seed,
                                       regraft_placement** placement);
/* Copies on as many different nodes as there are, node_of[num_slots] being any ids (regraft_node_ids); range_blocks and
 * seed as above. */
regraft_status regraft_placement_node_aware(uint64_t num_blocks, uint32_t const* node_of, uint32_t num_slots,
                                            uint32_t replicas, uint64_t range_blocks, uint64_t seed,
                                            regraft_placement** placement);
void regraft_placement_free(regraft_placement* placement);
/* How many slots hold the block, to *count, and the first `capacity` of them to slots[capacity]. */
regraft_status regraft_placement_holders(regraft_placement const* placement, uint64_t block, uint32_t* slots,
                                         uint64_t capacity, uint64_t* count);
/* What a slot holds, as ascending disjoint ranges: how many to *count, the first `capacity` to ranges[capacity]. */
regraft_status regraft_placement_held(regraft_placement const* placement, uint32_t slot, regraft_range* ranges,
                                      uint64_t capacity, uint64_t* count);

/* --- assignment: who computes on what --- */

/* Sites (things to compute on, such as blocks) dealt to PEs, in partitions of sites that have something in common. */
typedef struct regraft_assignment regraft_assignment;

/* Partition q is the sites partition_begin[q], ..., partition_begin[q + 1] - 1; partition_begin[num_partitions + 1]
 * ascends. Every PE gets the same number of sites, or of cost_per_site[num_partitions], each positive, together below
 * 2^63, if that is not NULL. O(partitions log partitions + num_pes). */
regraft_status regraft_assignment_balance(uint64_t const* partition_begin, uint64_t num_partitions,
                                          uint64_t const* cost_per_site, uint32_t num_pes,
                                          regraft_assignment** assignment);
void regraft_assignment_free(regraft_assignment* assignment);
/* Deals the sites of all but survivors[num_survivors], which ascend and are not none, to these; they keep theirs. The
 * same on all who give the same; on failure the assignment is as before. */
regraft_status regraft_assignment_reassign(regraft_assignment* assignment, uint32_t const* survivors,
                                           uint64_t num_survivors);
/* The pieces of pe, ascending by site, none empty: how many to *count, where they are to *sites and, unless that is
 * NULL, their partitions to *partitions. Valid until the next reassignment. */
regraft_status regraft_assignment_pieces(regraft_assignment const* assignment, uint32_t pe, regraft_range const** sites,
                                         uint32_t const** partitions, uint64_t* count);
/* The same of what the last reassignment gave to pe: what it has to load. */
regraft_status regraft_assignment_gained(regraft_assignment const* assignment, uint32_t pe, regraft_range const** sites,
                                         uint32_t const** partitions, uint64_t* count);

#ifdef __cplusplus
}
#endif
