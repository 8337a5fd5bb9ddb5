// Alignments as Stockholm, Clustal and A3M in the styles that programs write.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/random.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::test {

enum class BlockStyle { stockholm, clustal };

/// The width of blocks and the ends of lines are drawn once; annotations, marks and counts all the time.
class BlockWriter {
public:
    BlockWriter(msa::Alignment const& alignment, BlockStyle style, Random& random)
        : alignment_(alignment), is_stockholm_(style == BlockStyle::stockholm), random_(random) {}

    /// Precondition: there are sites.
    std::string write() {
        line_end_ = std::vector<std::string>{"\n", "\r\n", "\r"}[random_.below(3)];
        auto const num_sites = alignment_.num_sites();
        auto const width = random_.below(2) == 0 ? num_sites : 1 + random_.below(num_sites);
        text_ = random_.below(5) == 0 ? "\xef\xbb\xbf" : "";
        line(is_stockholm_ ? "# STOCKHOLM 1.0" : random_.below(2) == 0 ? "CLUSTAL W (1.82) alignment" : "MUSCLE (3.8)");
        for (std::size_t first = 0; first < num_sites; first += width) block(first, std::min(first + width, num_sites));
        if (is_stockholm_) line("//");
        if (random_.below(3) == 0) text_.erase(text_.size() - line_end_.size());
        return text_;
    }

private:
    void line(std::string const& content) { text_ += content + line_end_; }

    void annotation() {
        if (is_stockholm_ && random_.below(4) == 0) line(random_.below(2) == 0 ? "#=GF ID a family" : "#=GS a DE b");
    }

    void block(std::size_t first, std::size_t last) {
        if (random_.below(2) == 0) line("");
        annotation();
        for (std::size_t taxon = 0; taxon < alignment_.num_taxa(); ++taxon) {
            auto content = alignment_.names[taxon] + std::string(1 + random_.below(8), ' ');
            content += alignment_.row(taxon).substr(first, last - first);
            if (!is_stockholm_ && random_.below(3) == 0) content += " " + std::to_string(last);
            line(content + (random_.below(6) == 0 ? " " : ""));
            if (is_stockholm_ && random_.below(5) == 0) line("#=GR " + alignment_.names[taxon] + " SS ..HH");
        }
        if (is_stockholm_ && random_.below(3) == 0) line("#=GC RF xx..");
        if (!is_stockholm_ && random_.below(2) == 0) line("           *: .* ");
        line("");
    }

    msa::Alignment const& alignment_;
    bool is_stockholm_;
    Random& random_;
    std::string text_;
    std::string line_end_;
};

inline std::string random_block_text(msa::Alignment const& alignment, BlockStyle style, Random& random) {
    return BlockWriter(alignment, style, random).write();
}

/// Columns in upper case, and between them residues in lower case that only some rows have.
struct InsertedText {
    msa::Alignment a2m;  // the rows with '.' where others have a residue in lower case
    std::string a3m;     // the same without '.', in lines of some width
};

inline InsertedText random_a3m(std::size_t num_taxa, std::size_t num_columns, Random& random) {
    std::vector<std::string> filled(num_taxa);
    std::vector<std::string> written(num_taxa);
    for (std::size_t column = 0; column <= num_columns; ++column) {
        std::vector<std::string> inserted(num_taxa);
        std::size_t widest = 0;
        for (std::size_t taxon = 1; taxon < num_taxa; ++taxon) {
            for (auto n = random.below(8) == 0 ? random.below(4) : 0; n > 0; --n)
                inserted[taxon] += "acgt"[random.below(4)];
            widest = std::max(widest, inserted[taxon].size());
        }
        for (std::size_t taxon = 0; taxon < num_taxa; ++taxon) {
            auto const cell = std::string(column < num_columns ? 1 : 0, "ACGT-"[random.below(taxon == 0 ? 4 : 5)]);
            filled[taxon] += inserted[taxon] + std::string(widest - inserted[taxon].size(), '.') + cell;
            written[taxon] += inserted[taxon] + cell;
        }
    }
    InsertedText result;
    auto const width = 1 + random.below(2 * num_columns);
    for (std::size_t taxon = 0; taxon < num_taxa; ++taxon) {
        result.a2m.names.push_back("t" + std::to_string(taxon));
        result.a2m.cells.insert(result.a2m.cells.end(), filled[taxon].begin(), filled[taxon].end());
        result.a3m += ">t" + std::to_string(taxon) + " words\n";
        for (std::size_t at = 0; at < written[taxon].size(); at += width)
            result.a3m += written[taxon].substr(at, width) + "\n";
    }
    return result;
}

/// Characters for mutated().
inline constexpr std::string_view block_letters = "\n\r //#=*:.ACGTacgt-0123CLUSTAL\0\xff";

}  // namespace regraft::test
