#include "regraft/msa/difference_rows.hpp"

#include <algorithm>
#include <cstring>

#include "regraft/core/contracts.hpp"
#include "regraft/msa/maple.hpp"

namespace regraft::msa {
namespace {

/// Text that is made at once, in bytes.
constexpr std::size_t piece_size = std::size_t{4} << 20;

/// Appends what is in front of the cells of a row.
void append_name(std::string& text, DifferenceRows const& rows, std::size_t row, TextLayout const& layout,
                 std::string_view line_end) {
    auto const& name = rows.names[row];
    if (layout.format == TextFormat::phylip) {
        text += name;
        text.append(std::max<std::size_t>(layout.name_width, name.size() + 1) - name.size(), ' ');
        return;
    }
    text.append(">").append(name);
    if (!layout.descriptions.empty()) text += layout.descriptions[row];
    text += line_end;
}

/// Appends cells as lines of the layout.
void append_lines(std::string& text, std::string_view cells, TextLayout const& layout, std::string_view line_end) {
    auto const width = layout.line_width == 0 ? cells.size() : std::min<std::size_t>(layout.line_width, cells.size());
    for (std::size_t begin = 0; begin < cells.size(); begin += width) {
        text += cells.substr(begin, width);
        text += line_end;
    }
}

}  // namespace

std::string DifferenceRows::reference_text() const {
    std::string text(num_sites(), ' ');
    std::ranges::transform(reference, text.begin(), [&](std::uint8_t letter) { return letters[letter]; });
    return text;
}

void DifferenceRows::write_row(std::size_t row, std::span<char> cells) const {
    REGRAFT_EXPECTS(row < num_taxa() && cells.size() == num_sites());
    for (auto const& difference : differences[row]) cells[difference.site()] = letters[difference.letter()];
    for (auto const& run : runs[row]) std::memset(&cells[run.first], run.character, run.size);
}

TextSource pieces_of(std::string_view text, std::size_t piece) {
    return [text, piece](std::span<char> buffer) mutable {
        auto const size = std::min({text.size(), buffer.size(), piece});
        std::copy_n(text.begin(), size, buffer.begin());
        text.remove_prefix(size);
        return size;
    };
}

void append(DifferenceText& text, DifferenceText const& more) {
    REGRAFT_EXPECTS(text.rows.letters == more.rows.letters && text.rows.reference == more.rows.reference);
    auto& descriptions = text.layout.descriptions;
    bool const are_described = !descriptions.empty() || !more.layout.descriptions.empty();
    if (are_described && text.layout.format == TextFormat::fasta) {
        descriptions.resize(text.rows.num_taxa());
        descriptions.insert(descriptions.end(), more.layout.descriptions.begin(), more.layout.descriptions.end());
        descriptions.resize(text.rows.num_taxa() + more.rows.num_taxa());
    }
    text.rows.names.insert(text.rows.names.end(), more.rows.names.begin(), more.rows.names.end());
    for (std::size_t row = 0; row < more.rows.num_taxa(); ++row) {
        text.rows.differences.push_row(more.rows.differences[row]);
        text.rows.runs.push_row(more.rows.runs[row]);
    }
}

void write_text(DifferenceRows const& rows, TextLayout const& layout, TextSink const& sink) {
    if (layout.format == TextFormat::maple) return write_maple(rows, layout, sink);
    REGRAFT_EXPECTS(layout.skeleton.empty() && rows.num_sites() > 0);
    REGRAFT_EXPECTS(layout.descriptions.empty() || layout.descriptions.size() == rows.num_taxa());
    auto const reference = rows.reference_text();
    std::string_view const line_end = layout.carriage_returns ? "\r\n" : "\n";
    auto const at_once = std::clamp<std::size_t>(piece_size / (rows.num_sites() + 1), 1, rows.num_taxa());
    std::vector<std::string> texts(at_once);
    if (layout.format == TextFormat::phylip)
        sink(std::to_string(rows.num_taxa()) + " " + std::to_string(rows.num_sites()) + std::string(line_end));
    for (std::size_t begin = 0; begin < rows.num_taxa(); begin += at_once) {
        auto const count = std::min(at_once, rows.num_taxa() - begin);
#pragma omp parallel
        {
            std::string cells;
#pragma omp for schedule(static)
            for (std::size_t i = 0; i < count; ++i) {
                auto const row = begin + i;
                cells = reference;
                rows.write_row(row, cells);
                auto& text = texts[i];
                text.clear();
                append_name(text, rows, row, layout, line_end);
                append_lines(text, cells, layout, line_end);
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            bool const is_last = begin + i + 1 == rows.num_taxa();
            std::string_view text = texts[i];
            if (is_last && !layout.ends_with_newline) text.remove_suffix(line_end.size());
            sink(text);
        }
    }
}

std::uint64_t text_size(DifferenceRows const& rows, TextLayout const& layout) {
    if (layout.format == TextFormat::maple) {
        std::uint64_t size = 0;
        write_maple(rows, layout, [&](std::string_view piece) { size += piece.size(); });
        return size;
    }
    std::uint64_t const line_end = layout.carriage_returns ? 2 : 1;
    auto const width = layout.line_width == 0 ? rows.num_sites() : layout.line_width;
    auto const num_lines = 1 + (rows.num_sites() + width - 1) / width;
    auto size = rows.num_taxa() * (1 + rows.num_sites() + num_lines * line_end);
    for (auto const& name : rows.names) size += name.size();
    for (auto const& description : layout.descriptions) size += description.size();
    return layout.ends_with_newline || rows.num_taxa() == 0 ? size : size - line_end;
}

}  // namespace regraft::msa
