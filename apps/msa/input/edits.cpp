#include "input/edits.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <system_error>

#include "input/declare.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

constexpr std::uint64_t most_codes = 33;

constexpr char const* concat_after =
    R"(Each FILE is a locus: an alignment in any format that compress reads, or a .rgm file. The result has
a row for each taxon of any of them, in the order in which they first appear, and the loci one
behind the other. A taxon that a locus lacks has gaps there, or what --fill says.

The partition file names each locus as its file, without folder and extension: loci/cytb.fa.gz
is cytb. It has usual models, to be changed at will: GTR+G4 for DNA, LG+G4 for amino acids, BIN+G4
for the states 0 and 1, MULTIn_MK+G4 for n others. If its name ends with .nex, it is in NEXUS, and
otherwise as RAxML-NG and IQ-TREE read it. --partitions of regraft-phylo and of compress take both.

FILE may also be a partition file in NEXUS whose charsets name alignments, as in IQ-TREE:
charset cytb = loci/cytb.fa: 1-900. Its partitions go to --partitions, with their models.

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

constexpr char const* trim_after =
    R"(Gaps are all characters that may be any state: '-', '?', N in DNA, X in amino acids. Taxa are left out
first, by their share of all sites, and then columns, by what the taxa that are left have there. A column
is constant if one state fits all taxa.

--kept writes the sites that are kept as a list, such as 1-10,55, which extract --sites takes, so that
another file can be cut alike. --new-partitions writes the partition file of the result, made of
--partitions, or of what is stored in a .rgm file. Partitions without sites are left out.

  regraft-msa trim --max-gaps 0.5 --min-data 0.2 genes.fa > dense.fa
  regraft-msa trim --max-gaps 0.5 --partitions all.part --new-partitions dense.part -o dense.phy all.phy
  regraft-msa trim --no-constant genes.fa.rgm)";

constexpr char const* mask_after =
    R"(Sites are given as for extract --sites. There, all taxa get the character of --by. It is N for DNA, X for
amino acids and ? for others, unless it is given, and no state of the alignment.

  regraft-msa mask --sites 1-55,29804-29903 genomes.fa > masked.fa)";

constexpr char const* translate_after =
    R"(Codes have the numbers of NCBI: 1 standard, 2 mitochondria of vertebrates, 3 of yeasts, 4 of moulds and
protozoa, and Mycoplasma, 5 mitochondria of invertebrates, 6 ciliates, 9 mitochondria of echinoderms,
11 bacteria and plastids, 13 mitochondria of ascidians; also 10, 12, 14 to 16 and 21 to 33. A codon that
may be an amino acid or a stop by its place is the amino acid.

Three gaps are one gap. Codons with one gap or two are X, and counted. An ambiguous codon is the amino
acid that all of its codons mean, or B (D or N), Z (E or Q) or J (I or L), and otherwise X. Stops with
an amino acid behind them are told. Frames -1 to -3 are those of the other strand, from its begin.

  regraft-msa translate cds.fa > proteins.fa
  regraft-msa translate --code 2 --stop-as X -o cytb.aa.phy cytb.phy)";

constexpr char const* sample_after =
    R"(The same FILE and seed give the same result on every machine, for any number of threads. Sites and taxa
are in the order of FILE; which taxa are drawn does not depend on the sites.

--bootstrap draws as many sites as there are, with replacement. With --blocks, a partition file, it draws
as many loci as there are, with replacement, and then within each of them as many sites as it has. The
second time that the locus a is drawn, it is a.2 in --new-partitions.

  regraft-msa sample --bootstrap --seed 7 genes.fa > replicate7.fa
  regraft-msa sample --sites 1000 --taxa 50 genes.fa.rgm > small.fa
  regraft-msa sample --bootstrap --blocks all.part --new-partitions b.part -o b.phy all.phy)";

/// Without an option for the output, it is standard output.
void complete_places(Places& places) {
    if (places.output.empty()) places.output = "-";
    if (std::ranges::count(places.inputs, "-") > 1) throw CLI::ValidationError("-", "can be read only once");
}

