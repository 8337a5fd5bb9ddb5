// Partition files in NEXUS (Maddison, Swofford and Maddison 1997), also as IQ-TREE, PAUP and MrBayes write them:
// charsets, and a charpartition that gives them models.
#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "msa/partitions/partition_reader.hpp"
#include "msa/text/nexus_text.hpp"

namespace regraft::msa {
namespace {

constexpr std::string_view all = "all";
constexpr std::string_view remainder = "remainder";  // as in PAUP
constexpr std::size_t most_copied = 1'000'000;
/// Blocks that have charsets: that of the standard, and those of PAUP and MrBayes.
constexpr std::array<std::string_view, 4> blocks_with_sets{"sets", "assumptions", "paup", "mrbayes"};

struct Name {
    std::string text;
    char const* at = nullptr;
};

struct Charset {
    Name name;
    std::vector<WrittenRange> ranges;
    std::string type;  // in front of the sites, in lower case; may be empty
};

/// Whether a model can be chosen for this type of data.
bool has_choice(std::string_view type) {
    constexpr std::array<std::string_view, 5> types{"dna", "rna", "aa", "prot", "protein"};
    return std::ranges::find(types, type) != types.end();
}

/// The position of what follows text in quotes, in which two quotes stand for one.
std::size_t behind_quotes(std::string_view text) {
    std::size_t end = 0;
    do {
        end = text.find('\'', end + 1);
        if (end == std::string_view::npos) return end;
        ++end;
    } while (text.substr(end).starts_with('\''));
    return text.find_first_not_of(' ', end);
}

/// A set of sites that becomes a partition, and the word in front of it.
struct Subset {
    Name word;  // a model, or a name; empty if there is none
    std::string name;
    std::vector<WrittenRange> ranges;
    std::string type;
    double length = 0;
};

/// The sites of an alignment. The sites of all alignments are numbered one behind the other.
struct File {
    std::string path;  // empty: the one of charsets that name none
    std::uint64_t first = 0;
    std::uint64_t last = 0;
};

/// The partitions of a charpartition, or those of a command of MrBayes.
struct Partitioning {
    std::string name;
    std::vector<Subset> subsets;
};

class NexusReader {
public:
    /// sites_of: empty if charsets must not name alignments.
    NexusReader(std::string_view text, std::string const& file, std::uint64_t num_sites, SitesOfFile sites_of)
        : text_(text, file), cursor_(text_.cursor()), files_{{"", 0, num_sites}}, sites_of_(std::move(sites_of)) {}

    PartitionsOfFiles read(std::string const& model, IsModel const& is_model);
    /// The alignments that charsets name, each once, up to the first error in the text.
    std::vector<std::string> read_files();

private:
    void read_blocks();
    void read_sets(bool are_of_mrbayes);
    void read_charset();
    void take_type(Charset& charset);
    std::optional<Name> take_own_file();
    File own_file(Name const& path, Name const& charset);
    File main_file() const;
    void add_sites(Charset& charset, std::optional<File> const& file);
    WrittenRange take_range_in(File const& file);
    std::optional<WrittenRange> range_of_word(std::string_view word, File const& file, char const* at) const;
    void add_ranges(std::vector<WrittenRange>& ranges, Charset const& charset, char const* at);
    void read_charpartition();
    void read_partition();
    void read_settings();
    Subset read_subset();
    void add_element(Subset& subset);
    void take_length(Subset& subset);
    void add_charset(Charset charset);
    Charset const* find_charset(std::string_view name) const;

    Partitioning take_partitioning();
    void use_as_name(Subset& subset) const;
    bool are_names(std::span<Subset const> subsets, IsModel const& is_model) const;
    SiteOwners no_owners(bool are_chosen) const;
    std::string name_of(std::uint64_t site) const;
    PartitionsOfFiles only_owned(std::vector<PartitionSpec> partitions, SiteOwners const& owners) const;
    std::string model_of(Subset const& subset, std::string const& model) const;
    Partitioning all_charsets() const;

