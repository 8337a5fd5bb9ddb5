#include "input/declare.hpp"

#include <cstdint>

namespace regraft::msa_cli {

using namespace common;

namespace {

constexpr std::uint64_t most_threads = 4096;
constexpr std::uint64_t most_cells_per_line = std::uint64_t{1} << 40;

}  // namespace

void add_general(CLI::App& app, GeneralOptions& general) {
    constexpr auto* group = "Manners";
    app.add_option("-T,--threads", general.threads, "threads to use; 0 (default): all that the machine has")
        ->transform(whole(0, most_threads))
        ->type_name("N")
        ->group(group);
    app.add_flag("--any-size", general.any_size,
                 "also unpack a text over 256 MiB and 250 times the size of FILE, which may have been made to do harm")
        ->group(group);
    common::add_not_snps(app, general.not_snps)->group(group);
    auto* const quiet = app.add_flag_callback(
        "-q,--quiet", [&] { general.verbosity = Verbosity::quiet; }, "print errors only");
    quiet->group(group);
    app.add_flag_callback(
           "-v,--verbose", [&] { general.verbosity = Verbosity::verbose; }, "print more")
        ->excludes(quiet)
        ->group(group);
}

void add_names(CLI::App& app, GeneralOptions& general) {
    static std::map<std::string, Names> const names{{"first", Names::first}, {"joined", Names::joined}};
    app.add_option("--names", general.names,
                   "names of taxa in FASTA: first, up to the first blank (default); or joined, the whole line with '_' "
                   "for blanks")
        ->transform(common::one_of(names))
        ->type_name("HOW")
        ->group("Taxa");
}

void add_output(CLI::App& app, Places& places, std::string const& what) {
    constexpr auto* group = "Output";
    auto* const output = app.add_option("-o,--output", places.output, what)->type_name("OUT")->group(group);
    app.add_flag_callback(
           "-c,--stdout", [&] { places.output = "-"; }, "write to standard output")
        ->excludes(output)
        ->group(group);
    app.add_flag("-f,--force", places.force, "overwrite existing files")->group(group);
}

void add_look(CLI::App& app, Look& look) {
    static std::map<std::string, OutputFormat> const formats{
        {"fasta", OutputFormat::fasta}, {"phylip", OutputFormat::phylip}, {"maple", OutputFormat::maple}};
    add_look(app, look, formats, "fasta, phylip or maple (default: as in the original)");
}

void add_look(CLI::App& app, Look& look, std::map<std::string, OutputFormat> const& formats, char const* what) {
    constexpr auto* group = "Text";
    app.add_option("--format", look.format, what)
        ->transform(common::one_of(formats))
        ->type_name("FORMAT")
        ->group(group);
    app.add_option("--width", look.width, "characters of a sequence per line; 0: all (default: as in the original)")
        ->transform(whole(0, most_cells_per_line))
        ->type_name("N")
        ->group(group);
}

}  // namespace regraft::msa_cli
