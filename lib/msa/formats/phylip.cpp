// PHYLIP has four dialects without a mark that distinguishes them: names end at a blank or after ten columns, and rows
// follow each other or are interleaved. So all are tried, and the header's numbers decide.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "msa/formats/readers.hpp"
#include "regraft/msa/alphabet.hpp"

namespace regraft::msa {
namespace {

enum class Names { relaxed, strict };
constexpr std::size_t strict_name_width = 10;

struct Dialect {
    Names names;
    Layout layout;
};
/// The dialects in the order of preference. For one row per line, interleaved gives the better messages.
constexpr std::array dialects{Dialect{Names::relaxed, Layout::interleaved}, Dialect{Names::relaxed, Layout::sequential},
                              Dialect{Names::strict, Layout::interleaved}, Dialect{Names::strict, Layout::sequential}};

struct Header {
    std::uint64_t num_taxa = 0;
    std::uint64_t num_sites = 0;
    std::optional<Layout> layout;  // if the header tells it
};

/// The layout that the letter behind the numbers stands for, as in files of PAML.
std::optional<Layout> layout_of(std::string_view letter) {
    if (letter == "I" || letter == "i") return Layout::interleaved;
    if (letter == "S" || letter == "s") return Layout::sequential;
    return std::nullopt;
}

Header parse_header(Line const& line, std::string const& file) {
    auto rest = line.text;
    auto const next_number = [&](std::uint64_t least) {
        rest = trim_left(rest);
        std::uint64_t number = 0;
        auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        auto const used = static_cast<std::size_t>(end - rest.data());
        if (error != std::errc{} || number < least || (used < rest.size() && !is_blank(rest[used]))) {
            auto const found = rest.empty() ? std::string("the end of the line") : in_quotes(first_word(rest));
            throw InputError(position(file, line, rest.data()),
                             "expected the numbers of taxa and sites, such as '12 898', found " + found);
        }
        rest.remove_prefix(used);
        return number;
    };
    auto const num_taxa = next_number(1);
    auto const num_sites = next_number(0);
    rest = trim(rest);
    auto const layout = layout_of(rest);
    if (!rest.empty() && !layout) {
        throw InputError(
            position(file, line, rest.data()),
            "expected I (interleaved), S (sequential) or nothing after the numbers of taxa and sites, found " +
                in_quotes(first_word(rest)));
    }
    return {num_taxa, num_sites, layout};
}

/// An attempt to read the lines after the header in one dialect. Memory grows with the text, whatever the header says.
class Reading {
public:
    Reading(Header header, std::span<Line const> lines, Names style, std::string const& file)
        : header_(header), lines_(lines), style_(style), file_(file), names_(file) {}

    void interleaved();
    void sequential();
    /// The number of cells that fitted the dialect.
    std::uint64_t accepted() const { return accepted_; }
    Alignment take();

private:
    std::string_view begin_row(Line const& line);
    void extend(std::size_t taxon, std::string_view text, Line const& line);
    void check_in_step(std::size_t taxon, Line const& line) const;
    [[noreturn]] void fail_at(Line const& line, std::string const& message) const {
        throw InputError(position(file_, line, trim_left(line.text).data()), message);
    }
    [[noreturn]] void fail_too_many(Line const& line) const {
        fail_at(line, "expected the end of the file after the " + std::to_string(header_.num_taxa) + " taxa of " +
                          std::to_string(header_.num_sites) + " sites that the header promises");
    }
    [[noreturn]] void fail_too_few() const {
        throw InputError({file_, lines_.empty() ? 1 : lines_.back().number, 0},
                         "the file ends after " + std::to_string(rows_.size()) + " of the " +
                             std::to_string(header_.num_taxa) + " taxa that the header promises");
    }
    [[noreturn]] void fail_length(std::size_t taxon, Line const& line) const {
        fail_at(line, "taxon " + in_quotes(names_[taxon]) + " has " + std::to_string(rows_[taxon].size()) + " of the " +
                          std::to_string(header_.num_sites) + " sites that the header promises");
    }

    Header header_;
    std::span<Line const> lines_;
    Names style_;
    std::string const& file_;
    NameList names_;
    std::vector<std::vector<char>> rows_;
    std::vector<CellPositions> positions_;  // per row
    std::uint64_t accepted_ = 0;
};

/// The columns of a strict name: ten characters, or bytes where they are not UTF-8.
std::string_view first_columns(std::string_view text) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < strict_name_width; ++i) size += first_character(text.substr(size)).size();
    return text.substr(0, size);
}

