// Alignments of any format: which one a text has, and what all readers share.
#include <algorithm>
#include <bit>

#include "msa/formats/readers.hpp"
#include "msa/text/nexus_text.hpp"
#include "msa/text/text.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/difference_parts.hpp"
#include "regraft/msa/maple.hpp"
#include "regraft/msa/vcf.hpp"

namespace regraft::msa {

namespace {

/// What to do if two lines of FASTA have the same name: it ends at a blank, and what follows may be what was meant.
std::string advice(Line const& before, Line const& line) {
    bool const are_fasta = trim_left(before.text).starts_with('>') && trim_left(line.text).starts_with('>');
    if (!are_fasta || trim(before.text) == trim(line.text)) return "";
    return "; names end at the first blank, and what follows differs; --names joined takes the whole line with '_' for "
           "blanks, as sed '/^>/s/ /_/g' writes it";
}

/// Refuses files that have no alignment, by their first bytes.
void refuse_others(std::string_view text, std::string const& file) {
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
        throw InputError({file}, "is in UTF-16, expected ASCII or UTF-8; iconv -f UTF-16 -t UTF-8 converts it");
    }
    if (text.starts_with("BCF\2"))
        throw InputError({file}, "is BCF, the binary form of VCF; expected a text, which bcftools view makes of it");
}

}  // namespace

void NameList::add(std::string_view name, Line const& line, char const* at) {
    if (name.empty()) throw InputError(position(file_, line, at), "a taxon's name is missing");
    if (auto const bad = find_unprintable(name); !bad.empty()) {
        throw InputError(position(file_, line, bad.data()),
                         in_quotes(bad) + " cannot be part of a taxon's name; expected printable UTF-8");
    }
    auto const [entry, is_new] = taxon_of_.try_emplace(std::string(name), names_.size());
    if (!is_new) {
        auto const& before = lines_[entry->second];
        throw InputError(position(file_, line, at), "taxon " + in_quotes(name) + " is already on line " +
                                                        std::to_string(before.number) + advice(before, line));
    }
    names_.emplace_back(name);
    lines_.push_back(line);
}

void append_cells(std::vector<char>& cells, CellPositions& positions, std::string_view text, Line const& line,
                  std::string const& file) {
    for (text = trim_left(text); !text.empty(); text = trim_left(text)) {
        auto const end = std::ranges::find_if_not(text, is_symbol);
        auto const run = text.substr(0, static_cast<std::size_t>(end - text.begin()));
        if (run.empty()) {
            auto const symbol = in_quotes(first_character(text));
            throw InputError(position(file, line, text.data()), symbol + " cannot be part of a sequence");
        }
        cells.insert(cells.end(), run.begin(), run.end());
        positions.append_run({line.number, column(line, run.data())}, run.size());
        text.remove_prefix(run.size());
    }
}

namespace {

/// Expands MAPLE, up to a limit.
Alignment parse_maple(std::string_view text, std::string const& file) {
    constexpr std::uint64_t always_allowed = std::uint64_t{256} << 20;
    constexpr std::uint64_t most_growth = 250;
    auto rest = text;
    auto const read = read_maple(
        [&](std::span<char> buffer) {
            auto const size = std::min(rest.size(), buffer.size());
            std::copy_n(rest.begin(), size, buffer.begin());
            rest.remove_prefix(size);
            return size;
        },
        file);
    auto const most = always_allowed + most_growth * text.size();
    if (read.rows.num_taxa() > most / read.rows.num_sites())
        throw InputError({file}, "is MAPLE of " + std::to_string(read.rows.num_taxa()) + " rows of " +
                                     std::to_string(read.rows.num_sites()) + " sites; expected at most " +
                                     std::to_string(most) + " cells where all of them are needed");
    auto alignment = to_alignment(read.rows);
    alignment.file = file;
    alignment.is_verbatim = false;
    return alignment;
}

}  // namespace

