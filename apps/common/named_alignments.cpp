#include "common/named_alignments.hpp"

#include <filesystem>

#include <sys/stat.h>

namespace regraft::common {

std::string path_from(std::string const& partitions, std::string const& name) {
    return (std::filesystem::path(partitions).parent_path() / name).string();
}

std::optional<std::string> NamedFiles::first_name(std::string const& name) {
    struct stat status {};
    if (stat(path(name).c_str(), &status) != 0) return std::nullopt;
    return first_names_.emplace(Identity{status.st_dev, status.st_ino}, name).first->second;
}

}  // namespace regraft::common
