// Reads FASTA row by row. Each row is compared with the reference, and forgotten.
#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "msa/differences/letters.hpp"
#include "msa/differences/line_reader.hpp"
#include "msa/text/text.hpp"
#include "regraft/msa/difference_rows.hpp"

namespace regraft::msa {
namespace {

constexpr std::size_t rows_for_reference = 256;
constexpr std::size_t cells_for_reference = std::size_t{64} << 20;  // at most so many, but one row at least
/// Rows that differ more are no nearly equal rows.
constexpr std::size_t sites_per_entry = 16;
constexpr std::size_t entries_in_any_case = std::size_t{1} << 17;

/// The place of the first cell from `begin` on that differs; cells.size() if none does.
std::size_t find_difference(std::string_view cells, std::string const& reference, std::size_t begin) {
    std::uint64_t one = 0;
    std::uint64_t other = 0;
    for (; begin + sizeof one <= cells.size(); begin += sizeof one) {
        std::memcpy(&one, cells.data() + begin, sizeof one);
        std::memcpy(&other, reference.data() + begin, sizeof other);
        if (one != other) break;
    }
    while (begin < cells.size() && cells[begin] == reference[begin]) ++begin;
    return begin;
}

class Reader {
public:
    explicit Reader(TextSource const& source) : lines_(source) {}
    /// Takes letters and reference of other rows.
    Reader(TextSource const& source, DifferenceRows const& like) : lines_(source), num_sites_(like.num_sites()) {
        set_letters({like.letters.data(), like.letters.size()});
        rows_.reference = like.reference;
        reference_ = like.reference_text();
    }

    std::optional<DifferenceText> read() {
        std::string_view line;
        if (!next_line(line)) return std::nullopt;
        for (bool more = true; more;) {
            if (!take_name(line) || !read_cells(line, more) || !take_cells()) return std::nullopt;
        }
        if (rows_.num_taxa() <= rows_for_reference && !first_rows_.empty() && !compare_first_rows())
            return std::nullopt;
        if (std::unordered_set<std::string_view>(rows_.names.begin(), rows_.names.end()).size() != rows_.num_taxa())
            return std::nullopt;
        layout_.ends_with_newline = lines_.ends_with_newline();
        if (std::ranges::all_of(layout_.descriptions, &std::string::empty)) layout_.descriptions.clear();
        return DifferenceText{std::move(rows_), std::move(layout_)};
    }

private:
    /// The next line without its end. False at the end of the text, or if lines end in different ways.
    bool next_line(std::string_view& line) {
        if (!lines_.next(line)) return false;
        bool const has_return = line.ends_with('\r');
        if (std::exchange(is_first_line_, false)) layout_.carriage_returns = has_return;
        is_regular_ = is_regular_ && has_return == (layout_.carriage_returns && lines_.ends_with_newline());
        if (has_return) line.remove_suffix(1);
        return is_regular_;
    }

    bool take_name(std::string_view line) {
        if (!line.starts_with('>') || (rows_.names.empty() && begins_pir(line))) return false;
        auto const name = first_word(line.substr(1));
        auto const description = line.substr(1 + name.size());
        if (name.empty() || line[1] != name[0] || !find_unprintable(name).empty()) return false;
        rows_.names.emplace_back(name);
        layout_.descriptions.emplace_back(description);
        return true;
    }

    /// Reads the lines of a row. `line` becomes the one behind them; more: whether there is one.
    bool read_cells(std::string_view& line, bool& more) {
        cells_.clear();
        std::size_t num_lines = 0;
        bool is_last = false;  // whether a line was shorter than the others, and thus the last one
        while ((more = next_line(line)) && !line.starts_with('>')) {
            if (line.empty() || is_last) return false;
            if (rows_.num_taxa() == 1 && num_lines == 0) width_ = line.size();
            if (line.size() > width_) return false;
            is_last = line.size() < width_;
            cells_ += line;
            ++num_lines;
        }
        if (rows_.num_taxa() == 1) {
            if (reference_.empty()) num_sites_ = cells_.size();
            layout_.line_width = num_lines > 1 ? width_ : 0;
        }
        return is_regular_ && !cells_.empty() && cells_.size() == num_sites_ && num_sites_ <= most_difference_sites;
    }

    bool take_cells() {
        if (!reference_.empty()) return compare(cells_);
        first_rows_.push_back(std::exchange(cells_, {}));
        bool const is_enough =
            first_rows_.size() == rows_for_reference || (first_rows_.size() + 1) * num_sites_ > cells_for_reference;
        return !is_enough || compare_first_rows();
    }

    /// Makes the reference from the first rows.
    bool compare_first_rows() {
        choose_letters();
        rows_.reference.resize(num_sites_);
        for (std::size_t site = 0; site < num_sites_; ++site) {
            std::array<std::uint32_t, no_letter + 1> count{};
            for (auto const& row : first_rows_) ++count[letter_of_[static_cast<unsigned char>(row[site])]];
            rows_.reference[site] =
                static_cast<std::uint8_t>(std::max_element(count.begin(), count.begin() + no_letter) - count.begin());
        }
        reference_ = rows_.reference_text();
        auto const is_good = std::ranges::all_of(first_rows_, [&](auto const& row) { return compare(row); });
        first_rows_.clear();
        first_rows_.shrink_to_fit();
        return is_good;
    }

    void choose_letters() {
        Histogram count{};
        for (auto const& row : first_rows_)
            for (char const c : row) ++count[static_cast<unsigned char>(c)];
        set_letters(most_frequent_letters(count));
    }

    void set_letters(std::string_view letters) {
        letter_of_.fill(no_letter);
        for (std::uint8_t letter = 0; letter < no_letter; ++letter) {
            rows_.letters[letter] = letters[letter];
            letter_of_[static_cast<unsigned char>(letters[letter])] = letter;
        }
    }

    /// Appends the differences of a row. False if it has characters that no alignment has, or if there are too many.
    bool compare(std::string_view cells) {
        for (auto at = find_difference(cells, reference_, 0); at < cells.size();
             at = find_difference(cells, reference_, at)) {
            char const character = cells[at];
            auto const letter = letter_of_[static_cast<unsigned char>(character)];
            auto const site = static_cast<std::uint32_t>(at);
            if (letter != no_letter) {
                rows_.differences.push_value({site, letter});
                ++at;
                continue;
            }
            if (!is_symbol(character)) return false;
            at = std::min(cells.find_first_not_of(character, at), cells.size());
            rows_.runs.push_value({site, static_cast<std::uint32_t>(at) - site, character});
        }
        rows_.differences.end_row();
        rows_.runs.end_row();
        auto const entries = rows_.differences.values.size() + rows_.runs.values.size();
        return entries <= entries_in_any_case + num_sites_ / sites_per_entry * rows_.differences.size();
    }

    LineReader lines_;
    DifferenceRows rows_;
    TextLayout layout_;
    bool is_first_line_ = true;
    bool is_regular_ = true;
    std::string cells_;      // of the row that is read
    std::size_t width_ = 0;  // of the first line of cells
    std::size_t num_sites_ = 0;
    std::vector<std::string> first_rows_;
    std::string reference_;  // empty as long as there are only first rows
    std::array<std::uint8_t, 256> letter_of_{};
};

}  // namespace

std::optional<DifferenceText> read_differences(TextSource const& source) {
    return Reader(source).read();
}

std::optional<DifferenceText> read_differences(TextSource const& source, DifferenceRows const& like) {
    return Reader(source, like).read();
}

}  // namespace regraft::msa
