#include "files/file_texts.hpp"

#include "regraft/disk/new_file.hpp"

namespace regraft::phylo {

void write_files(FileTexts const& texts) {
    std::vector<disk::NewFile> files;
    for (auto const& [path, text] : texts) files.emplace_back(path).write(text);
    disk::appear(files);
}

}  // namespace regraft::phylo
