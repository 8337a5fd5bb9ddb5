#include "common/spinning.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace regraft::common {

void limit_spinning(char** argv) {
    for (auto const* variable : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}) {
        if (std::getenv(variable) != nullptr) return;
    }
    std::error_code error;
    auto const self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error || setenv("GOMP_SPINCOUNT", "1000", 0) != 0) return;
    execv(self.c_str(), argv);  // if this fails, the program continues as it is
}

}  // namespace regraft::common
