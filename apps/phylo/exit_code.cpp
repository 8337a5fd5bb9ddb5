#include "exit_code.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

namespace regraft::phylo {

ExitCode::ExitCode(int rank) {
    char const* const folder = std::getenv("REGRAFT_EXIT_CODES");
    if (folder == nullptr) return;
    file_ = std::filesystem::path(folder) / std::to_string(rank);
    if (!std::ofstream(file_)) file_.clear();
}

int ExitCode::told(int code) const {
    if (file_.empty()) return code;
    std::ofstream file(file_);
    file << code << std::flush;
    return file ? 0 : code;
}

}  // namespace regraft::phylo
