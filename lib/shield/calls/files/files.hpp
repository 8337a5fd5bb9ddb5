// Files of the program on a shielded communicator. For MPI each process opens its own, on MPI_COMM_SELF: what MPI does
// with a file of several processes it does not end when one of them is dead. What the processes have to do together is
// done here, on a communicator of the file.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "shield/calls/collectives/collectives.hpp"
#include "shield/calls/files/shared_pointer.hpp"

namespace regraft::shield {

struct File {
    MPI_Comm face = MPI_COMM_NULL;  // our own duplicate
    MPI_Group group = MPI_GROUP_NULL;
    std::string name;
    int mode = 0;
    int etype_size = 1;  // bytes of the unit in which its pointers count
    std::unique_ptr<SharedPointer> pointer;
};

/// Whether any is open.
bool has_files();
/// nullptr: the file is MPI's own.
File* find_file(MPI_File file);
/// Ends this process if the file is MPI's own, of several processes, and somebody has died: MPI may wait for ever.
void guard_file(char const* call, MPI_File file);
/// Returns when all who live have come here.
int meet(File const& file);

/// What compute() gives at the lowest living member, for all. If that dies, another computes, so it may be done more
/// than once, by processes that do not know of each other; so its effect must be the same.
template <class Compute>
std::int64_t first_tells(Lane& lane, Compute const& compute) {
    std::int64_t value = 0;
    Buffer const result{&value, 1, MPI_INT64_T};
    static_cast<void>(
        run(lane, {.synchronises = false, .forwardable = true}, no_root,
            Operation{[&](MPI_Comm on) {
                          if (lane.position(lane.self) == 0) value = compute();
                          return PMPI_Bcast(&value, 1, MPI_INT64_T, 0, on);
                      },
                      [&](auto& bytes) { result.pack(bytes); }, [&](auto bytes) { result.unpack(bytes); }, nothing}));
    return value;
}

}  // namespace regraft::shield
