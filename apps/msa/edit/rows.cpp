#include "edit/rows.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "common/input.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/alphabet.hpp"
#include "regraft/msa/difference_rows.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

/// The rows as differences, if they are nearly equal.
std::optional<msa::DifferenceText> differences_of(MadeRows const& rows) {
    std::string text;
    std::string_view left;
    std::string cells;
    std::size_t row = 0;
    return msa::read_differences([&](std::span<char> buffer) -> std::size_t {
        if (left.empty()) {
            if (row == rows.names.size()) return 0;
            cells.clear();
            rows.make(row, cells);
            text.assign(">").append(rows.names[row++]).append(1, '\n').append(cells).append(1, '\n');
            left = text;
        }
        auto const size = std::min(buffer.size(), left.size());
        std::copy_n(left.begin(), size, buffer.begin());
        left.remove_prefix(size);
        return size;
    });
}

/// MAPLE needs all rows before it writes the first one.
void write_maple(MadeRows const& rows, msa::TextSink const& sink) {
    for (auto const& name : rows.names) check_name(name, rows.input);
    if (auto differences = differences_of(rows))
        return write_text(Part(std::move(differences->rows)), rows.layout, sink, rows.input);
    msa::Alignment all{.file = "", .names = rows.names, .cells = {}};
    all.cells.reserve(rows.names.size() * rows.num_sites);
    std::string cells;
    for (std::size_t row = 0; row < rows.names.size(); ++row) {
        cells.clear();
        rows.make(row, cells);
        all.cells.insert(all.cells.end(), cells.begin(), cells.end());
    }
    write_text(Part(std::move(all)), rows.layout, sink, rows.input);
}

void check_rows(MadeRows const& rows) {
    std::string cells;
    for (std::size_t row = 0; row < rows.names.size(); ++row) {
        cells.clear();
        rows.make(row, cells);
        check_characters(rows.names[row], cells, rows.input);
    }
}

void append_cells(std::string& text, std::string_view cells, msa::TextLayout const& layout, std::string_view line_end) {
    auto const width = layout.line_width == 0 ? cells.size() : layout.line_width;
    for (std::size_t begin = 0; begin < cells.size(); begin += width)
        text.append(cells.substr(begin, width)).append(line_end);
}

}  // namespace

RowReader::RowReader(Part const& part) : part_(part) {
    if (auto const* const rows = std::get_if<msa::DifferenceRows>(&part)) reference_ = rows->reference_text();
}

std::string_view RowReader::operator()(std::size_t row) {
    if (auto const* const alignment = std::get_if<msa::Alignment>(&part_)) return alignment->row(row);
    cells_ = reference_;
    std::get<msa::DifferenceRows>(part_).write_row(row, cells_);
    return cells_;
}

bool has_sets(Part const& part) {
    auto const* const alignment = std::get_if<msa::Alignment>(&part);
    return alignment != nullptr && std::ranges::any_of(alignment->cells, msa::is_state_set);
}

void check_fill(msa::CharacterKind kind, char fill, std::string const& option, std::string const& input) {
    bool const is_other = kind == msa::CharacterKind::other;
    bool const is_state = (fill == 'N' && kind != msa::CharacterKind::dna) || (fill == 'X' && is_other);
    if (!is_state) return;
    throw InputError({shown_input(input)},
                     fmt::format("{} {} would be a state here, as its characters are {}; expected '-' or '?'", option,
                                 fill, is_other ? "neither DNA nor amino acids" : "amino acids"));
}

MadeRows some_rows(Opened const& source, Part const& part, std::vector<std::size_t> const& rows, Look const& look) {
    MadeRows made{{}, num_sites(part), layout_for(source, rows, look), has_sets(part), {}, source.input()};
    for (auto const row : rows) made.names.push_back(source.names()[row]);
    made.make = [rows, read = std::make_shared<RowReader>(part)](std::size_t row, std::string& cells) {
        cells = (*read)(rows[row]);
    };
    return made;
}

MadeRows some_cells(Opened const& source, Part const& part, std::vector<std::size_t> const& rows,
                    std::span<std::uint64_t const> sites, Look const& look) {
    auto made = some_rows(source, part, rows, look);
    made.num_sites = sites.size();
    made.make = [rows, sites, read = std::make_shared<RowReader>(part)](std::size_t row, std::string& cells) {
        auto const all = (*read)(rows[row]);
        for (auto const site : sites) cells += all[site];
    };
    return made;
}

void write_text(MadeRows const& rows, msa::TextSink const& sink) {
    auto const& layout = rows.layout;
    if (layout.format == msa::TextFormat::maple) return write_maple(rows, sink);
    for (auto const& name : rows.names) check_name(name, rows.input);
    if (rows.may_be_unwritable) check_rows(rows);
    bool const is_phylip = layout.format == msa::TextFormat::phylip;
    std::string_view const line_end = layout.carriage_returns ? "\r\n" : "\n";
    if (is_phylip) sink(fmt::format("{} {}{}", rows.names.size(), rows.num_sites, line_end));
    std::string cells;
    std::string text;
    for (std::size_t row = 0; row < rows.names.size(); ++row) {
        auto const& name = rows.names[row];
        cells.clear();
        rows.make(row, cells);
        text.assign(is_phylip ? "" : ">").append(name);
        if (!layout.descriptions.empty()) text += layout.descriptions[row];
        if (is_phylip && !cells.empty())
            text.append(std::max<std::size_t>(layout.name_width, name.size() + 1) - name.size(), ' ');
        if (!is_phylip || cells.empty()) text += line_end;
        append_cells(text, cells, layout, line_end);
        sink(text);
    }
}

}  // namespace regraft::msa_cli
