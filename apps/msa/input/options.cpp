#include "input/options.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>

#include "common/command_line.hpp"
#include "input/declare.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

constexpr std::uint64_t most_sites_per_block = std::uint64_t{1} << 20;

constexpr char const* description =
    R"(Compresses multiple sequence alignments along a parsimony tree.

An alignment in FASTA, PHYLIP, NEXUS, Stockholm or Clustal format becomes a file
FILE.rgm, several times smaller than general compressors make it, from which
single sites and taxa can be read without unpacking the rest. Unpacking gives back
the very same bytes. Other commands make alignments of alignments, compressed or not:
they join loci, leave out taxa and columns, rename, translate and sample.)";

constexpr char const* after =
    R"(Try:
  regraft-msa compress genes.fa              writes genes.fa.rgm, removes genes.fa
  regraft-msa compress -k *.phy              keeps the originals
  regraft-msa decompress genes.fa.rgm        gives genes.fa back
  regraft-msa stat genes.fa.rgm              shows what is in it
  regraft-msa cat genes.fa.rgm | head        shows the text, as zcat does
  regraft-msa extract --sites 100-250 genes.fa.rgm > part.fa
  regraft-msa concat -o all.fa --partitions all.part loci/*.fa
and regraft-msa COMMAND --help, or man regraft-msa.

Exit codes: 0 done, 1 the output cannot be written or an internal error, 2 bad
input or usage. Of several files all are tried, and the largest code is returned.)";

constexpr char const* compress_after =
    R"(FILE is in FASTA (also A2M, A3M), PHYLIP, NEXUS, Stockholm, Clustal, MAPLE or VCF format, and may
be packed by gzip, bzip2, xz or zstd. SNPs in VCF become an alignment with a row for each sample,
and a file x.vcf, which is kept, becomes x.fa.rgm. Without FILE, or with -, standard input is compressed to
standard output. FILE.rgm is unpacked and compared with FILE before it takes its name. Only then
FILE is removed, unless -k, -o or -c is given.

The result is the same, byte by byte, for any number of threads. If no tree makes
the alignment smaller, the text is stored as zstd packs it.

  regraft-msa compress genes.fa
  regraft-msa compress -k --tree raxml.bestTree --partitions genes.part genes.phy
  regraft-msa compress genes.fa.xz           writes genes.fa.rgm, keeps genes.fa.xz)";

constexpr char const* append_after =
    R"(FILE.rgm gets the rows of NEW behind its own, or stays as it is if anything fails. NEW has as many
sites as FILE, any format that compress takes, and names that FILE does not have. Nearly equal
rows are placed in the tree that FILE has, which takes seconds for a hundred thousand of them.
`compact` then makes the file a little smaller.

  regraft-msa append genomes.fa.rgm today.fa
  regraft-msa append -o both.rgm genomes.fa.rgm today.fa yesterday.fa.gz)";

constexpr char const* compact_after =
    R"(Rows that were appended stay where they were placed. This looks once more for a better place
for each, and replaces FILE.rgm if that makes it smaller. The text in it stays the same.

  regraft-msa compact genomes.fa.rgm)";

constexpr char const* decompress_after =
    R"(FILE.rgm becomes FILE again, byte by byte, and is removed, unless -k, -o or -c is
given. Without FILE, or with -, standard input is unpacked to standard output.

  regraft-msa decompress genes.fa.rgm
  regraft-msa decompress -o genes.phy --format phylip genes.fa.rgm)";

constexpr char const* extract_after =
    R"(Sites count from 1, both ends belong to a range, and \3 takes every third:
  --sites 1-300          the first 300
  --sites '301-900\3'    301, 304, ..., 898 (quote the backslash)
  --sites 500,1-10       site 500, then the first ten, in this order
Only the blocks with these sites are read and unpacked.

A column is constant if one state fits all taxa. In the consensus, gaps count, but
unknown characters do not. MAPLE is written in lower case. VCF compares with the
taxon of --against, whose bases are the positions; it may be the reference of a
MAPLE file, too. Genotypes are haploid, and '.' for gaps and ambiguous characters.

  regraft-msa extract --sites 100-250 genes.fa.rgm > part.fa
  regraft-msa extract --taxon Homo_sapiens --taxon Pan genes.fa.rgm
  regraft-msa extract --partition cytb --taxa mammals.txt -o cytb.phy genes.phy.rgm
  regraft-msa extract --taxa-of clade.nwk --columns-variable genomes.fa.rgm
  regraft-msa extract --format vcf --against Wuhan genomes.fa.rgm > genomes.vcf)";

constexpr char const* stat_after =
    R"(Works for FILE.rgm and for alignments in all formats that compress reads.
  constant                 one state fits all taxa
  parsimony-informative    at least two states occur in at least two taxa each
  patterns                 different columns; characters that stand for the same
                           states, such as - and N, are equal
  gaps, unknown            '-', and everything else that stands for any state
JSON: one object for each file, on a line of its own. Later versions may have more keys.

  regraft-msa stat *.rgm
  regraft-msa stat --json genes.fa.rgm | python3 -m json.tool)";

constexpr char const* verify_after =
    R"(Reads every file to its end, unpacks it and compares the checksums. Exit code 0: all
files are fine; 2: at least one is damaged or is no .rgm file.

  regraft-msa verify archive/*.rgm
  regraft-msa verify --deep genes.fa.rgm     before the original is thrown away)";

constexpr char const* tree_after =
    R"(Prints one line of Newick text per file: the tree along which it is compressed. The
tree has no branch lengths, and no root: its first node in the text means nothing.

  regraft-msa tree genes.fa.rgm > guide.nwk)";

constexpr char const* cat_after =
    R"(Writes what was compressed to standard output, one file after the other, as zcat
does, and texts of alignments, too. The files are kept. Without FILE, or with -,
standard input is read.

  regraft-msa cat genes.fa.rgm | grep -c '>')";

void add_inputs(CLI::App& app, std::vector<std::string>& inputs, std::string const& what) {
    app.add_option("FILE", inputs, what)->type_name("");
}

void add_replacement(CLI::App& app, Places& places) {
    add_output(app, places, "write to this file and keep the input; -: standard output");
    app.add_flag("-k,--keep", places.keep, "keep the input")->group("Output");
}

void add_verify(CLI::App& app, bool& verify, std::string const& group) {
    app.add_flag_callback(
           "--no-verify", [&] { verify = false; }, "do not check the result by unpacking it")
        ->group(group);
}

/// Adds the options that choose taxa.
void add_taxa(CLI::App& app, TaxaOptions& options) {
    constexpr auto* group = "Taxa";
    app.add_option("--taxa", options.taxa,
                   "write the taxa that this file names, one per line (default: all); -: standard input")
        ->type_name("FILE")
        ->group(group);
    app.add_option("--taxa-of", options.taxa_of, "write the taxa of this Newick tree, in its order")
        ->type_name("FILE")
        ->group(group);
    app.add_option("--exclude-taxa", options.exclude_taxa, "leave out the taxa that this file names, one per line")
        ->type_name("FILE")
        ->group(group);
    auto const add_names = [&](char const* name, std::vector<std::string>& names, char const* what) {
        app.add_option(name, names, what)
            ->allow_extra_args(false)
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
            ->type_name("NAME")
            ->group(group);
    };
    add_names("--taxon", options.taxon, "write the taxon of this name; may be repeated");
    add_names("--exclude", options.exclude, "leave out the taxon of this name; may be repeated");
}

/// Adds the options for the level of compression, of which there may be one.
void add_levels(CLI::App& app, std::uint32_t& level) {
    constexpr auto* group = "Compression";
    auto const choose = [&level, chosen = std::make_shared<std::string>()](std::string const& name,
                                                                           std::uint32_t number) {
        if (!chosen->empty()) throw CLI::ExcludesError(*chosen, name);
        *chosen = name;
        level = number;
    };
    auto const add_flag = [&](std::string const& name, std::uint32_t number, std::string const& what) {
        app.add_flag_callback(
               name, [=] { choose(name, number); }, what)
            ->group(what.empty() ? "" : group);
    };
    app.add_option_function<std::uint32_t>(
           "--level", [=](std::uint32_t number) { choose("--level", number); },
           "1 takes the least time, 9 makes the smallest files (default 6); also -1 to -9")
        ->transform(whole(codec::fastest_level, codec::best_level))
        ->type_name("N")
        ->group(group);
    for (auto number = codec::fastest_level; number <= codec::best_level; ++number)
        add_flag("-" + std::to_string(number), number, "");
    add_flag("--fast", codec::fastest_level, "take the least time, as -1");
    add_flag("--best", codec::best_level, "make the smallest files, as -9");
}

CLI::App* add_compress(CLI::App& app, CompressOptions& options) {
    auto* const command = app.add_subcommand("compress", "compress alignments: FILE becomes FILE.rgm");
    add_inputs(*command, options.places.inputs, "alignments in any of the formats below");
    add_replacement(*command, options.places);
    constexpr auto* group = "Compression";
    static std::map<std::string, codec::Kind> const kinds{{"native", codec::Kind::native},
                                                          {"sparse", codec::Kind::sparse},
                                                          {"thesis", codec::Kind::thesis},
                                                          {"plain", codec::Kind::plain}};
    add_levels(*command, options.level);
    command->add_option("--tree", options.tree, "compress along this Newick tree, and do not search for one")
        ->type_name("FILE")
        ->group(group);
    command
        ->add_option("--partitions", options.partitions,
                     "store this partition file (RAxML-NG, RAxML 8 or NEXUS) with the alignment")
        ->type_name("FILE")
        ->group(group);
    command->add_option("--seed", options.seed, "seed of the search for a tree (default 1)")
        ->transform(whole(0, std::numeric_limits<std::uint64_t>::max()))
        ->type_name("N")
        ->group(group);
    command
        ->add_option("-B,--block", options.sites_per_block,
                     "sites per block (default: the program chooses); small blocks make extract quick")
        ->transform(whole(1, most_sites_per_block))
        ->type_name("N")
        ->group(group);
    command
        ->add_option("--codec", options.kind,
                     "native, sparse, thesis or plain (default: the smallest of native, sparse and plain)")
        ->transform(common::one_of(kinds))
        ->type_name("CODEC")
        ->group(group);
    add_verify(*command, options.verify, group);
    add_names(*command, options.general);
    add_general(*command, options.general);
    command->footer(compress_after);
    return command;
}

CLI::App* add_append(CLI::App& app, AppendOptions& options) {
    auto* const command = app.add_subcommand("append", "add rows to a compressed alignment");
    command->add_option("FILES", options.places.inputs, "FILE.rgm, then what is added to it: NEW...; -: standard input")
        ->required()
        ->expected(2, std::numeric_limits<int>::max())
        ->type_name("");
    add_output(*command, options.places, "write to this file and keep FILE.rgm; -: standard output");
    add_verify(*command, options.verify, "Output");
    add_names(*command, options.general);
    add_general(*command, options.general);
    command->footer(append_after);
    return command;
}

CLI::App* add_compact(CLI::App& app, CompactOptions& options) {
    auto* const command = app.add_subcommand("compact", "make compressed alignments smaller that rows were added to");
    command->add_option("FILE", options.places.inputs, ".rgm files")->required()->type_name("");
    add_output(*command, options.places, "write to this file and keep FILE; -: standard output");
    add_verify(*command, options.verify, "Output");
    add_general(*command, options.general);
    command->footer(compact_after);
    return command;
}

CLI::App* add_decompress(CLI::App& app, DecompressOptions& options) {
    auto* const command = app.add_subcommand("decompress", "give back what was compressed: FILE.rgm becomes FILE");
    add_inputs(*command, options.places.inputs, ".rgm files");
    add_replacement(*command, options.places);
    add_look(*command, options.look);
    add_general(*command, options.general);
    command->footer(decompress_after);
    return command;
}

CLI::App* add_extract(CLI::App& app, ExtractOptions& options) {
    auto* const command = app.add_subcommand("extract", "write some sites and taxa, without unpacking the rest");
    command->add_option("FILE", options.places.inputs, "a .rgm file, or the text of an alignment; -: standard input")
        ->required()
        ->expected(1)
        ->type_name("");
    auto* const sites =
        command->add_option("--sites", options.sites, "write these sites, such as 100-250,300 (default: all)")
            ->type_name("RANGES");
    command->add_option("--partition", options.partition, "write the sites of a partition that is stored in FILE")
        ->type_name("NAME")
        ->excludes(sites);
    command->add_flag("--columns-variable", options.only_variable,
                      "of these sites write those that are not constant in the taxa that are written");
    command->add_flag("--consensus", options.consensus,
                      "write one row, which has in each column what most of the taxa have");
    add_taxa(*command, options.taxa);
    add_output(*command, options.places, "write to this file (default: standard output)");
    static std::map<std::string, OutputFormat> const formats{{"fasta", OutputFormat::fasta},
                                                             {"phylip", OutputFormat::phylip},
                                                             {"maple", OutputFormat::maple},
                                                             {"vcf", OutputFormat::vcf}};
    add_look(*command, options.look, formats, "fasta, phylip, maple or vcf (default: as in the original)");
    command->add_option("--against", options.against, "vcf: the taxon that the others are compared with")
        ->type_name("NAME")
        ->group("Text");
    add_names(*command, options.general);
    add_general(*command, options.general);
    command->footer(extract_after);
    return command;
}

CLI::App* add_stat(CLI::App& app, StatOptions& options) {
    auto* const command = app.add_subcommand("stat", "show what is in alignments, compressed or not");
    command->add_option("FILE", options.inputs, ".rgm files or texts of alignments; -: standard input")
        ->required()
        ->type_name("");
    command->add_flag("--json", options.json, "print one JSON object per file, for programs");
    add_names(*command, options.general);
    add_general(*command, options.general);
    command->footer(stat_after);
    return command;
}

CLI::App* add_verify_command(CLI::App& app, VerifyOptions& options) {
    auto* const command = app.add_subcommand("verify", "check that files are not damaged");
    command->add_option("FILE", options.inputs, ".rgm files; -: standard input")->required()->type_name("");
    command->add_flag("--deep", options.deep,
                      "also read it block by block or row by row, and from its text, and compare");
    add_general(*command, options.general);
    command->footer(verify_after);
    return command;
}

CLI::App* add_tree(CLI::App& app, TreeOptions& options) {
    auto* const command = app.add_subcommand("tree", "print the stored tree as Newick text");
    command->add_option("FILE", options.inputs, ".rgm files; -: standard input")->required()->type_name("");
    add_general(*command, options.general);
    command->footer(tree_after);
    return command;
}

CLI::App* add_cat(CLI::App& app, CatOptions& options) {
    auto* const command = app.add_subcommand("cat", "write alignments as text to standard output");
    add_inputs(*command, options.inputs, ".rgm files, or texts of alignments");
    add_look(*command, options.look);
    add_general(*command, options.general);
    command->footer(cat_after);
    return command;
}

/// Without files the program reads standard input and writes standard output.
void complete(Places& places, std::string const& command) {
    if (places.inputs.empty()) places.inputs = {"-"};
    if (places.inputs.size() > 1 && !places.output.empty() && places.output != "-")
        throw CLI::ValidationError("-o", "is for one file, not " + std::to_string(places.inputs.size()));
    if (places.inputs.size() > 1 && places.output == "-" && command == "compress")
        throw CLI::ValidationError("-c", "is for one file: compressed files cannot follow each other in one");
    for (auto const& input : places.inputs) {
        if (input == "-" && places.output.empty()) {
            if (places.inputs.size() > 1)
                throw CLI::ValidationError("-", "goes alone, or with -c: standard input has no name for the output");
            places.output = "-";
        }
    }
}

void complete(CompressOptions& options, CLI::App const&) {
    complete(options.places, "compress");
    options.places.others = {options.tree, options.partitions};
    bool const has_columns = options.kind != codec::Kind::plain && options.kind != codec::Kind::sparse;
    if (!has_columns && !(options.tree.empty() && options.partitions.empty()))
        throw CLI::ValidationError(options.kind == codec::Kind::plain ? "--codec plain" : "--codec sparse",
                                   "stores no columns, expected no --tree and no --partitions");
}

void complete(AppendOptions& options, CLI::App const&) {
    auto const& inputs = options.places.inputs;
    if (inputs[0] == "-")
        throw CLI::ValidationError("-", "is no file that rows can be added to; expected FILE.rgm first");
    if (std::ranges::count(inputs, "-") > 1) throw CLI::ValidationError("-", "can be read only once");
}

void complete(CompactOptions& options, CLI::App const&) {
    auto const& inputs = options.places.inputs;
    if (std::ranges::count(inputs, "-") > 0) throw CLI::ValidationError("-", "is no file; expected FILE.rgm");
    if (inputs.size() > 1 && !options.places.output.empty())
        throw CLI::ValidationError("-o", "is for one file, not " + std::to_string(inputs.size()));
}

void complete(DecompressOptions& options, CLI::App const&) {
    complete(options.places, "decompress");
    if ((options.look.format || options.look.width) && options.places.output.empty()) {
        throw CLI::ValidationError(
            options.look.format ? "--format" : "--width",
            "makes another text than was compressed; expected -o or -c, which say where it goes");
    }
}

void complete(ExtractOptions& options, CLI::App const&) {
    bool const is_read = options.places.inputs[0] == "-";
    options.places.others = {options.taxa.taxa, options.taxa.taxa_of, options.taxa.exclude_taxa};
    std::size_t num_streams = is_read ? 1 : 0;
    for (auto const* const file : {&options.taxa.taxa, &options.taxa.taxa_of, &options.taxa.exclude_taxa})
        num_streams += *file == "-" ? 1 : 0;
    if (num_streams > 1)
        throw CLI::ValidationError(options.taxa.taxa == "-" ? "--taxa" : "-",
                                   is_read ? "is standard input, and so is FILE; expected one of them to be a file"
                                           : "is standard input for two options; expected one of them to be a file");
    bool const is_vcf = options.look.format == OutputFormat::vcf;
    if (is_vcf && options.against.empty())
        throw CLI::ValidationError("--format vcf", "needs --against NAME, the taxon that the others are compared with");
    if (!is_vcf && !options.against.empty()) throw CLI::ValidationError("--against", "is for --format vcf");
    if (is_vcf && (options.consensus || options.look.width))
        throw CLI::ValidationError("--format vcf", "has no --consensus and no --width");
    if (options.places.output.empty()) options.places.output = "-";
}

void complete(CatOptions& options, CLI::App const&) {
    if (options.inputs.empty()) options.inputs = {"-"};
}

}  // namespace

Parsed parse_command_line(int argc, char const* const* argv) {
    CommandLine<Options> line("regraft-msa", description, after);
    line.add<CompressOptions>(add_compress, complete);
    line.add<DecompressOptions>(add_decompress, complete);
    line.add<AppendOptions>(add_append, complete);
    line.add<CompactOptions>(add_compact, complete);
    line.add<ExtractOptions>(add_extract, complete);
    line.add(add_stat);
    line.add(add_verify_command);
    line.add(add_tree);
    line.add<CatOptions>(add_cat, complete);
    add_edits(line);
    return line.parse(argc, argv);
}

}  // namespace regraft::msa_cli
