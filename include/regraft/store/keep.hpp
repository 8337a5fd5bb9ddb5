// Blocks in files of a node's memory: if the whole job dies, the next one opens them again (docs/mpi/restart.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "regraft/core/ids.hpp"

#pragma GCC visibility push(default)
namespace regraft::store {

/// Where a store keeps its blocks. All members pass the same, except for folder and room.
struct Keep {
    /// A folder that belongs to this PE's node alone, such as /dev/shm. It exists. PEs of a node that pass the same
    /// path share it.
    std::filesystem::path folder;
    /// The name of the job, not empty. All jobs that shall go on from each other have the same one, and no other job
    /// has it.
    std::string job;
    /// The name of this store within the job, not empty; no other store of the job has it.
    std::string name;
    /// Bytes that this PE's files may take. Twice what it holds suffices if sizes do not change.
    std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
};

/// The name of the job as its environment has it: REGRAFT_JOB, or else the number that Slurm, PBS, LSF or Grid Engine
/// gave to the batch job (SLURM_JOB_ID, PBS_JOBID, LSB_JOBID, JOB_ID), with the name of the program behind it, such as
/// "4711-kmeans". Empty if none of them is set: then a store that is to keep files is refused (DiskError).
std::string job_of_environment();

}  // namespace regraft::store
#pragma GCC visibility pop