    Name take_name(std::string const& what);
    Name take_charset();
    Name take_model();
    void check_name(std::string_view name, char const* at, std::string const& what) const;

    NexusText text_;
    Cursor& cursor_;
    std::vector<File> files_;  // the first has no path
    SitesOfFile sites_of_;
    std::vector<Charset> charsets_;
    std::unordered_map<std::string, std::size_t> charset_of_;  // by name in lower case
    std::optional<Partitioning> charpartition_;
    std::vector<Partitioning> partitionings_;  // of MrBayes
    std::string chosen_;                       // the one that is set, in lower case
    std::size_t num_copied_ = 0;               // ranges, from charset to charset
};

/// Makes the word of a subset its name, unless this is a number, or the subset is one charset, whose name says more.
void NexusReader::use_as_name(Subset& subset) const {
    auto word = std::exchange(subset.word, {});
    bool const is_number = std::ranges::all_of(word.text, is_digit);
    if (is_number || find_charset(subset.name) != nullptr) return;
    std::erase(word.text, '\'');
    check_name(word.text, word.at, "partition");
    subset.name = std::move(word.text);
}

void NexusReader::read_blocks() {
    while (auto const block = text_.take_block()) {
        if (std::ranges::find(blocks_with_sets, *block) != blocks_with_sets.end()) {
            read_sets(*block == "mrbayes");
        } else {
            while (text_.take_command()) text_.skip_command();
        }
    }
}

std::vector<std::string> NexusReader::read_files() {
    std::vector<std::string> paths;
    auto const read_charset_file = [&] {
        cursor_.take('*');
        take_name("charset");
        text_.expect('=', "after the name of a charset");
        auto path = take_own_file();
        if (path && std::ranges::find(paths, path->text) == paths.end()) paths.push_back(std::move(path->text));
    };
    try {
        while (auto const block = text_.take_block()) {
            bool const has_sets = std::ranges::find(blocks_with_sets, *block) != blocks_with_sets.end();
            while (auto const command = text_.take_command()) {
                if (has_sets && *command == "charset") read_charset_file();
                text_.skip_command();
            }
        }
    } catch (InputError const&) {
        // The readers of sets and of alignments say what is wrong.
    }
    return paths;
}

SiteOwners NexusReader::no_owners(bool are_chosen) const {
    return SiteOwners(files_.back().last,
                      are_chosen ? ""
                                 : "; without a charpartition every charset is a partition, expected charsets without "
                                   "common sites, or a charpartition of some of them",
                      [this](std::uint64_t site) { return name_of(site); });
}

std::string NexusReader::name_of(std::uint64_t site) const {
    auto const& file = *std::ranges::find_if(files_, [&](File const& one) { return site < one.last; });
    auto const name = "site " + std::to_string(site - file.first + 1);
    return file.path.empty() ? name : name + " of " + in_quotes(file.path);
}

/// Leaves out the sites of alignments that no partition has, and alignments without any.
PartitionsOfFiles NexusReader::only_owned(std::vector<PartitionSpec> partitions, SiteOwners const& owners) const {
    PartitionsOfFiles result;
    std::vector<std::uint64_t> number_of(owners.num_sites());
    std::uint64_t next = 0;
    for (auto const& [path, first, last] : files_) {
        auto sites = owners.owned(first, last);
        if (sites.empty()) continue;
        for (auto& site : sites) {
            number_of[site] = next++;
            site -= first;
        }
        result.files.push_back({path, std::move(sites)});
    }
    for (auto& partition : partitions) {
        auto sites = sites_of(partition);
        for (auto& site : sites) site = number_of[site];
        partition.sites = strides_of(sites);
    }
    result.partitions = std::move(partitions);
    return result;
}

PartitionsOfFiles NexusReader::read(std::string const& model, IsModel const& is_model) {
    read_blocks();
    bool const are_chosen = charpartition_ || !partitionings_.empty();
    if (charsets_.empty() && !are_chosen) {
        throw InputError({text_.file()},
                         "expected charsets, such as 'begin sets; charset gene1 = 1-898; end;', found none");
    }
    auto owners = no_owners(are_chosen);
    auto partitioning = take_partitioning();
    if (are_names(partitioning.subsets, is_model))
        for (auto& subset : partitioning.subsets) use_as_name(subset);
    std::vector<PartitionSpec> partitions;
    std::unordered_set<std::string> names;
    for (auto const& subset : partitioning.subsets) {
        if (!names.insert(subset.name).second)
            cursor_.fail_at(subset.ranges[0].at, "there already is a partition " + in_quotes(subset.name));
        partitions.push_back({model_of(subset, model), subset.name, {}, subset.length});
    }
    for (bool const are_remainders : {false, true}) {
        for (std::size_t q = 0; q < partitions.size(); ++q) {
            for (auto const& range : partitioning.subsets[q].ranges) {
                if (range.is_remainder == are_remainders)
                    owners.claim(range, std::span(partitions).first(q + 1), cursor_);
            }
        }
    }
    owners.check_complete(text_.file(), files_.front().last);
    if (files_.size() == 1) return {{}, std::move(partitions)};
    return only_owned(std::move(partitions), owners);
}

void NexusReader::read_sets(bool are_of_mrbayes) {
    while (auto const command = text_.take_command()) {
        if (*command == "charset") {
            read_charset();
        } else if (*command == "charpartition") {
            read_charpartition();
        } else if (are_of_mrbayes && *command == "partition") {
            read_partition();
        } else if (are_of_mrbayes && *command == "set") {
            read_settings();
        } else {
            text_.skip_command();
        }
    }
}

void NexusReader::read_charset() {
    cursor_.take('*');  // marks a default
    Charset charset{take_name("charset"), {}, {}};
    text_.expect('=', "after the name of a charset");
    std::optional<File> file;
    if (auto const path = take_own_file()) file = own_file(*path, charset.name);
    take_type(charset);
    do {
        add_sites(charset, file);
        cursor_.take(',');
    } while (!cursor_.at_end() && !cursor_.rest().starts_with(';'));
    text_.expect(';', "after the sites of a charset");
    add_charset(std::move(charset));
}

/// Takes the alignment of a charset, as in `a = genes.fa: 1-200`, which IQ-TREE has.
std::optional<Name> NexusReader::take_own_file() {
    auto const rest = cursor_.rest();
    auto const end = rest.starts_with('\'') ? behind_quotes(rest) : rest.find_first_of(":;=");
    if (end == std::string_view::npos || rest[end] != ':') return std::nullopt;
    auto const* const at = cursor_.here();
    auto path = rest.starts_with('\'') ? text_.take_name("file") : std::string(cursor_.take_text(end));
    text_.expect(':', "after the file of a charset");
    if (path.empty()) cursor_.fail_at(at, "expected the name of an alignment before ':'");
    cursor_.check_printable(path, "file's name");
    return Name{std::move(path), at};
}

/// The sites of the alignment that a charset names.
File NexusReader::own_file(Name const& path, Name const& charset) {
    auto const about = "charset " + in_quotes(charset.text) + " has a file of its own, " + in_quotes(path.text);
    if (!sites_of_)
        cursor_.fail_at(path.at,
                        about + "; expected sites of one alignment, which regraft-msa concat makes of this file");
    auto const found = sites_of_(path.text);
    if (!found) cursor_.fail_at(path.at, about + ", which is not there; expected an alignment");
    auto const& [num_sites, first_path] = *found;
    auto const known = std::ranges::find(files_.begin() + 1, files_.end(), first_path, &File::path);
    if (known != files_.end()) return *known;
    if (num_sites == 0) cursor_.fail_at(path.at, about + ", which has no sites; expected an alignment");
    auto const first = files_.back().last;
    files_.push_back({first_path, first, first + num_sites});
    return files_.back();
}

/// The alignment of charsets that name none.
File NexusReader::main_file() const {
    if (sites_of_ && files_.front().last == 0)
        cursor_.fail(
            "there is no alignment for these sites; expected one, or one that the charset names, as in "
            "'charset a = genes.fa: 1-200;'");
    return files_.front();
}

/// Takes a type of data such as `DNA,` in front of the sites.
void NexusReader::take_type(Charset& charset) {
    constexpr std::array<std::string_view, 8> types{"dna", "rna", "aa", "prot", "protein", "bin", "morph", "multi"};
    auto const* const at = cursor_.here();
    auto const word = text_.next_word();
    if (word.empty() || !trim_left(cursor_.rest().substr(word.size())).starts_with(',') ||
        find_charset(word) != nullptr)
        return;
    auto const type = lower(word);
    if (type.starts_with("codon") || type.starts_with("nt2aa"))
        cursor_.fail_at(
            at, in_quotes(word) +
                    ": there are no models of codons; expected DNA, with a charset for each codon position, such as "
                    "1-.\\3, or amino acids, into which regraft-msa translate turns codons");
    if (std::ranges::find(types, type) == types.end()) return;
    charset.type = text_.take_word();
    cursor_.take(',');
}

/// The sites that `all`, `*` or `remainder` stand for; none for other words.
std::optional<WrittenRange> NexusReader::range_of_word(std::string_view word, File const& file, char const* at) const {
    auto const key = lower(word);
    if (key != all && key != "*" && key != remainder) return std::nullopt;
    return WrittenRange{{file.first, file.last, 1}, at, key == remainder};
}

/// Takes a range such as 1-100\3.
WrittenRange NexusReader::take_range_in(File const& file) {
    auto range = take_range(cursor_, file.last - file.first, Dot::is_last_site);
    range.sites.first += file.first;
    range.sites.last += file.first;
    return range;
}

/// Takes a range of sites, or another charset.
void NexusReader::add_sites(Charset& charset, std::optional<File> const& own) {
    auto const* const at = cursor_.here();
    auto const word = text_.next_word();
    if (auto const* const other = own ? nullptr : find_charset(word)) {
        add_ranges(charset.ranges, *other, at);
    } else {
        auto const file = own ? *own : main_file();
        auto const range = range_of_word(word, file, at);
        charset.ranges.push_back(range ? *range : take_range_in(file));
        if (!range) return;
    }
    cursor_.take_text(word.size());
}

/// Adds the ranges of a charset. at: where it is named. Charsets of charsets could otherwise grow without limit.
void NexusReader::add_ranges(std::vector<WrittenRange>& ranges, Charset const& charset, char const* at) {
    num_copied_ += charset.ranges.size();
    if (ranges.size() + charset.ranges.size() > files_.back().last)
        cursor_.fail_at(at, "with the sites of " + in_quotes(charset.name.text) +
                                " there are more ranges than sites; " + "expected each site once");
    if (num_copied_ > most_copied)
        cursor_.fail_at(at, "charsets of charsets have more than " + std::to_string(most_copied) +
                                " ranges together; expected fewer");
    ranges.insert(ranges.end(), charset.ranges.begin(), charset.ranges.end());
}

Charset const* NexusReader::find_charset(std::string_view name) const {
    auto const found = charset_of_.find(lower(name));
    return found == charset_of_.end() ? nullptr : &charsets_[found->second];
}

void NexusReader::add_charset(Charset charset) {
    if (!charset_of_.emplace(lower(charset.name.text), charsets_.size()).second) {
        cursor_.fail_at(charset.name.at, "there already is a charset " + in_quotes(charset.name.text));
    }
    charsets_.push_back(std::move(charset));
}

void NexusReader::read_charpartition() {
    cursor_.take('*');
    auto const name = take_name("charpartition");
    if (charpartition_) cursor_.fail_at(name.at, "this is the second charpartition; expected one");
    text_.expect('=', "after the name of a charpartition");
    charpartition_.emplace();
    do {
        auto word = take_model();
        auto subset = read_subset();
        subset.word = std::move(word);
        charpartition_->subsets.push_back(std::move(subset));
    } while (cursor_.take(','));
    text_.expect(';', "or ',' after a charset");
}

/// Reads `partition NAME = NUMBER: CHARSETS, ...;` of MrBayes.
void NexusReader::read_partition() {
    Partitioning partitioning{lower(take_name("partition").text), {}};
    text_.expect('=', "after the name of a partition");
    auto const* const at = cursor_.here();
    auto const number = cursor_.take_number("the number of its subsets");
    text_.expect(':', "after the number of subsets");
    do {
        partitioning.subsets.push_back(read_subset());
    } while (cursor_.take(','));
    text_.expect(';', "or ',' after a charset");
    if (auto const found = partitioning.subsets.size(); number != found) {
        cursor_.fail_at(at, "expected " + std::to_string(number) + " subsets, found " + std::to_string(found));
    }
    partitionings_.push_back(std::move(partitioning));
}

/// Reads `set partition = NAME;` of MrBayes, and skips other settings.
void NexusReader::read_settings() {
    while (!cursor_.take(';')) {
        auto const word = text_.take_word();
        if (word.empty() && cursor_.take_text(1).empty()) cursor_.fail_expected("';'");
        if (word != "partition" || !cursor_.take('=')) continue;
        auto const name = take_name("partition");
        chosen_ = lower(name.text);
        if (std::ranges::find(partitionings_, chosen_, &Partitioning::name) == partitionings_.end())
            cursor_.fail_at(name.at, "there is no partition " + in_quotes(name.text) + " before this");
    }
}

/// Reads charsets and ranges up to a comma or semicolon.
Subset NexusReader::read_subset() {
    Subset subset;
    do {
        add_element(subset);
    } while (!cursor_.at_end() && !cursor_.rest().starts_with(',') && !cursor_.rest().starts_with(';'));
    return subset;
}

/// Takes a charset, or a range of sites. Names of several are joined by '_', as IQ-TREE does.
void NexusReader::add_element(Subset& subset) {
    auto const* const at = cursor_.here();
    if (!subset.name.empty()) subset.name += '_';
    auto const word = text_.next_word();
    auto const* const same = find_charset(word.substr(0, word.find('{')));
    if (same == nullptr && !word.empty() && is_digit(word.front())) {
        subset.ranges.push_back(take_range_in(main_file()));
        std::ranges::copy_if(std::string_view(at, static_cast<std::size_t>(cursor_.here() - at)),
                             std::back_inserter(subset.name), is_symbol);
        return;
    }
    auto const name = take_charset();
    auto const key = lower(name.text);
    if ((key == all || key == remainder) && !charset_of_.contains(key))
        add_charset({name, {*range_of_word(key, main_file(), name.at)}, {}});
    auto const* const charset = find_charset(key);
    if (charset == nullptr) {
        cursor_.fail_at(name.at, "there is no charset " + in_quotes(name.text) + " before this charpartition");
    }
    take_length(subset);
    subset.name += charset->name.text;
    subset.type = subset.ranges.empty() || subset.type == charset->type ? charset->type : "";
    add_ranges(subset.ranges, *charset, name.at);
}

/// Takes the length of the partition's tree, as in `a{1.5}`.
void NexusReader::take_length(Subset& subset) {
    if (!cursor_.take('{')) return;
    auto const* const at = cursor_.here();
    auto const rest = cursor_.rest();
    auto const text = cursor_.take_text(std::min(rest.find_first_of("},;"), rest.size()));
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), subset.length);
    bool const is_number = error == std::errc{} && end == text.data() + text.size();
    if (!is_number || !(subset.length > 0) || !(subset.length <= std::numeric_limits<double>::max()))
        cursor_.fail_at(at, "expected the length of the partition's tree, found " + in_quotes(text));
    text_.expect('}', "after the length of a tree");
}

