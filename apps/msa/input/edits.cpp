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

constexpr char const* dedup_after =
    R"(Of taxa with equal sequences, character by character, the first one is kept. --table writes a line
for each taxon of FILE, in the order of FILE: its name, a tab, the name of the taxon that is kept for
it (its own if it is kept), a tab, and the rest of its line in FASTA. --put-back gives FILE again from
the result, and likewise rows to taxa that were left out of another file, such as a trimmed one.

  regraft-msa dedup -o few.fa --table equal.tsv genes.fa
  regraft-msa dedup --put-back equal.tsv few.fa > genes.fa)";

constexpr char const* rename_after =
    R"(Each line of the table has the name of a taxon, a tab, and its new name. Other taxa keep their names.
Two taxa may exchange names. --back gives the old names to taxa that have the new ones.

  regraft-msa rename --table names.tsv -o short.phy genes.phy
  regraft-msa rename --table names.tsv --back short.phy > genes.phy)";

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

/// Adds the one input of a command.
void add_input(CLI::App& app, Places& places) {
    app.add_option("FILE", places.inputs, "an alignment, compressed or not; -: standard input")
        ->required()
        ->expected(1)
        ->type_name("");
}

/// Adds what comes last in all commands with one input.
void add_rest(CLI::App& app, Places& places, Look& look, GeneralOptions& general, char const* after) {
    add_output(app, places, "write to this file (default: standard output)");
    add_look(app, look);
    add_general(app, general);
    app.footer(after);
}

CLI::App* add_dedup(CLI::App& app, DedupOptions& options) {
    auto* const command =
        app.add_subcommand("dedup", "leave out taxa whose sequences are equal to another one, or put them back");
    add_input(*command, options.places);
    auto* const table =
        command->add_option("--table", options.table, "write a table of which taxa are equal")->type_name("TSV");
    command->add_option("--put-back", options.put_back, "put taxa back that such a table names")
        ->type_name("TSV")
        ->excludes(table);
    add_rest(*command, options.places, options.look, options.general, dedup_after);
    return command;
}

void complete(DedupOptions& options, CLI::App const&) {
    complete_places(options.places);
    options.places.others = {options.put_back};
    if (options.put_back == "-" && options.places.inputs[0] == "-")
        throw CLI::ValidationError("--put-back",
                                   "is standard input, and so is FILE; expected one of them to be a file");
    if (options.table == "-" && options.places.output == "-")
        throw CLI::ValidationError("--table -", "is standard output, and so is the alignment; expected -o OUT");
}

CLI::App* add_rename(CLI::App& app, RenameOptions& options) {
    auto* const command = app.add_subcommand("rename", "give taxa other names");
    add_input(*command, options.places);
    command->add_option("--table", options.table, "the table of old and new names")->required()->type_name("TSV");
    command->add_flag("--back", options.back, "give the old names in place of the new ones");
    add_rest(*command, options.places, options.look, options.general, rename_after);
    return command;
}

void complete(RenameOptions& options, CLI::App const&) {
    complete_places(options.places);
    options.places.others = {options.table};
    if (options.table == "-" && options.places.inputs[0] == "-")
        throw CLI::ValidationError("--table", "is standard input, and so is FILE; expected one of them to be a file");
}

}  // namespace

void add_edits(CommandLine<Options>& line) {
    line.add<ConcatOptions>(add_concat, complete);
    line.add<DedupOptions>(add_dedup, complete);
    line.add<RenameOptions>(add_rename, complete);
}

}  // namespace regraft::msa_cli
