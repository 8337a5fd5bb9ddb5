// Calls that the shield does not carry out: passed on while nobody has died, refused by name afterwards.
#pragma once

#include <mpi.h>

namespace regraft::shield {

/// Ends this process if a member of the communicator has died, or, for windows and files, anybody of the job.
void guard(char const* call, MPI_Comm comm);
void guard(char const* call, MPI_Comm comm, MPI_Comm other);
void guard(char const* call, MPI_Win window);
void guard(char const* call, MPI_File file);

/// The code, for the program's error handler; ends this process if it says that somebody has died in the call: others
/// may wait in it for this one, and would for ever.
int judge(char const* call, MPI_Comm comm, int code);
int judge(char const* call, MPI_Comm comm, MPI_Comm other, int code);
int judge(char const* call, MPI_Win window, int code);
int judge(char const* call, MPI_File file, int code);

/// While a communicator is made natively, its parent has the error handler of the program, which the new one inherits.
class LentHandler {
public:
    explicit LentHandler(MPI_Comm parent);
    LentHandler(LentHandler const&) = delete;
    LentHandler& operator=(LentHandler const&) = delete;
    ~LentHandler();

private:
    MPI_Comm face_;
};

}  // namespace regraft::shield
