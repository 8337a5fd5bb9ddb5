// Alignments as texts in every style that the readers accept, tidy ones and others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/random.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::test {

/// Distinct names of letters and digits, cells drawn from `symbols`.
inline msa::Alignment random_alignment(std::size_t num_taxa, std::size_t num_sites, Random& random,
                                       std::string_view symbols = "ACGTacgtN-") {
    msa::Alignment alignment;
    alignment.file = "f";
    for (std::size_t taxon = 0; taxon < num_taxa; ++taxon) {
        constexpr std::string_view letters = "abcxyz_|.";
        auto name = std::to_string(taxon);
        for (auto n = random.below(5); n > 0; --n) name.insert(name.begin(), letters[random.below(letters.size())]);
        alignment.names.push_back(name);
        for (std::size_t site = 0; site < num_sites; ++site) {
            alignment.cells.push_back(symbols[random.below(symbols.size())]);
        }
    }
    return alignment;
}

enum class TextStyle { fasta, relaxed_sequential, relaxed_interleaved, strict_sequential, strict_interleaved };
inline constexpr int num_text_styles = 5;

enum class Tidiness { regular, with_oddities };

/// Writes one text. The width of lines and their ends are drawn once; oddities, blanks and blank lines are drawn all
/// the time.
class TextWriter {
public:
    TextWriter(msa::Alignment const& alignment, TextStyle style, Tidiness tidiness, Random& random)
        : alignment_(alignment), style_(style), tidiness_(tidiness), random_(random) {}

    std::string write() {
        draw_style();
        if (style_ == TextStyle::fasta) {
            write_fasta();
        } else {
            write_phylip();
        }
        if (random_.below(3) == 0 && text_.ends_with(line_end_)) text_.erase(text_.size() - line_end_.size());
        return text_;
    }

private:
    bool happens() { return tidiness_ == Tidiness::with_oddities && random_.below(4) == 0; }

    void draw_style() {
        bool const odd = tidiness_ == Tidiness::with_oddities;
        line_end_ = random_.below(2) == 0 ? "\n" : "\r\n";
        if (odd && random_.below(5) == 0) line_end_ = "\r";
        if (odd && random_.below(5) == 0) text_ = "\xef\xbb\xbf";
        auto const num_sites = std::max<std::size_t>(1, alignment_.num_sites());
        width_ = random_.below(2) == 0 ? num_sites : 1 + random_.below(num_sites);
        name_width_ = random_.below(12);
        has_descriptions_ = random_.below(2) == 0;
    }

    void end_line() {
        if (happens()) text_ += random_.below(2) == 0 ? " " : " \t";
        text_ += line_end_;
        if (!happens()) return;
        if (random_.below(2) == 0) text_ += ' ';
        text_ += line_end_;
    }

    void cells(std::size_t taxon, std::size_t first, std::size_t last) {
        for (char const cell : alignment_.row(taxon).substr(first, last - first)) {
            if (happens()) text_ += ' ';
            text_ += cell;
        }
    }

    void lines(std::size_t taxon) {
        auto const num_sites = alignment_.num_sites();
        for (std::size_t first = 0; first < num_sites; first += width_) {
            cells(taxon, first, std::min(first + width_, num_sites));
            end_line();
        }
    }

    void write_fasta() {
        for (std::size_t taxon = 0; taxon < alignment_.num_taxa(); ++taxon) {
            if (happens()) text_ += ' ';
            text_ += '>';
            if (happens()) text_ += ' ';
            text_ += alignment_.names[taxon];
            if (has_descriptions_ && random_.below(3) != 0)
                text_.append(" words \xff\x01").append(std::to_string(taxon));
            end_line();
            lines(taxon);
        }
    }

    void name(std::size_t taxon) {
        auto label = alignment_.names[taxon];
        bool const is_strict = style_ == TextStyle::strict_sequential || style_ == TextStyle::strict_interleaved;
        label.resize(is_strict ? 10 : std::max(name_width_, label.size() + (alignment_.num_sites() != 0 ? 1 : 0)), ' ');
        if (alignment_.num_sites() == 0 && !happens()) label.erase(label.find_last_not_of(' ') + 1);
        text_ += label;
    }

    void write_phylip() {
        if (happens()) text_ += ' ';
        text_ += std::to_string(alignment_.num_taxa()) + (happens() ? "  " : " ");
        text_ += std::to_string(alignment_.num_sites());
        end_line();
        bool const is_interleaved = style_ == TextStyle::relaxed_interleaved || style_ == TextStyle::strict_interleaved;
        if (!is_interleaved) {
            for (std::size_t taxon = 0; taxon < alignment_.num_taxa(); ++taxon) {
                name(taxon);
                alignment_.num_sites() == 0 ? end_line() : lines(taxon);
            }
            return;
        }
        auto const num_sites = alignment_.num_sites();
        for (std::size_t first = 0; first == 0 || first < num_sites; first += width_) {
            if (first != 0) end_line();
            for (std::size_t taxon = 0; taxon < alignment_.num_taxa(); ++taxon) {
                if (first == 0) name(taxon);
                cells(taxon, first, std::min(first + width_, num_sites));
                end_line();
            }
        }
    }

    msa::Alignment const& alignment_;
    TextStyle style_;
    Tidiness tidiness_;
    Random& random_;
    std::string text_;
    std::string line_end_;
    std::size_t width_ = 1;
    std::size_t name_width_ = 0;
    bool has_descriptions_ = false;
};

/// Names have at most seven characters, so that strict ones can be told from cells.
inline std::string random_text(msa::Alignment const& alignment, TextStyle style, Tidiness tidiness, Random& random) {
    return TextWriter(alignment, style, tidiness, random).write();
}

/// Characters that alignments consist of, and others: for mutated().
inline constexpr std::string_view alignment_letters = "\n\r\t  >0123456789ACGT-\0\x7f\xff";

}  // namespace regraft::test
