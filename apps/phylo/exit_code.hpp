// How a job ends: by a file per rank that regraft-run reads, where it asks for that, else by the exit code.
//
// mpirun of Open MPI 5.0.9 hangs in about one of fifty jobs whose ranks exit with another code than 0, and exits with 0
// if all ranks were killed. So ranks that regraft-run started exit with 0, and what they wrote tells how the job ended.
#pragma once

#include <filesystem>

namespace regraft::phylo {

/// Of one rank. From its making on, and until told() was called, the launcher takes the rank for dead.
class ExitCode {
public:
    explicit ExitCode(int rank);
    /// What main() returns for `code`: 0 if the launcher could be told, else `code`.
    int told(int code) const;

private:
    std::filesystem::path file_;  // empty: nobody reads it
};

}  // namespace regraft::phylo
