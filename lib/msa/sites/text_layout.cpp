// A skeleton is one zstd frame. It has the number of runs of cells. For each run, in the order of the text, follow the
// number of bytes in front of it that are no cells, the step to its row from that of the run before (modulo the number
// of rows, first from row 0), and the number of its cells. At the end are all bytes that are no cells. Numbers are
// LEB128. Cells of a row are in order, so a run needs no position within its row.
#include "regraft/msa/text_layout.hpp"

#include <algorithm>

#include "msa/text/text.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/format_bytes.hpp"
#include "regraft/core/zstd.hpp"

namespace regraft::msa {
namespace {

// ---- Regular texts

std::string_view line_end_of(TextLayout const& layout) {
    return layout.carriage_returns ? "\r\n" : "\n";
}

void append_row(std::string& text, std::string_view cells, TextLayout const& layout) {
    auto const width = layout.line_width == 0 ? cells.size() : layout.line_width;
    for (std::size_t first = 0; first < cells.size(); first += width) {
        text += cells.substr(first, width);
        text += line_end_of(layout);
    }
}

std::string regular_text(Alignment const& alignment, TextLayout const& layout) {
    bool const is_phylip = layout.format == TextFormat::phylip;
    REGRAFT_EXPECTS(layout.format != TextFormat::maple);
    REGRAFT_EXPECTS(layout.descriptions.empty() || (!is_phylip && layout.descriptions.size() == alignment.num_taxa()));
    constexpr std::size_t typical_name = 32;
    auto const lines_per_row = layout.line_width == 0 ? 1 : alignment.num_sites() / layout.line_width + 1;
    std::string text;
    text.reserve(alignment.cells.size() + alignment.num_taxa() * (typical_name + 2 * lines_per_row));
    if (is_phylip) {
        text.append(std::to_string(alignment.num_taxa())).append(1, ' ');
        text.append(std::to_string(alignment.num_sites())).append(line_end_of(layout));
    }
    for (std::size_t taxon = 0; taxon < alignment.num_taxa(); ++taxon) {
        auto const& name = alignment.names[taxon];
        if (!is_phylip) text += '>';
        text += name;
        if (!layout.descriptions.empty()) text += layout.descriptions[taxon];
        if (is_phylip && alignment.num_sites() != 0) {
            text.append(std::max<std::size_t>(layout.name_width, name.size() + 1) - name.size(), ' ');
        } else {
            text += line_end_of(layout);
        }
        append_row(text, alignment.row(taxon), layout);
    }
    if (!layout.ends_with_newline) text.erase(text.size() - line_end_of(layout).size());
    return text;
}

/// The rest of each line of FASTA that begins with '>', behind the name, if there are as many of them as names and each
/// has its name; otherwise nothing.
std::vector<std::string> descriptions_of(std::string_view text, std::vector<std::string> const& names) {
    std::vector<std::string> descriptions;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.starts_with('>')) continue;
        line.remove_prefix(1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (descriptions.size() == names.size() || !line.starts_with(names[descriptions.size()])) return {};
        descriptions.emplace_back(line.substr(names[descriptions.size()].size()));
    }
    if (descriptions.size() != names.size()) return {};
    if (std::ranges::all_of(descriptions, [](auto const& description) { return description.empty(); })) return {};
    return descriptions;
}

bool begins_with_fasta(std::string_view text) {
    text = without_byte_order_mark(text);
    auto const first = std::ranges::find_if_not(text, [](char c) { return c == '\n' || is_blank(c); });
    return first != text.end() && *first == '>';
}

/// The layout that the text would have if it were regular: a guess from a few places.
TextLayout regular_layout(std::string_view text, Alignment const& alignment) {
    TextLayout layout;
    layout.format = begins_with_fasta(text) ? TextFormat::fasta : TextFormat::phylip;
    auto const first_end = text.find('\n');
    layout.carriage_returns = first_end != std::string_view::npos && first_end > 0 && text[first_end - 1] == '\r';
    layout.ends_with_newline = text.ends_with('\n');
    if (layout.format == TextFormat::fasta) layout.descriptions = descriptions_of(text, alignment.names);
    if (alignment.num_sites() == 0 || alignment.positions.empty()) return layout;

    auto const first_run = alignment.positions[0].runs()[0];
    if (first_run.count < alignment.num_sites()) layout.line_width = first_run.count;
    if (layout.format == TextFormat::fasta) return layout;
    for (std::size_t taxon = 0; taxon < alignment.num_taxa(); ++taxon) {
        auto const begin = alignment.positions[taxon].at(0).column - 1;
        bool const is_padded = begin > alignment.names[taxon].size() + 1 && begin <= max_name_width;
        if (is_padded) layout.name_width = std::max(layout.name_width, begin);
    }
    return layout;
}

// ---- Irregular texts

[[noreturn]] void fail_damaged() {
    throw InputError("the layout of the text is damaged");
}

std::uint64_t number_in(FormatReader& skeleton) {
    try {
        return skeleton.number();
    } catch (InputError const&) {
        fail_damaged();
    }
}

/// Cells that are neighbours in the text.
struct TextRun {
    std::size_t begin;  // offset in the text
    std::size_t count;
    std::size_t row;
};

/// All runs, in the order of the text.
std::vector<TextRun> runs_in(std::string_view text, Alignment const& alignment) {
    std::vector<std::size_t> line_begins{text.size() - without_byte_order_mark(text).size()};
    for (auto const separator = line_end(text);;) {
        auto const end = text.find(separator, line_begins.back());
        if (end == std::string_view::npos) break;
        line_begins.push_back(end + 1);
    }
    std::vector<TextRun> runs;
    for (std::size_t row = 0; row < alignment.num_taxa(); ++row) {
        for (auto const& run : alignment.positions[row].runs()) {
            runs.push_back({line_begins.at(run.begin.line - 1) + run.begin.column - 1, run.count, row});
        }
    }
    std::ranges::sort(runs, {}, &TextRun::begin);
    return runs;
}

std::vector<std::byte> make_skeleton(std::string_view text, Alignment const& alignment) {
    constexpr std::size_t longest_for_high_level = std::size_t{4} << 20;
    auto const runs = runs_in(text, alignment);
    FormatWriter numbers;
    std::vector<std::byte> literals;
    auto const append_literals = [&](std::size_t first, std::size_t last) {
        auto const bytes = std::as_bytes(std::span(text.substr(first, last - first)));
        literals.insert(literals.end(), bytes.begin(), bytes.end());
    };
    numbers.number(runs.size());
    std::size_t end = 0;
    std::size_t row = 0;
    for (auto const& run : runs) {
        append_literals(end, run.begin);
        numbers.number(run.begin - end);
        numbers.number((run.row + alignment.num_taxa() - row) % alignment.num_taxa());
        numbers.number(run.count);
        end = run.begin + run.count;
        row = run.row;
    }
    append_literals(end, text.size());
    numbers.append(literals);
    auto const bytes = numbers.bytes();
    return zstd_compress(bytes, bytes.size() <= longest_for_high_level ? 19 : zstd_default_level);
}

/// The bytes that are no cells; they are behind the numbers of the runs.
std::span<std::byte const> literals_of(std::span<std::byte const> skeleton) {
    FormatReader reader(skeleton);
    auto const num_runs = number_in(reader);
    for (std::uint64_t i = 0; i < num_runs; ++i) {
        for (int part = 0; part < 3; ++part) number_in(reader);
    }
    return reader.rest();
}

std::string irregular_text(Alignment const& alignment, std::span<std::byte const> frame) {
    auto const skeleton = zstd_decompress(frame, zstd_max_content(frame.size()));
    auto literals = literals_of(skeleton);
    std::string text;
    text.reserve(literals.size() + alignment.cells.size());
    auto const append_literals = [&](std::uint64_t count) {
        if (count > literals.size()) fail_damaged();
        text.append(reinterpret_cast<char const*>(literals.data()), count);
        literals = literals.subspan(count);
    };
    FormatReader reader(skeleton);
    std::vector<std::size_t> done(alignment.num_taxa());  // number of cells done in each row
    std::size_t row = 0;
    for (auto num_runs = number_in(reader); num_runs > 0; --num_runs) {
        append_literals(number_in(reader));
        auto const step = number_in(reader);
        auto const count = number_in(reader);
        if (step >= alignment.num_taxa()) fail_damaged();
        row = (row + step) % alignment.num_taxa();
        if (count > alignment.num_sites() - done[row]) fail_damaged();
        text += alignment.row(row).substr(done[row], count);
        done[row] += count;
    }
    append_literals(literals.size());
    if (std::ranges::any_of(done, [&](auto count) { return count != alignment.num_sites(); })) fail_damaged();
    return text;
}

}  // namespace

TextLayout layout_without_skeleton(std::string_view text, Alignment const& alignment) {
    auto layout = regular_layout(text, alignment);
    if (regular_text(alignment, layout) == text) return layout;
    return {.format = layout.format, .descriptions = {}, .skeleton = {}};
}

TextLayout layout_of(std::string_view text, Alignment const& alignment) {
    REGRAFT_EXPECTS(alignment.positions.size() == alignment.num_taxa() && alignment.num_taxa() > 0);
    REGRAFT_EXPECTS(alignment.is_verbatim);
    auto layout = regular_layout(text, alignment);
    if (regular_text(alignment, layout) == text) return layout;
    return {.format = layout.format, .descriptions = {}, .skeleton = make_skeleton(text, alignment)};
}

std::string to_text(Alignment const& alignment, TextLayout const& layout) {
    return layout.skeleton.empty() ? regular_text(alignment, layout) : irregular_text(alignment, layout.skeleton);
}

}  // namespace regraft::msa
