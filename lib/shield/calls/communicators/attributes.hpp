// Attributes that the program caches on its communicators.
#pragma once

#include <mpi.h>

#include <utility>
#include <vector>

namespace regraft::shield {

/// The attributes that a duplicate gets: the copy function of each decides. Faces are made from lanes, which have no
/// attributes.
class CopiedAttributes {
public:
    explicit CopiedAttributes(MPI_Comm from);
    /// Attaches them. Returns MPI_SUCCESS, or the code of the first copy function that failed.
    int attach(MPI_Comm to) const;

private:
    int code_ = MPI_SUCCESS;
    std::vector<std::pair<int, void*>> values_;  // values by keyval
};

/// Begins MPI_Finalize: MPI works as long as the program's delete functions run. They are called in the reverse order
/// in which the attributes were set.
void delete_attributes_of_self();

}  // namespace regraft::shield
