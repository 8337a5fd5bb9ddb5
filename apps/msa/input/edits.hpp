// What the user asks for of the commands that make other alignments.
#pragma once

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

}  // namespace regraft::msa_cli
