#include "regraft/msa/alignment.hpp"

#include "msa/readers.hpp"
#include "msa/text.hpp"

namespace regraft::msa {

void NameList::add(std::string_view name, Line const& line, char const* at) {
    if (name.empty()) throw InputError(position(file_, line, at), "a taxon's name is missing");
    for (char const& c : name) {
        if (is_control(c)) {
            throw InputError(position(file_, line, &c), in_quotes({&c, 1}) + " cannot be part of a taxon's name");
        }
    }
    auto const [entry, is_new] = taxon_of_.try_emplace(std::string(name), names_.size());
    if (!is_new) {
        throw InputError(position(file_, line, at), "taxon " + in_quotes(name) + " is already on line " +
                                                        std::to_string(lines_[entry->second].number));
    }
    names_.emplace_back(name);
    lines_.push_back(line);
}

Alignment parse_alignment(std::string_view text, std::string const& file) {
    auto const lines = lines_with_content(text);
    if (lines.empty()) throw InputError({file}, "the file is empty; expected an alignment in FASTA or PHYLIP format");
    auto const first = trim_left(lines[0].text);
    if (first[0] == '>') return parse_fasta(lines, file);
    if (is_digit(first[0])) return parse_phylip(lines, file);
    throw InputError(
        position(file, lines[0], first.data()),
        "expected '>' (FASTA) or the numbers of taxa and sites (PHYLIP), found " + in_quotes(first_word(first)));
}

Alignment read_alignment(std::filesystem::path const& path) {
    return parse_alignment(read_file(path), path.string());
}

}  // namespace regraft::msa
