// Alignments in Stockholm, the format of Pfam, Rfam and HMMER.
#include "msa/formats/blocks.hpp"

namespace regraft::msa {
namespace {

constexpr std::string_view end_mark = "//";

/// Throws InputError unless the version is the one that there is.
void check_version(Line const& line, std::string const& file) {
    auto rest = trim(line.text);
    for (std::string_view const expected : {"#", "STOCKHOLM", "1.0"}) {
        rest = trim_left(rest);
        if (!rest.starts_with(expected))
            throw InputError(position(file, line, rest.data()),
                             "expected '# STOCKHOLM 1.0', found " + in_quotes(trim(line.text)));
        rest.remove_prefix(expected.size());
    }
    if (!rest.empty()) throw InputError(position(file, line, rest.data()), "expected nothing behind '# STOCKHOLM 1.0'");
}

}  // namespace

Alignment parse_stockholm(std::span<Line const> lines, std::string const& file) {
    check_version(lines[0], file);
    BlockRows rows(file);
    Line const* end = nullptr;
    for (auto const& line : lines.subspan(1)) {
        auto const text = trim_left(line.text);
        if (end != nullptr)
            throw InputError(position(file, line, text.data()),
                             "a second alignment, or something else, follows '//'; expected one alignment");
        if (trim(text) == end_mark) {
            end = &line;
        } else if (text[0] != '#') {
            auto const name = first_word(text);
            rows.add(name, text.substr(name.size()), line);
        }
    }
    if (end == nullptr)
        throw InputError({file, lines.back().number, 0}, "the alignment does not end; expected '//' on the last line");
    return rows.take(*end);
}

bool is_stockholm(Line const& first) {
    auto const text = trim_left(first.text);
    return text.starts_with('#') && first_word(trim_left(text.substr(1))).starts_with("STOCKHOLM");
}

}  // namespace regraft::msa