std::optional<InputFormat> find_format(std::string_view text) {
    if (is_nexus(text)) return InputFormat::nexus;
    if (is_vcf(text)) return InputFormat::vcf;
    auto const content = without_byte_order_mark(text);
    auto const begin = content.find_first_not_of("\n \t\r\v\f");
    if (begin == std::string_view::npos) return std::nullopt;
    auto const begin_of_line = content.find_last_of("\n\r", begin) + 1;  // npos + 1 is 0
    Line const first{content.substr(begin_of_line, content.find_first_of("\n\r", begin) - begin_of_line), 0};
    if (is_maple(content).value_or(false)) return InputFormat::maple;
    if (content[begin] == '>') return InputFormat::fasta;
    if (is_digit(content[begin])) return InputFormat::phylip;
    if (is_stockholm(first)) return InputFormat::stockholm;
    if (is_clustal(first)) return InputFormat::clustal;
    return std::nullopt;
}

std::string_view name(InputFormat format) {
    switch (format) {
        case InputFormat::fasta:
            return "FASTA";
        case InputFormat::phylip:
            return "PHYLIP";
        case InputFormat::nexus:
            return "NEXUS";
        case InputFormat::stockholm:
            return "Stockholm";
        case InputFormat::clustal:
            return "Clustal";
        case InputFormat::maple:
            return "MAPLE";
        case InputFormat::vcf:
            return "VCF";
    }
    return "";
}

Alignment parse_alignment(std::string_view text, std::string const& file, FastaNames names) {
    refuse_others(text, file);
    auto const lines = lines_with_content(text);
    if (lines.empty())
        throw InputError(
            {file}, "the file is empty; expected an alignment in FASTA, PHYLIP, NEXUS, Stockholm or Clustal format");
    switch (find_format(text).value_or(InputFormat::fasta)) {
        case InputFormat::nexus:
            return parse_nexus(text, file);
        case InputFormat::stockholm:
            return parse_stockholm(lines, file);
        case InputFormat::clustal:
            return parse_clustal(lines, file);
        case InputFormat::phylip:
            return parse_phylip(lines, file);
        case InputFormat::maple:
            return parse_maple(text, file);
        case InputFormat::vcf:
            return read_vcf(pieces_of(text), file).alignment;
        case InputFormat::fasta:
            break;
    }
    auto const first = trim_left(lines[0].text);
    if (first[0] == '>') return parse_fasta(lines, file, names);
    throw InputError(position(file, lines[0], first.data()),
                     "expected '>' (FASTA), the numbers of taxa and sites (PHYLIP), '#NEXUS', '# STOCKHOLM 1.0' or "
                     "'CLUSTAL', found " +
                         in_quotes(first_word(first)));
}

Alignment read_alignment(std::filesystem::path const& path) {
    return parse_alignment(read_file(path), path.string());
}

namespace {

/// Whether no two names have the same hash. O(names).
bool have_distinct_hashes(std::span<std::string const> names) {
    std::vector<std::uint64_t> table(2 * std::bit_ceil(names.size() + 1));  // by the last bits; 0: free
    for (auto const& name : names) {
        auto const code = hash(std::as_bytes(std::span(name))) | 1;
        auto place = code / 2 % table.size();
        for (; table[place] != 0; place = (place + 1) % table.size())
            if (table[place] == code) return false;
        table[place] = code;
    }
    return true;
}

}  // namespace

void check_names(std::span<std::string const> names, std::string const& file) {
    bool const are_good = std::ranges::all_of(
        names, [](std::string const& name) { return !name.empty() && find_unprintable(name).empty(); });
    if (are_good && have_distinct_hashes(names)) return;
    // This says what is wrong, or that only hashes are equal.
    NameList list(file);
    for (std::size_t i = 0; i < names.size(); ++i) list.add(names[i], {names[i], i + 1}, names[i].data());
}

}  // namespace regraft::msa
