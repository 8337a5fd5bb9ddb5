// What was done, by all who have lived to the end.
#pragma once

namespace regraft::shield {

/// In MPI_Finalize, when all who live have come there. The writer adds up what they have counted and writes the report,
/// if there is to be one. Collective over Shield::control().
void report_all(bool writes);

/// The report of a shield that stands aside since this call.
void report_aside(char const* call);

}  // namespace regraft::shield
