#include "msa/formats/readers.hpp"

namespace regraft::msa {
namespace {

/// Throws InputError unless the last taxon has as many sites as the first one.
void check_length(NameList const& names, std::size_t first_length, std::size_t length, std::string const& file) {
    if (length == first_length) return;
    auto const fail = [&](std::size_t taxon, std::string const& message) {
        auto const& line = names.line(taxon);
        throw InputError(position(file, line, trim_left(line.text).data()),
                         "taxon " + in_quotes(names[taxon]) + " has " + message);
    };
    auto const last = names.size() - 1;
    if (first_length == 0) fail(0, "no sites");
    if (length == 0) fail(last, "no sites");
    fail(last, std::to_string(length) + " sites, but " + in_quotes(names[0]) + " on line " +
                   std::to_string(names.line(0).number) + " has " + std::to_string(first_length));
}

}  // namespace

Alignment parse_fasta(std::span<Line const> lines, std::string const& file) {
    Alignment alignment{.file = file, .names = {}, .cells = {}};
    NameList names(file);
    std::size_t row_begin = 0;
    std::size_t first_length = 0;
    auto const end_row = [&] {
        if (names.size() == 0) return;
        auto const length = alignment.cells.size() - row_begin;
        if (names.size() == 1) first_length = length;
        check_length(names, first_length, length, file);
        row_begin = alignment.cells.size();
    };
    for (auto const& line : lines) {
        auto const text = trim_left(line.text);
        if (text[0] == '>') {
            end_row();
            auto const name = first_word(trim_left(text.substr(1)));
            names.add(name, line, name.data());
            alignment.positions.emplace_back();
        } else {
            append_cells(alignment.cells, alignment.positions.back(), text, line, file);
        }
    }
    end_row();
    alignment.names = names.take();
    return alignment;
}

}  // namespace regraft::msa
