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

}  // namespace regraft::msa_cli
