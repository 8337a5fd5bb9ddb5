/* Small state that changes often. A part of regraft_mpi.h. */
#pragma once

#include "regraft/c/communicator.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* State that every member keeps and that is replaced on all of them or on none. */
typedef struct regraft_checkpoint regraft_checkpoint;

/* Makes a checkpoint without a commit. The communicator may be freed before it. Not collective. */
regraft_status regraft_checkpoint_create(regraft_communicator* comm, regraft_checkpoint** checkpoint);
/* Frees the checkpoint with its shares; NULL is accepted. Not collective. */
void regraft_checkpoint_free(regraft_checkpoint* checkpoint);
/* Every member contributes share[size] and keeps all shares. On REGRAFT_PROCESS_FAILURE the last generation stays on
 * all members. Collective, uniform. */
regraft_status regraft_checkpoint_commit(regraft_checkpoint* checkpoint, void const* share, uint64_t size);
/* The same for state[size] that every member has computed alike: there is no exchange, and one share is kept. Returns
 * REGRAFT_DIVERGENCE if the states differ, as far as 15 bits of a hash tell. */
regraft_status regraft_checkpoint_commit_identical(regraft_checkpoint* checkpoint, void const* state, uint64_t size);
/* The number of commits that succeeded. */
uint64_t regraft_checkpoint_generation(regraft_checkpoint const* checkpoint);
/* The number of shares in the last commit; 0 before the first commit. */
uint64_t regraft_checkpoint_num_shares(regraft_checkpoint const* checkpoint);
/* Sets *pe to the PE of share `index` (unless pe is NULL; any PE for an identical state), *bytes to the share and *size
 * to its length in bytes. Valid until the next commit. */
regraft_status regraft_checkpoint_share(regraft_checkpoint const* checkpoint, uint64_t index, uint32_t* pe,
                                        void const** bytes, uint64_t* size);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
