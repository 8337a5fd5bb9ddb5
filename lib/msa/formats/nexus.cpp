// Alignments in NEXUS: the matrix of a block DATA or CHARACTERS.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "msa/formats/nexus_format.hpp"
#include "msa/formats/readers.hpp"

namespace regraft::msa {
namespace {

/// Reads the rows behind `matrix`. Memory grows with the text, whatever dimensions it states.
class MatrixReader {
public:
    MatrixReader(NexusText const& text, Format const& format, NexusSets& sets);

    /// Reads the line, from `at` on. Returns the end of the matrix, at a ';'; null if it goes on.
    char const* read_line(Line const& line, char const* at);
    /// `end`: the end of the matrix.
    Alignment take(Cursor const& cursor, char const* end);

private:
    std::string_view begin_row(std::string_view text, Line const& line);
    std::string_view take_label(std::string_view& text, std::string& unquoted, Line const& line) const;
    void choose_row(std::string_view name, char const* at, Line const& line);
    void extend(std::string_view text, Line const& line);
    char take_set(std::string_view& text, Line const& line);
    void translate(std::size_t first);
    [[noreturn]] void fail_in(std::size_t cell, std::string const& message) const;
    void check_length(std::size_t taxon, Line const& line) const;
    [[noreturn]] void fail_at(Line const& line, char const* at, std::string const& message) const {
        throw InputError(position(file_, line, at), message);
    }

