#include "regraft/ft/resilient.hpp"

#include "regraft/core/contracts.hpp"

namespace regraft::ft {

void die_of(std::exception_ptr const& error, PeId self) {
    std::string what = "an exception of unknown type";
    try {
        std::rethrow_exception(error);
    } catch (std::exception const& known) {
        what = known.what();
    } catch (...) {  // NOLINT(bugprone-empty-catch): it has no name
    }
    detail::end_process("rank " + std::to_string(value(self)) + " ends, the others go on without it: " + what);
}

}  // namespace regraft::ft
