// Files that are written together.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "regraft/disk/new_file.hpp"

namespace regraft::phylo {

/// Paths of files and their texts.
using FileTexts = std::vector<std::pair<std::filesystem::path, std::string>>;

/// Writes all files completely or, if one cannot be written, none; see disk::appear. others: files that have their
/// contents and appear with them. Throws OutputError.
void write_files(FileTexts const& texts, std::vector<disk::NewFile> others = {});

}  // namespace regraft::phylo
