#include "files/file_texts.hpp"

namespace regraft::phylo {

void write_files(FileTexts const& texts, std::vector<disk::NewFile> others) {
    auto& files = others;
    for (auto const& [path, text] : texts) files.emplace_back(path).write(text);
    disk::appear(files);
}

}  // namespace regraft::phylo
