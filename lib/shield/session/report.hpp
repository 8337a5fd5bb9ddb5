// The report of what the shield did, by all processes that live to the end.
#pragma once

namespace regraft::shield {

/// Adds up what the living processes have counted; then the lowest of them writes the report, if one is wanted. Called
/// in MPI_Finalize, when all living processes have come there. Collective over Survivors::control().
void report_all();

/// Writes the report of a shield that stands aside since this call.
void report_aside(char const* call);

}  // namespace regraft::shield