/// The charpartition, or the partition of MrBayes that is set, or all charsets.
Partitioning NexusReader::take_partitioning() {
    if (charpartition_) return *std::move(charpartition_);
    if (partitionings_.empty()) return all_charsets();
    if (chosen_.empty() && partitionings_.size() > 1) {
        throw InputError({text_.file()},
                         "has several partitions; expected one, or 'set partition = " + partitionings_[0].name + ";'");
    }
    auto const found = std::ranges::find(partitionings_, chosen_, &Partitioning::name);
    return std::move(found == partitionings_.end() ? partitionings_.front() : *found);
}

Partitioning NexusReader::all_charsets() const {
    Partitioning result;
    for (auto const& [name, ranges, type] : charsets_) result.subsets.push_back({{}, name.text, ranges, type});
    return result;
}

/// Whether the words of a charpartition are names of its subsets, not models.
bool NexusReader::are_names(std::span<Subset const> subsets, IsModel const& is_model) const {
    constexpr std::size_t classes = 6;  // so many digits are a model of DNA
    return std::ranges::all_of(subsets, [&](Subset const& subset) {
        auto const& word = subset.word.text;
        bool const is_number = std::ranges::all_of(word, is_digit) && word.size() < classes;
        if (is_number) return true;
        return is_model ? !is_model(word) : lower(word) == lower(subset.name);
    });
}