/// Takes the name from the line and returns what follows it.
std::string_view Reading::begin_row(Line const& line) {
    auto const text = style_ == Names::relaxed ? trim_left(line.text) : line.text;
    auto const region = style_ == Names::relaxed ? first_word(text) : first_columns(text);
    names_.add(trim(region), line, region.data());
    rows_.emplace_back();
    positions_.emplace_back();
    return text.substr(region.size());
}

void Reading::extend(std::size_t taxon, std::string_view text, Line const& line) {
    append_cells(rows_[taxon], positions_[taxon], text, line, file_);
    if (rows_[taxon].size() > header_.num_sites) fail_length(taxon, line);
}

/// Checks that the rows of an interleaved block grow by the same number of cells.
void Reading::check_in_step(std::size_t taxon, Line const& line) const {
    auto const expected = rows_[0].size();
    if (rows_[taxon].size() == expected) return;
    if (expected == header_.num_sites) fail_length(taxon, line);
    fail_at(line, "taxon " + in_quotes(names_[taxon]) + " has " + std::to_string(rows_[taxon].size()) +
                      " sites up to here, but " + in_quotes(names_[0]) + " has " + std::to_string(expected));
}

void Reading::interleaved() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        auto const& line = lines_[i];
        auto const taxon = static_cast<std::size_t>(i % header_.num_taxa);
        if (taxon == 0 && i != 0 && rows_[0].size() == header_.num_sites) fail_too_many(line);
        auto const text = i < header_.num_taxa ? begin_row(line) : line.text;
        auto const before = rows_[taxon].size();
        extend(taxon, text, line);
        check_in_step(taxon, line);
        accepted_ += rows_[taxon].size() - before;
    }
    if (rows_.size() < header_.num_taxa) fail_too_few();
    for (std::size_t taxon = 0; taxon < rows_.size(); ++taxon) {
        if (rows_[taxon].size() < header_.num_sites) fail_length(taxon, lines_.back());
    }
}

void Reading::sequential() {
    for (auto const& line : lines_) {
        if (rows_.empty() || rows_.back().size() == header_.num_sites) {
            if (rows_.size() == header_.num_taxa) fail_too_many(line);
            auto const cells = begin_row(line);  // comes first, because arguments are evaluated in any order
            extend(rows_.size() - 1, cells, line);
        } else {
            extend(rows_.size() - 1, line.text, line);
        }
        if (rows_.back().size() == header_.num_sites) accepted_ += header_.num_sites;
    }
    if (!rows_.empty() && rows_.back().size() < header_.num_sites) {
        fail_length(rows_.size() - 1, names_.line(rows_.size() - 1));
    }
    if (rows_.size() < header_.num_taxa) fail_too_few();
}

Alignment Reading::take() {
    Alignment alignment{.file = file_, .names = names_.take(), .cells = {}, .positions = std::move(positions_)};
    alignment.cells.reserve(rows_.size() * rows_[0].size());
    for (auto const& row : rows_) alignment.cells.insert(alignment.cells.end(), row.begin(), row.end());
    return alignment;
}

/// How unlike sequences the cells look: 0 for DNA, 1 for amino acids, 2 for neither.
int strangeness(Alignment const& alignment) {
    auto const all_in = [&](Alphabet alphabet) {
        return std::ranges::all_of(alignment.cells, [&](char c) { return state_mask(alphabet, c) != 0; });
    };
    if (all_in(Alphabet::dna)) return 0;
    return all_in(Alphabet::amino_acid) ? 1 : 2;
}

}  // namespace

Alignment parse_phylip(std::span<Line const> lines, std::string const& file) {
    auto const header = parse_header(lines[0], file);
    // Two dialects may both fit if ten-letter names are as wide as a group of cells; then the one without names among
    // its cells is taken. If none fits, the author most likely meant the one that read the most.
    std::optional<Alignment> best;
    std::optional<InputError> error;
    std::uint64_t furthest = 0;
    for (auto const& dialect : dialects) {
        if (header.layout.value_or(dialect.layout) != dialect.layout) continue;
        Reading reading(header, lines.subspan(1), dialect.names, file);
        try {
            dialect.layout == Layout::interleaved ? reading.interleaved() : reading.sequential();
            auto alignment = reading.take();
            auto const rank = strangeness(alignment);
            if (rank == 0) return alignment;
            if (!best || rank < strangeness(*best)) best = std::move(alignment);
        } catch (InputError const& e) {
            if (!error || reading.accepted() > furthest) {
                error = e;
                furthest = reading.accepted();
            }
        }
    }
    if (best) return *std::move(best);
    throw InputError(*error);
}

}  // namespace regraft::msa
