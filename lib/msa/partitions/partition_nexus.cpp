// Partition files in NEXUS (Maddison, Swofford and Maddison 1997): charsets, and a charpartition that gives them
// models.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "msa/partitions/partition_reader.hpp"
#include "msa/text/nexus_text.hpp"

namespace regraft::msa {
namespace {

constexpr std::string_view all = "all";

struct Name {
    std::string text;
    char const* at = nullptr;
};

struct Charset {
    Name name;
    std::vector<WrittenRange> ranges;
};

/// A charset with the model that the charpartition gives it.
struct Subset {
    std::string model;
    std::size_t charset = 0;
};

class NexusReader {
public:
    NexusReader(std::string_view text, std::string const& file, std::uint64_t num_sites)
        : text_(text, file), cursor_(text_.cursor()), num_sites_(num_sites) {}

    std::vector<PartitionSpec> read(std::string const& model);

private:
    void read_sets();
    void read_charset();
    WrittenRange take_sites();
    void read_charpartition();
    Subset read_subset();
    void add_charset(Charset charset);
    std::vector<Subset> all_charsets(std::string const& model) const;

    Name take_name(std::string const& what);
    std::string take_model();

    NexusText text_;
    Cursor& cursor_;
    std::uint64_t num_sites_;
    std::vector<Charset> charsets_;
    std::unordered_map<std::string, std::size_t> charset_of_;  // by name in lower case
    std::optional<std::vector<Subset>> subsets_;               // none: there is no charpartition
};

std::vector<PartitionSpec> NexusReader::read(std::string const& model) {
    while (auto const block = text_.take_block()) {
        if (*block == "sets") {
            read_sets();
        } else {
            while (text_.take_command()) text_.skip_command();
        }
    }
    if (charsets_.empty() && !subsets_) {
        throw InputError({text_.file()},
                         "expected charsets, such as 'begin sets; charset gene1 = 1-898; end;', found none");
    }
    SiteOwners owners(num_sites_, subsets_ ? ""
                                           : "; without a charpartition every charset is a partition, expected "
                                             "charsets without common sites, or a charpartition of some of them");
    std::vector<PartitionSpec> partitions;
    for (auto& subset : subsets_ ? *std::move(subsets_) : all_charsets(model)) {
        auto const& charset = charsets_[subset.charset];
        partitions.push_back({std::move(subset.model), charset.name.text, {}});
        for (auto const& range : charset.ranges) owners.claim(range, partitions, cursor_);
    }
    owners.check_complete(text_.file());
    return partitions;
}

void NexusReader::read_sets() {
    while (auto const command = text_.take_command()) {
        if (*command == "charset") {
            read_charset();
        } else if (*command == "charpartition") {
            read_charpartition();
        } else {
            text_.skip_command();
        }
    }
}

void NexusReader::read_charset() {
    cursor_.take('*');  // marks a default
    Charset charset{take_name("charset"), {}};
    text_.expect('=', "after the name of a charset");
    do {
        charset.ranges.push_back(take_sites());
        cursor_.take(',');
    } while (!cursor_.at_end() && !cursor_.rest().starts_with(';'));
    text_.expect(';', "after the sites of a charset");
    add_charset(std::move(charset));
}

WrittenRange NexusReader::take_sites() {
    auto const* const at = cursor_.here();
    if (lower(text_.next_word()) != all) return take_range(cursor_, num_sites_, Dot::is_last_site);
    text_.take_word();
    return {{0, num_sites_, 1}, at};
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
    if (subsets_) cursor_.fail_at(name.at, "this is the second charpartition; expected one");
    text_.expect('=', "after the name of a charpartition");
    subsets_.emplace();
    do {
        subsets_->push_back(read_subset());
    } while (cursor_.take(','));
    text_.expect(';', "or ',' after a charset");
}

Subset NexusReader::read_subset() {
    Subset subset{.model = take_model(), .charset = 0};
    auto const name = take_name("charset");
    auto const key = lower(name.text);
    if (key == all && !charset_of_.contains(key)) add_charset({name, {{{0, num_sites_, 1}, name.at}}});
    auto const found = charset_of_.find(key);
    if (found == charset_of_.end()) {
        cursor_.fail_at(name.at, "there is no charset " + in_quotes(name.text) + " before this charpartition");
    }
    subset.charset = found->second;
    return subset;
}

std::vector<Subset> NexusReader::all_charsets(std::string const& model) const {
    if (model.empty()) {
        throw InputError({text_.file()},
                         "has charsets without models; expected a model for all of them, or a charpartition such as "
                         "'charpartition mine = GTR+G4m:" +
                             charsets_[0].name.text + ", ...;'");
    }
    std::vector<Subset> subsets;
    for (std::size_t i = 0; i < charsets_.size(); ++i) subsets.push_back({model, i});
    return subsets;
}

Name NexusReader::take_name(std::string const& what) {
    auto const* const at = cursor_.here();
    auto name = text_.take_name(what);
    if (name.empty()) cursor_.fail_expected("the name of a " + what);
    // Other formats have no quotes and could not write these names.
    bool const is_blank_outside = name.front() == ' ' || name.back() == ' ';
    if (is_blank_outside || name.find_first_of("=#") != std::string::npos) {
        cursor_.fail_at(at, in_quotes(name) + " cannot be the name of a " + what +
                                "; expected one without '=' and '#', and without blanks around it");
    }
    return {std::move(name), at};
}

std::string NexusReader::take_model() {
    auto const* const at = cursor_.here();
    auto const rest = cursor_.rest();
    auto const end = find_outside_braces(rest, ":,;");
    if (end == std::string_view::npos || rest[end] != ':') cursor_.fail_expected("MODEL:CHARSET");
    auto const model = cursor_.take_text(end);
    if (model.empty()) cursor_.fail_at(at, "expected a model before ':'");
    cursor_.check_printable(model, "model");
    if (model.find('#') != std::string_view::npos) cursor_.fail_at(at, in_quotes(model) + " is no model");
    cursor_.take(':');
    return std::string(model);
}

}  // namespace

std::vector<PartitionSpec> parse_nexus_partitions(std::string_view text, std::string const& file,
                                                  std::uint64_t num_sites, std::string const& model) {
    return NexusReader(text, file, num_sites).read(model);
}

}  // namespace regraft::msa
