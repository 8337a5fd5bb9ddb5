#include "c/keep.hpp"

using namespace regraft;

char const* regraft_job_of_environment(void) {
    thread_local std::string job;
    auto const status = c::guarded([] { job = store::job_of_environment(); });
    return status == REGRAFT_OK ? job.c_str() : "";
}
