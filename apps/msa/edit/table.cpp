#include "edit/table.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/input.hpp"
#include "common/text_input.hpp"

namespace regraft::msa_cli {

using namespace common;

std::vector<TableLine> read_table(std::string const& path, std::size_t least, std::size_t most,
                                  std::string const& expected) {
    auto const text = read_unpacked(path);
    std::vector<TableLine> lines;
    std::uint64_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        auto const end = std::min(text.find('\n', begin), text.size());
        auto line = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) continue;
        TableLine found{{}, {shown_input(path), number}};
        while (found.fields.size() + 1 < most && line.find('\t') != std::string_view::npos) {
            auto const tab = line.find('\t');
            found.fields.emplace_back(line.substr(0, tab));
            line.remove_prefix(tab + 1);
        }
        found.fields.emplace_back(line);
        if (found.fields.size() < least) throw InputError(found.where, "expected " + expected);
        lines.push_back(std::move(found));
    }
    return lines;
}

}  // namespace regraft::msa_cli
