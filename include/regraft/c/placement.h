/* Placement: which of the PEs that submit keep a copy of which block. A part of regraft.h. */
#pragma once

#include "regraft/c/numbers.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

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
/* The same rule where it keeps the copies of a block on different nodes anyway, because every slot is on a node of its
 * own, and where nothing can, because all slots are on one node; otherwise as node_aware, with the blocks and replicas
 * of the rule. In either case the placement knows the nodes, so loads read from the same node where they can, and
 * repairs keep copies on different nodes. node_of[num_slots], with the num_slots of the rule. */
regraft_status regraft_placement_over_nodes(regraft_placement const* rule, uint32_t const* node_of, uint32_t num_slots,
                                            uint64_t range_blocks, uint64_t seed, regraft_placement** placement);
/* Frees the placement; a store that was submitted with it does not need it any more. NULL is accepted. */
void regraft_placement_free(regraft_placement* placement);
/* Writes the number of slots that hold the block to *count and the first `capacity` of these slots to
 * slots[capacity]. */
regraft_status regraft_placement_holders(regraft_placement const* placement, uint64_t block, uint32_t* slots,
                                         uint64_t capacity, uint64_t* count);
/* Writes the number of ascending disjoint ranges that a slot holds to *count and the first `capacity` of them to
 * ranges[capacity]. */
regraft_status regraft_placement_held(regraft_placement const* placement, uint32_t slot, regraft_range* ranges,
                                      uint64_t capacity, uint64_t* count);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
