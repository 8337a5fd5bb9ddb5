/* Sums that do not depend on the order. A part of regraft.h. */
#pragma once

#include "regraft/c/numbers.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

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
/* Frees all sums of the array; NULL is accepted. */
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

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