    std::string const& file_;
    Format const& format_;
    NexusSets& sets_;
    std::array<char, 256> meaning_;  // meaning of each character except format_.match
    BlockNames names_;
    std::map<std::string, std::string> spellings_;  // names with blanks for underscores -> names as they came first
    std::vector<std::vector<char>> rows_;
    std::vector<CellPositions> positions_;  // per row
    std::size_t taxon_ = 0;                 // the taxon of the line
    bool is_verbatim_ = true;
};

MatrixReader::MatrixReader(NexusText const& text, Format const& format, NexusSets& sets)
    : file_(text.file()), format_(format), sets_(sets), names_(text.file()) {
    for (std::size_t c = 0; c < meaning_.size(); ++c) {
        auto const symbol = static_cast<char>(c);
        meaning_[c] = format.symbols.empty() ? symbol : meaning_of_symbol(format, symbol);
    }
    bool const respects_case = format.respects_case && !format.alphabet;  // letters of states have no case
    auto const stands_for = [&](std::optional<char> symbol, char meaning) {
        if (!symbol) return;
        auto const c = static_cast<unsigned char>(*symbol);
        meaning_[c] = meaning;
        if (!respects_case) meaning_[static_cast<unsigned char>(other_case(*symbol))] = meaning;
    };
    stands_for(format.gap, '-');
    stands_for(format.missing, '?');
    auto const before = meaning_;
    for (auto const [symbol, meaning, is_symbol] : format.equates)
        stands_for(symbol, is_symbol ? before[static_cast<unsigned char>(meaning)] : meaning);
}

char const* MatrixReader::read_line(Line const& line, char const* at) {
    auto text = trim_left(line.text.substr(static_cast<std::size_t>(at - line.text.data())));
    if (text.empty()) return nullptr;
    if (text[0] == ';') return text.data();
    bool const begins_row =
        format_.layout == Layout::interleaved || rows_.empty() || rows_[taxon_].size() >= format_.num_sites.value_or(0);
    if (begins_row) text = begin_row(text, line);
    auto const end = text.find(';');
    extend(text.substr(0, end), line);
    return end == std::string_view::npos ? nullptr : text.data() + end;
}

/// Takes the row's name, with quotes removed into `unquoted` if needed; `text` becomes what follows it.
std::string_view MatrixReader::take_label(std::string_view& text, std::string& unquoted, Line const& line) const {
    constexpr char quote = '\'';
    auto const* const at = text.data();
    if (text[0] != quote) {
        auto const word = first_word(text);
        text.remove_prefix(word.size());
        return word;
    }
    do {
        auto const end = text.find(quote, 1);
        if (end == std::string_view::npos) fail_at(line, at, "this name does not end; expected a quote");
        if (!unquoted.empty()) unquoted += quote;
        unquoted += text.substr(1, end - 1);
        text.remove_prefix(end + 1);
    } while (text.starts_with(quote));
    return unquoted;
}

/// Takes the name from the text and returns what follows it.
std::string_view MatrixReader::begin_row(std::string_view text, Line const& line) {
    auto const* const at = text.data();
    std::string unquoted;
    auto const name = take_label(text, unquoted, line);
    if (auto const bad = find_unprintable(name); !bad.empty()) {
        fail_at(line, at, in_quotes(bad) + " cannot be part of a taxon's name; expected printable UTF-8");
    }
    choose_row(name, at, line);
    return text;
}

/// In names, underscores and blanks are the same, so a name may be spelled in two ways.
void MatrixReader::choose_row(std::string_view name, char const* at, Line const& line) {
    std::string plain(name);
    std::ranges::replace(plain, '_', ' ');
    auto const& first = spellings_.try_emplace(std::move(plain), name).first->second;
    if (format_.layout != Layout::interleaved && first != name) {
        fail_at(line, at,
                "taxon " + in_quotes(name) + " is already there as " + in_quotes(first) +
                    "; in NEXUS, blanks and underscores are the same");
    }
    name = first;
    if (format_.layout == Layout::interleaved) {
        taxon_ = names_.row_of(name, line, at);
    } else {
        names_.list().add(name, line, at);
        taxon_ = rows_.size();
    }
    if (taxon_ < rows_.size()) return;
    rows_.emplace_back();
    positions_.emplace_back();
}

void MatrixReader::extend(std::string_view text, Line const& line) {
    auto& row = rows_[taxon_];
    while (!(text = trim_left(text)).empty()) {
        auto const run = text.substr(0, text.find_first_of("{("));
        auto const begin = row.size();
        append_cells(row, positions_[taxon_], run, line, file_);
        translate(begin);
        text.remove_prefix(run.size());
        if (text.empty()) break;
        positions_[taxon_].append_run({line.number, column(line, text.data())}, 1);
        row.push_back(take_set(text, line));
        is_verbatim_ = false;
    }
    if (row.size() > format_.num_sites) check_length(taxon_, line);
    if (format_.layout == Layout::sequential || row.size() == rows_[0].size()) return;
    if (rows_[0].size() == format_.num_sites) check_length(taxon_, line);
    fail_at(line, trim_left(line.text).data(),
            "taxon " + in_quotes(names_.list()[taxon_]) + " has " + std::to_string(row.size()) +
                " sites up to here, but " + in_quotes(names_.list()[0]) + " has " + std::to_string(rows_[0].size()));
}

/// Consumes a set of states such as {CT} and returns its letter.
char MatrixReader::take_set(std::string_view& text, Line const& line) {
    auto const* const at = text.data();
    auto const end = text.find(text[0] == '{' ? '}' : ')');
    if (end == std::string_view::npos) fail_at(line, at, "this set of states does not end on its line");
    auto const set = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    auto const alphabet = format_.alphabet.value_or(standard_data);
    auto const found = sets_.parse(alphabet, set, [&](char c) { return meaning_[static_cast<unsigned char>(c)]; });
    if (found.wrong != nullptr)
        fail_at(line, found.wrong, in_quotes({found.wrong, 1}) + " is no " + std::string(name(alphabet)) + " symbol");
    if (auto const symbol = sets_.character(alphabet, found); symbol != 0) return symbol;
    fail_at(line, at,
            "no character stands for the states " + in_quotes(set) + "; " + NexusSets::expected_instead(found));
}

/// Replaces the characters of the row by their meanings, from cell `first` on.
void MatrixReader::translate(std::size_t first) {
    auto& row = rows_[taxon_];
    for (auto i = first; i < row.size(); ++i) {
        auto const c = row[i];
        if (c != format_.match) {
            row[i] = meaning_[static_cast<unsigned char>(c)];
            if (row[i] == 0) fail_in(i, in_quotes({&c, 1}) + " is no symbol of 'format'; expected " + format_.symbols);
        } else if (taxon_ != 0 && i < rows_[0].size()) {
            row[i] = rows_[0][i];
        } else {
            fail_in(i, in_quotes({&c, 1}) + " stands for the character of the first row, where there is none");
        }
        if (row[i] != c) is_verbatim_ = false;
    }
}

void MatrixReader::fail_in(std::size_t cell, std::string const& message) const {
    auto const [number, at] = positions_[taxon_].at(cell);
    throw InputError({file_, number, at}, message);
}

void MatrixReader::check_length(std::size_t taxon, Line const& line) const {
    if (rows_[taxon].size() == format_.num_sites) return;
    auto const advice = format_.layout == Layout::sequential ? "; blocks of rows need 'interleave' in 'format'" : "";
    fail_at(line, trim_left(line.text).data(),
            "taxon " + in_quotes(names_.list()[taxon]) + " has " + std::to_string(rows_[taxon].size()) + " of the " +
                std::to_string(format_.num_sites.value_or(0)) + " sites that nchar promises" + advice);
}

Alignment MatrixReader::take(Cursor const& cursor, char const* end) {
    for (std::size_t taxon = 0; taxon < rows_.size(); ++taxon) check_length(taxon, names_.list().line(taxon));
    if (rows_.empty()) cursor.fail_at(end, "the matrix has no rows");
    if (rows_.size() != format_.num_taxa.value_or(rows_.size())) {
        cursor.fail_at(end, "the matrix has " + std::to_string(rows_.size()) + " taxa, expected the " +
                                std::to_string(*format_.num_taxa) + " that ntax promises");
    }
    Alignment alignment{.file = file_,
                        .names = names_.list().take(),
                        .cells = {},
                        .positions = std::move(positions_),
                        .is_verbatim = is_verbatim_};
    alignment.cells.reserve(rows_.size() * rows_[0].size());
    for (auto const& row : rows_) alignment.cells.insert(alignment.cells.end(), row.begin(), row.end());
    return alignment;
}

/// Consumes the matrix, with its ';'.
Alignment read_matrix(NexusText& nexus, std::string_view text, Format const& format, NexusSets& sets) {
    auto& cursor = nexus.cursor();
    if (!format.num_sites) cursor.fail("expected 'dimensions nchar=N;' before the matrix");
    MatrixReader reader(nexus, format, sets);
    auto const* const begin = cursor.here();
    for (auto const& [part, number] : lines_with_content(text)) {
        Line const line{nexus.visible(part), number};
        if (line.text.data() + line.text.size() < begin) continue;
        auto const* const end = reader.read_line(line, std::max(begin, line.text.data()));
        if (end == nullptr) continue;
        auto alignment = reader.take(cursor, end);
        cursor.take_text(static_cast<std::size_t>(end + 1 - begin));
        return alignment;
    }
    cursor.fail("this matrix does not end; expected ';'");
}

/// Reads the commands of the blocks.
class BlockReader {
public:
    BlockReader(NexusText& nexus, std::string_view text) : nexus_(nexus), text_(text), format_(nexus, sets_) {}