/// The model of a subset. `model`: that of subsets for which the file has none.
std::string NexusReader::model_of(Subset const& subset, std::string const& model) const {
    if (!subset.word.text.empty()) return subset.word.text;
    if (!model.empty()) return model;
    if (has_choice(subset.type)) return "auto";
    throw InputError({text_.file()},
                     "has charsets without models; expected a model for all of them, or a charpartition such as "
                     "'charpartition mine = GTR+G4m:" +
                         subset.name + ", ...;'");
}

Name NexusReader::take_name(std::string const& what) {
    auto const* const at = cursor_.here();
    auto name = text_.take_name(what);
    if (name.empty()) cursor_.fail_expected("the name of a " + what);
    check_name(name, at, what);
    return {std::move(name), at};
}

/// Takes the name of a charset, behind which the length of a tree may follow in braces.
Name NexusReader::take_charset() {
    auto const* const at = cursor_.here();
    auto const word = text_.next_word();
    auto const brace = word.find('{');
    if (brace == std::string_view::npos || word.starts_with('\'') || find_charset(word) != nullptr)
        return take_name("charset");
    return {std::string(cursor_.take_text(brace)), at};
}

/// Other formats have no quotes and could not write some names.
void NexusReader::check_name(std::string_view name, char const* at, std::string const& what) const {
    bool const is_blank_outside = name.empty() || name.front() == ' ' || name.back() == ' ';
    if (!is_blank_outside && name.find_first_of("=#") == std::string_view::npos) return;
    cursor_.fail_at(at, in_quotes(name) + " cannot be the name of a " + what +
                            "; expected one without '=' and '#', and without blanks around it");
}

Name NexusReader::take_model() {
    auto const* const at = cursor_.here();
    auto const rest = cursor_.rest();
    auto const end = find_outside_braces(rest, ":,;");
    if (end == std::string_view::npos || rest[end] != ':') cursor_.fail_expected("MODEL:CHARSET");
    auto const model = cursor_.take_text(end);
    if (model.empty()) cursor_.fail_at(at, "expected a model before ':'");
    cursor_.check_printable(model, "model");
    if (model.find('#') != std::string_view::npos) cursor_.fail_at(at, in_quotes(model) + " is no model");
    cursor_.take(':');
    return {std::string(model), at};
}

}  // namespace

PartitionsOfFiles parse_nexus_partitions(std::string_view text, std::string const& file, std::uint64_t num_sites,
                                         std::string const& model, IsModel const& is_model, SitesOfFile sites_of) {
    return NexusReader(text, file, num_sites, std::move(sites_of)).read(model, is_model);
}

std::vector<std::string> files_of_charsets(std::string_view text, std::string const& file) {
    return NexusReader(text, file, 0, {}).read_files();
}

}  // namespace regraft::msa
