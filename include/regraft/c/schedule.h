/* Schedule: which PE sends what in which round. A part of regraft.h. */
#pragma once

#include "regraft/c/numbers.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

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

/* What a plan costs, and bounds for it. */
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

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
