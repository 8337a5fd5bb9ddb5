/* Ranges, hashes, random numbers. A part of regraft.h. */
#pragma once

#include "regraft/c/errors.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The numbers first, ..., last - 1. The range is empty if both are equal; first > last is not a range. */
typedef struct regraft_range {
    uint64_t first; /* the first number of the range */
    uint64_t last;  /* one behind the last number */
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
    uint64_t state[4]; /* set by regraft_random_seed; not all 0 */
} regraft_random;

/* Starts the sequence that belongs to the seed. */
void regraft_random_seed(regraft_random* random, uint64_t seed);
/* A uniform number in [0, 1) with 53 random bits. */
double regraft_random_unit(regraft_random* random);
/* A uniform number in [0, n), without bias; 0 if n is 0. */
uint64_t regraft_random_below(regraft_random* random, uint64_t n);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