    void read(std::string const& block);
    std::optional<Alignment> take() {
        if (alignment_) sets_.finish(*alignment_);
        return std::move(alignment_);
    }

private:
    /// A block TAXA, which may have a title by which others refer to it.
    struct TaxaBlock {
        std::string title;  // in lower case
        std::optional<std::uint64_t> num_taxa;
    };

    void read_taxa(std::string const& command);
    void read_characters(std::string const& command, char const* at);
    void append_sites(Alignment more, char const* at);
    void read_link();
    std::optional<std::uint64_t> num_linked_taxa() const;

    NexusText& nexus_;
    std::string_view text_;
    NexusSets sets_;
    FormatReader format_;
    std::vector<TaxaBlock> taxa_;
    TaxaBlock const* linked_ = nullptr;
    std::optional<Alignment> alignment_;
    bool has_matrix_ = false;  // whether the block has one
};

void BlockReader::read(std::string const& block) {
    if (block == "taxa") taxa_.emplace_back();
    if (block == "data" || block == "characters") {
        format_.begin_block();
        has_matrix_ = false;
    }
    linked_ = nullptr;
    auto const* at = nexus_.cursor().here();
    for (auto command = nexus_.take_command(); command; command = nexus_.take_command()) {
        if (block == "taxa") {
            read_taxa(*command);
        } else if (block == "data" || block == "characters") {
            read_characters(*command, at);
        } else {
            nexus_.skip_command();
        }
        at = nexus_.cursor().here();
    }
}

void BlockReader::read_taxa(std::string const& command) {
    if (command == "dimensions") return format_.read_dimensions(taxa_.back().num_taxa);
    if (command == "title") taxa_.back().title = lower(nexus_.take_name("block"));
    nexus_.skip_command();
}

void BlockReader::read_characters(std::string const& command, char const* at) {
    if (command == "dimensions") {
        format_.read_own_dimensions();
    } else if (command == "format") {
        format_.read_format();
    } else if (command == "link") {
        read_link();
    } else if (command == "matrix") {
        if (std::exchange(has_matrix_, true)) nexus_.cursor().fail_at(at, "this is the second matrix; expected one");
        format_.use_num_taxa(num_linked_taxa());
        auto matrix = read_matrix(nexus_, text_, format_.format(), sets_);
        if (alignment_) {
            append_sites(std::move(matrix), at);
        } else {
            alignment_ = std::move(matrix);
        }
    } else if (command == "eliminate") {
        nexus_.cursor().fail_at(at, "'eliminate' is not supported; expected a matrix without these characters");
    } else {
        nexus_.skip_command();
    }
}

/// Puts the sites of a further block behind those that were read. Its rows may have another order.
void BlockReader::append_sites(Alignment more, char const* at) {
    auto& rows = *alignment_;
    auto const fail = [&](std::string const& name) {
        nexus_.cursor().fail_at(at, "taxon " + in_quotes(name) +
                                        " is in one block of characters and not in another; expected the same taxa");
    };
    std::unordered_map<std::string_view, std::size_t> row_of;
    for (std::size_t i = 0; i < more.num_taxa(); ++i) row_of.emplace(more.names[i], i);
    if (more.num_taxa() > rows.num_taxa()) {
        for (auto const& name : more.names) {
            if (std::ranges::find(rows.names, name) == rows.names.end()) fail(name);
        }
    }
    std::vector<char> cells;
    cells.reserve(rows.cells.size() + more.cells.size());
    for (std::size_t i = 0; i < rows.num_taxa(); ++i) {
        auto const found = row_of.find(rows.names[i]);
        if (found == row_of.end()) fail(rows.names[i]);
        for (auto const& row : {rows.row(i), more.row(found->second)})
            cells.insert(cells.end(), row.begin(), row.end());
        for (auto const& [begin, count] : more.positions[found->second].runs())
            rows.positions[i].append_run(begin, count);
    }
    rows.cells = std::move(cells);
    rows.is_verbatim = false;
}

/// Reads a command such as `link taxa = TITLE;`.
void BlockReader::read_link() {
    auto& cursor = nexus_.cursor();
    while (!cursor.take(';')) {
        auto const what = nexus_.take_word();
        nexus_.expect('=', "after " + in_quotes(what));
        auto const* const at = cursor.here();
        auto const title = lower(nexus_.take_name("block"));
        if (what != "taxa") continue;
        auto const found = std::ranges::find(taxa_, title, &TaxaBlock::title);
        if (found == taxa_.end()) cursor.fail_at(at, "there is no block 'taxa' with the title " + in_quotes(title));
        linked_ = &*found;
    }
}

/// The number of taxa that the linked block states, or the only one; none if it is not said which block is meant.
std::optional<std::uint64_t> BlockReader::num_linked_taxa() const {
    if (linked_ != nullptr) return linked_->num_taxa;
    return taxa_.size() == 1 ? taxa_.front().num_taxa : std::nullopt;
}

}  // namespace

Alignment parse_nexus(std::string_view text, std::string const& file) {
    NexusText nexus(text, file);
    BlockReader blocks(nexus, text);
    while (auto const block = nexus.take_block()) blocks.read(*block);
    if (auto alignment = blocks.take()) return *std::move(alignment);
    throw InputError({file}, "expected a block 'data' or 'characters' with a matrix, found none");
}

}  // namespace regraft::msa
