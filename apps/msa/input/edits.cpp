#include "input/edits.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "input/declare.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

constexpr char const* concat_after =
    R"(Each FILE is a locus: an alignment in any format that compress reads, or a .rgm file. The result has
a row for each taxon of any of them, in the order in which they first appear, and the loci one
behind the other. A taxon that a locus lacks has gaps there, or what --fill says.

The partition file names each locus as its file, without folder and extension: loci/cytb.fa.gz
is cytb. It has usual models, to be changed at will: GTR+G4 for DNA, LG+G4 for amino acids, BIN+G4
for the states 0 and 1, MULTIn_MK+G4 for n others. If its name ends with .nex, it is in NEXUS, and
otherwise as RAxML-NG and IQ-TREE read it. --partitions of regraft-phylo and of compress take both.

  regraft-msa concat -o all.phy --partitions all.part --format phylip loci/*.fa
  regraft-phylo search --msa all.phy --partitions all.part)";

/// Without an option for the output, it is standard output.
void complete_places(Places& places) {
    if (places.output.empty()) places.output = "-";
    if (std::ranges::count(places.inputs, "-") > 1) throw CLI::ValidationError("-", "can be read only once");
}

CLI::App* add_concat(CLI::App& app, ConcatOptions& options) {
    auto* const command = app.add_subcommand("concat", "put alignments of loci side by side: a supermatrix");
    command->add_option("FILE", options.places.inputs, "alignments, one per locus; -: standard input")
        ->required()
        ->type_name("");
    add_output(*command, options.places, "write to this file (default: standard output)");
    command->add_option("--partitions", options.partitions, "also write which sites are those of which locus")
        ->type_name("FILE")
        ->group("Output");
    static std::map<std::string, char> const fills{{"-", '-'}, {"?", '?'}, {"N", 'N'}, {"X", 'X'}};
    command
        ->add_option("--fill", options.fill,
                     "the character of a taxon where a locus lacks it: -, ?, N or X (default -)")
        ->transform(common::one_of(fills))
        ->type_name("CHAR")
        ->group("Text");
    add_look(*command, options.look);
    add_general(*command, options.general);
    command->footer(concat_after);
    return command;
}

void complete(ConcatOptions& options, CLI::App const&) {
    complete_places(options.places);
    if (options.partitions == "-" && options.places.output == "-")
        throw CLI::ValidationError("--partitions -", "is standard output, and so is the alignment; expected -o OUT");
}

}  // namespace

void add_edits(CommandLine<Options>& line) {
    line.add<ConcatOptions>(add_concat, complete);
}

}  // namespace regraft::msa_cli
