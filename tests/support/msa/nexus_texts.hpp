// Alignments as NEXUS in every style that the reader accepts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "regraft/core/random.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::test {

/// Whether characters of the text stand for others: gaps, missing data, matches with the first row, sets of states.
enum class NexusWords { verbatim, translated };

/// Blocks and commands, their case, and the ends and widths of lines are drawn once. Comments, blanks, and quotes
/// around names are drawn all the time.
class NexusWriter {
public:
    NexusWriter(msa::Alignment const& alignment, NexusWords words, Random& random)
        : alignment_(alignment), words_(words), random_(random) {}

    std::string write() {
        is_interleaved_ = random_.below(2) == 0;
        line_end_ = std::vector<std::string>{"\n", "\r\n", "\r"}[random_.below(3)];
        text_ = random_.below(5) == 0 ? "\xef\xbb\xbf" : "";
        add(keyword("#nexus"));
        end_line();
        if (random_.below(2) == 0) other_block();
        bool const has_taxa = random_.below(2) == 0;
        if (has_taxa) taxa_block();
        add(keyword("begin ") + keyword(has_taxa ? "characters;" : "data;"));
        end_line();
        if (random_.below(3) == 0) add(keyword("title ") + "'a; title';" + line_end_);
        add(keyword("dimensions ") + (has_taxa ? "" : keyword("ntax=") + std::to_string(alignment_.num_taxa()) + " ") +
            keyword("nchar") + " = " + std::to_string(alignment_.num_sites()) + ";");
        end_line();
        format();
        add(keyword("matrix"));
        end_line();
        is_interleaved_ ? interleaved() : sequential();
        add(";" + line_end_ + keyword("end;"));
        if (random_.below(2) == 0) end_line();
        if (random_.below(2) == 0) other_block();
        return text_;
    }

private:
    bool is_translated() const { return words_ == NexusWords::translated; }
    void add(std::string const& words) { text_ += words; }

    std::string keyword(std::string word) {
        if (random_.below(2) == 0) return word;
        for (char& c : word) {
            if ('a' <= c && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        }
        return word;
    }

    void comment() {
        if (random_.below(12) == 0) add(random_.below(2) == 0 ? "[a 'comment; [1]]" : "[AC]");
    }

    void end_line() {
        if (random_.below(4) == 0) add(" [of" + line_end_ + "lines]");
        add(line_end_);
        if (random_.below(5) == 0) add("\t" + line_end_);
    }

    void other_block() {
        add(keyword("begin notes; ") + "text taxon=1 text='it''s; end;'; " + keyword("end;"));
        end_line();
    }

    void taxa_block() {
        add(keyword("begin taxa; dimensions ntax=") + std::to_string(alignment_.num_taxa()) + "; taxlabels");
        for (auto const& name : alignment_.names) add(" " + label(name));
        add("; " + keyword("endblock;"));
        end_line();
    }

    void format() {
        add(keyword("format datatype=dna"));
        if (random_.below(2) == 0) add(" symbols = \"A C G T;\"");
        if (is_translated()) add(" " + keyword("gap") + "=# " + keyword("missing = ") + "'x' matchchar=.");
        if (!is_translated() && random_.below(2) == 0) add(" gap=- missing=?");
        if (is_interleaved_) add(random_.below(2) == 0 ? " interleave" : " interleave=yes");
        if (!is_interleaved_ && random_.below(2) == 0) add(" interleave=no");
        add(";");
        end_line();
    }

    std::string label(std::string const& name) {
        if (random_.below(3) != 0 && name.find_first_of(" '[]") == std::string::npos) return name;
        std::string quoted = "'";
        for (char const c : name) quoted += c == '\'' ? "''" : std::string(1, c);
        return quoted + "'";
    }

    void cells(std::size_t taxon, std::size_t first, std::size_t last) {
        for (auto site = first; site < last; ++site) {
            if (random_.below(10) == 0) add(" ");
            comment();
            add(is_translated() ? translated(taxon, site) : std::string(1, alignment_.cell(taxon, site)));
        }
    }

    std::string translated(std::size_t taxon, std::size_t site) {
        auto const cell = alignment_.cell(taxon, site);
        if (taxon != 0 && cell == alignment_.cell(0, site) && random_.below(2) == 0) return ".";
        if (cell == '-') return "#";
        if (cell == '?') return random_.below(2) == 0 ? "x" : "X";
        if (cell == 'Y') return random_.below(2) == 0 ? "{CT}" : "(t, c)";
        return {cell};
    }

    void sequential() {
        auto const num_sites = alignment_.num_sites();
        for (std::size_t taxon = 0; taxon < alignment_.num_taxa(); ++taxon) {
            add(label(alignment_.names[taxon]) + " ");
            std::size_t site = 0;
            do {
                auto const last = std::min(num_sites, site + 1 + random_.below(num_sites + 1));
                cells(taxon, site, last);
                end_line();
                site = last;
            } while (site < num_sites);
        }
    }

    void interleaved() {
        auto const num_sites = alignment_.num_sites();
        std::size_t site = 0;
        do {
            auto const last = std::min(num_sites, site + 1 + random_.below(num_sites + 1));
            for (std::size_t taxon = 0; taxon < alignment_.num_taxa(); ++taxon) {
                add(label(alignment_.names[taxon]) + "  ");
                cells(taxon, site, last);
                end_line();
            }
            end_line();
            site = last;
        } while (site < num_sites);
    }

    msa::Alignment const& alignment_;
    NexusWords words_;
    Random& random_;
    std::string text_;
    std::string line_end_;
    bool is_interleaved_ = false;
};

inline std::string random_nexus(msa::Alignment const& alignment, NexusWords words, Random& random) {
    return NexusWriter(alignment, words, random).write();
}

/// Characters for mutated().
inline constexpr std::string_view nexus_letters = "\n\r;='\"[]{}(),.#?-ACGTendx01 \0\xff";

}  // namespace regraft::test
