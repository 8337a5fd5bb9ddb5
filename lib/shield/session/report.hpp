// What was done, by all who have lived to the end.
#pragma once

namespace regraft::shield {

/// In MPI_Finalize, when all who live have come there: adds up what they have counted, and the lowest of those who live
/// writes the report, if there is to be one. Collective over Shield::control().
void report_all();

/// The report of a shield that stands aside since this call.
void report_aside(char const* call);

}  // namespace regraft::shield
