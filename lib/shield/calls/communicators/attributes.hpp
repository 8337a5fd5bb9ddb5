// Attributes that the program caches on its communicators.
#pragma once

#include <mpi.h>

#include <utility>
#include <vector>

namespace regraft::shield {

/// Those that a duplicate gets: the copy function of each decides. The faces are made from lanes, which have none.
class CopiedAttributes {
public:
    explicit CopiedAttributes(MPI_Comm from);
    /// MPI_SUCCESS, or the code of the first copy function that failed.
    int attach(MPI_Comm to) const;

private:
    int code_ = MPI_SUCCESS;
    std::vector<std::pair<int, void*>> values_;  // by keyval
};

/// Begins the end: MPI is whole as long as what this calls of the program goes on. In the reverse order of their
/// setting.
void delete_attributes_of_self();

}  // namespace regraft::shield
