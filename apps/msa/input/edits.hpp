// What the user asks for of the commands that make other alignments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "input/general.hpp"

namespace regraft::msa_cli {

struct ConcatOptions {
    GeneralOptions general;
    Places places;           // the inputs: one per locus
    std::string partitions;  // where the partition file goes; empty: nowhere
    char fill = '-';         // the cells of a taxon that a locus does not have
    Look look;
};

struct DedupOptions {
    GeneralOptions general;
    Places places;         // has one input
    std::string table;     // where the table of equal taxa goes; empty: nowhere
    std::string put_back;  // such a table; empty: rows are left out, not put back
    Look look;
};

struct RenameOptions {
    GeneralOptions general;
    Places places;      // has one input
    std::string table;  // old and new names
    bool back = false;  // from new to old names
    Look look;
};

struct TrimOptions {
    GeneralOptions general;
    Places places;                   // has one input
    std::optional<double> max_gaps;  // the largest share of cells without data in a column; none: any
    double min_data = 0;             // the smallest share of cells with data in a row
    bool no_empty = false;           // leave out columns without data
    bool no_constant = false;        // leave out constant columns
    std::string kept;                // where the list of sites goes that are kept; empty: nowhere
    std::string partitions;          // of the input; empty: those that are stored
    std::string new_partitions;      // where those of the result go; empty: nowhere
    Look look;
};

struct MaskOptions {
    GeneralOptions general;
    Places places;           // has one input
    std::string sites;       // as a list of ranges
    std::optional<char> by;  // the character that is put there; none: N, X or ?
    Look look;
};

struct TranslateOptions {
    GeneralOptions general;
    Places places;           // has one input
    std::uint32_t code = 1;  // the number of NCBI's table
    int frame = 1;           // the first site, 1 to 3; -1 to -3: of the other strand
    char stop_as = '*';      // what stops become
    Look look;
};

struct SampleOptions {
    GeneralOptions general;
    Places places;  // has one input
    std::uint64_t seed = 1;
    bool bootstrap = false;      // as many sites as there are, with replacement
    std::uint64_t sites = 0;     // so many, without replacement; 0: all
    std::uint64_t taxa = 0;      // so many; 0: all
    std::string blocks;          // partition file: loci are drawn, then sites within; empty: sites are drawn
    std::string new_partitions;  // where the partitions of the result go; empty: nowhere
    Look look;
};

}  // namespace regraft::msa_cli