/// Characters that may be any state.
std::map<std::string, std::uint64_t> const& fills() {
    static std::map<std::string, std::uint64_t> const characters{{"-", '-'}, {"?", '?'}, {"N", 'N'}, {"X", 'X'}};
    return characters;
}

CLI::App* add_concat(CLI::App& app, ConcatOptions& options) {
    auto* const command = app.add_subcommand("concat", "put alignments of loci side by side: a supermatrix");
    command
        ->add_option("FILE", options.places.inputs,
                     "alignments, one per locus, or partition files whose charsets name alignments; -: standard input")
        ->required()
        ->type_name("");
    add_output(*command, options.places, "write to this file (default: standard output)");
    command->add_option("--partitions", options.partitions, "also write which sites are those of which locus")
        ->type_name("FILE")
        ->group("Output");
    command
        ->add_option("--fill", options.fill,
                     "the character of a taxon where a locus lacks it: -, ?, N or X (default -)")
        ->transform(common::one_of(fills()))
        ->type_name("CHAR")
        ->group("Text");
    add_look(*command, options.look);
    add_names(*command, options.general);
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
    add_names(app, general);
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

/// Accepts a decimal number from 0 to 1.
CLI::Validator share() {
    return {[](std::string const& text) -> std::string {
                double value = -1;
                auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
                bool const is_share =
                    error == std::errc() && end == text.data() + text.size() && 0 <= value && value <= 1;
                return is_share ? "" : "expected a number from 0 to 1, found '" + text + "'";
            },
            ""};
}

CLI::App* add_trim(CLI::App& app, TrimOptions& options) {
    constexpr auto* group = "What goes";
    auto* const command =
        app.add_subcommand("trim", "leave out columns and taxa with many gaps, or without information");
    add_input(*command, options.places);
    command->add_option("--max-gaps", options.max_gaps, "leave out columns with a larger share of gaps, 0 to 1")
        ->check(share())
        ->type_name("SHARE")
        ->group(group);
    command->add_flag("--no-empty", options.no_empty, "leave out columns of nothing but gaps")->group(group);
    command->add_flag("--no-constant", options.no_constant, "leave out constant columns")->group(group);
    command
        ->add_option("--min-data", options.min_data,
                     "leave out taxa with a smaller share of sites that are no gaps, 0 to 1")
        ->check(share())
        ->type_name("SHARE")
        ->group(group);
    command->add_option("--kept", options.kept, "write which sites are kept")->type_name("FILE")->group("Output");
    command->add_option("--partitions", options.partitions, "the partition file of the alignment")
        ->type_name("FILE")
        ->group("Output");
    command->add_option("--new-partitions", options.new_partitions, "write the partition file of the result")
        ->type_name("FILE")
        ->group("Output");
    add_rest(*command, options.places, options.look, options.general, trim_after);
    return command;
}

void complete(TrimOptions& options, CLI::App const& command) {
    complete_places(options.places);
    options.places.others = {options.partitions};
    if (!options.max_gaps && !options.no_empty && !options.no_constant && command.count("--min-data") == 0)
        throw CLI::ValidationError("trim", "expected what goes: --max-gaps, --no-empty, --no-constant or --min-data");
    if (!options.partitions.empty() && options.new_partitions.empty())
        throw CLI::ValidationError("--partitions", "needs --new-partitions, the file for those of the result");
    if (options.partitions == "-") throw CLI::ValidationError("--partitions", "is a file, not standard input");
    if (options.kept == "-" || options.new_partitions == "-")
        throw CLI::ValidationError(options.kept == "-" ? "--kept" : "--new-partitions",
                                   "is a file, not standard output");
    if (!options.kept.empty() && options.kept == options.new_partitions)
        throw CLI::ValidationError("--kept", "and --new-partitions would be the same file");
}

CLI::App* add_mask(CLI::App& app, MaskOptions& options) {
    auto* const command = app.add_subcommand("mask", "put unknown characters where the data are not trusted");
    add_input(*command, options.places);
    command->add_option("--sites", options.sites, "mask these sites, such as 1-55,300")
        ->required()
        ->type_name("RANGES");
    command->add_option("--by", options.by, "the character: -, ?, N or X (default: by the kind of data)")
        ->transform(common::one_of(fills()))
        ->type_name("CHAR");
    add_rest(*command, options.places, options.look, options.general, mask_after);
    return command;
}

void complete(MaskOptions& options, CLI::App const&) {
    complete_places(options.places);
}

CLI::Validator frame() {
    return {[](std::string const& text) -> std::string {
                bool const is_frame =
                    text.size() == (text.starts_with('-') ? 2 : 1) && text.back() >= '1' && text.back() <= '3';
                return is_frame ? "" : "expected 1, 2, 3, -1, -2 or -3, found '" + text + "'";
            },
            ""};
}

CLI::App* add_translate(CLI::App& app, TranslateOptions& options) {
    auto* const command = app.add_subcommand("translate", "translate codons to amino acids");
    add_input(*command, options.places);
    command->add_option("--code", options.code, "the genetic code, by its number at NCBI (default 1)")
        ->transform(whole(1, most_codes))
        ->type_name("N");
    command
        ->add_option("--frame", options.frame,
                     "where codons begin: 1 (default), 2, 3, or -1, -2, -3 of the other strand")
        ->check(frame())
        ->type_name("N");
    static std::map<std::string, std::uint64_t> const stops{{"*", '*'}, {"-", '-'}, {"?", '?'}, {"X", 'X'}};
    command->add_option("--stop-as", options.stop_as, "what stops become: * (default), -, ? or X")
        ->transform(common::one_of(stops))
        ->type_name("CHAR");
    add_rest(*command, options.places, options.look, options.general, translate_after);
    return command;
}

void complete(TranslateOptions& options, CLI::App const&) {
    complete_places(options.places);
}

CLI::App* add_sample(CLI::App& app, SampleOptions& options) {
    constexpr auto* group = "What is drawn";
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    auto* const command = app.add_subcommand("sample", "draw sites and taxa at random");
    add_input(*command, options.places);
    auto* const bootstrap =
        command->add_flag("--bootstrap", options.bootstrap, "draw as many sites as there are, with replacement")
            ->group(group);
    command->add_option("--sites", options.sites, "draw this many sites, each at most once")
        ->transform(whole(1, most))
        ->type_name("N")
        ->excludes(bootstrap)
        ->group(group);
    command->add_option("--taxa", options.taxa, "draw this many taxa")
        ->transform(whole(1, most))
        ->type_name("N")
        ->group(group);
    command->add_option("--blocks", options.blocks, "draw loci of this partition file, and then sites within them")
        ->type_name("FILE")
        ->needs(bootstrap)
        ->group(group);
    command->add_option("--seed", options.seed, "seed of what is drawn (default 1)")
        ->transform(whole(0, most))
        ->type_name("N")
        ->group(group);
    command
        ->add_option("--new-partitions", options.new_partitions,
                     "with --blocks: write the partition file of the result")
        ->type_name("FILE")
        ->group("Output");
    add_rest(*command, options.places, options.look, options.general, sample_after);
    return command;
}

void complete(SampleOptions& options, CLI::App const&) {
    complete_places(options.places);
    options.places.others = {options.blocks};
    if (!options.bootstrap && options.sites == 0 && options.taxa == 0)
        throw CLI::ValidationError("sample", "expected what is drawn: --bootstrap, --sites or --taxa");
    if (!options.new_partitions.empty() && options.blocks.empty())
        throw CLI::ValidationError("--new-partitions", "needs --blocks, the partition file of the alignment");
    if (options.blocks == "-") throw CLI::ValidationError("--blocks", "is a file, not standard input");
    if (options.new_partitions == "-") throw CLI::ValidationError("--new-partitions", "is a file, not standard output");
}

}  // namespace

void add_edits(CommandLine<Options>& line) {
    line.add<ConcatOptions>(add_concat, complete);
    line.add<DedupOptions>(add_dedup, complete);
    line.add<RenameOptions>(add_rename, complete);
    line.add<TrimOptions>(add_trim, complete);
    line.add<MaskOptions>(add_mask, complete);
    line.add<TranslateOptions>(add_translate, complete);
    line.add<SampleOptions>(add_sample, complete);
}

}  // namespace regraft::msa_cli
