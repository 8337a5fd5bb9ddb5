// Partition files in NEXUS (Maddison, Swofford and Maddison 1997): charsets, and a charpartition that gives them
// models.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "msa/partition_reader.hpp"

namespace regraft::msa {
namespace {

constexpr std::string_view first_word_of_nexus = "#nexus";
constexpr std::string_view punctuation = ",;:=";
constexpr std::string_view all = "all";
constexpr char quote = '\'';

/// Keywords and names are the same in upper and lower case.
std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

bool is_space(char c) {
    return is_blank(c) || c == '\n';
}

/// The text with blanks for its comments, which may be nested, and for the ends of its lines.
std::string without_comments(std::string_view text, std::string const& file) {
    std::string result(text);
    std::vector<std::size_t> opened;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '[') opened.push_back(i);
        if (!opened.empty() || is_space(text[i])) result[i] = ' ';
        if (text[i] == ']' && !opened.empty()) opened.pop_back();
    }
    if (opened.empty()) return result;
    throw InputError(position(file, text, opened.front()), "this comment does not end; expected ']'");
}

struct Name {
    std::string text;
    char const* at = nullptr;
};

struct Charset {
    Name name;
    std::vector<WrittenRange> ranges;
};

/// A charset that the charpartition gives a model.
struct Subset {
    std::string model;
    std::size_t charset = 0;
};

class NexusReader {
public:
    NexusReader(std::string_view text, std::string const& file, std::uint64_t num_sites)
        : text_(without_byte_order_mark(text)),
          content_(without_comments(text_, file)),
          source_{text_, file, content_.data(), "the end of the file"},
          cursor_(source_, content_),
          num_sites_(num_sites) {}

    std::vector<PartitionSpec> read(std::string const& model);

private:
    void read_block();
    void read_charset();
    WrittenRange take_sites();
    void read_charpartition();
    Subset read_subset();
    void add_charset(Charset charset);
    std::vector<Subset> all_charsets(std::string const& model) const;

    std::string_view next_word() const;
    std::string take_word();
    Name take_name(std::string const& what);
    std::string take_quoted();
    std::string take_model();
    void skip_command();
    void expect(char c, std::string const& where);

    std::string_view text_;
    std::string content_;
    Cursor::Source source_;
    Cursor cursor_;
    std::uint64_t num_sites_;
    std::vector<Charset> charsets_;
    std::unordered_map<std::string, std::size_t> charset_of_;  // by name in lower case
    std::optional<std::vector<Subset>> subsets_;               // none: there is no charpartition
};

std::vector<PartitionSpec> NexusReader::read(std::string const& model) {
    take_word();  // #nexus
    while (!cursor_.at_end()) {
        auto const* const at = cursor_.here();
        if (take_word() != "begin") cursor_.fail_at(at, "expected 'begin', as in 'begin sets;'");
        read_block();
    }
    if (charsets_.empty() && !subsets_) {
        throw InputError({source_.file},
                         "expected charsets, such as 'begin sets; charset gene1 = 1-898; end;', found none");
    }
    SiteOwners owners(num_sites_);
    std::vector<PartitionSpec> partitions;
    for (auto& subset : subsets_ ? *std::move(subsets_) : all_charsets(model)) {
        auto const& charset = charsets_[subset.charset];
        partitions.push_back({std::move(subset.model), charset.name.text, {}});
        for (auto const& range : charset.ranges) owners.claim(range, partitions, cursor_);
    }
    owners.check_complete(source_.file);
    return partitions;
}

void NexusReader::read_block() {
    bool const is_sets = take_word() == "sets";
    expect(';', "after the name of a block");
    for (;;) {
        if (cursor_.at_end()) cursor_.fail_expected("'end;'");
        auto const command = take_word();
        if (command == "end" || command == "endblock") {
            expect(';', "after 'end'");
            return;
        }
        if (is_sets && command == "charset") {
            read_charset();
        } else if (is_sets && command == "charpartition") {
            read_charpartition();
        } else {
            skip_command();
        }
    }
}

void NexusReader::read_charset() {
    cursor_.take('*');  // marks a default
    Charset charset{take_name("charset"), {}};
    expect('=', "after the name of a charset");
    do {
        charset.ranges.push_back(take_sites());
        cursor_.take(',');
    } while (!cursor_.at_end() && !cursor_.rest().starts_with(';'));
    expect(';', "after the sites of a charset");
    add_charset(std::move(charset));
}

WrittenRange NexusReader::take_sites() {
    auto const* const at = cursor_.here();
    if (lower(next_word()) != all) return take_range(cursor_, num_sites_, Dot::is_last_site);
    take_word();
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
    expect('=', "after the name of a charpartition");
    subsets_.emplace();
    do {
        subsets_->push_back(read_subset());
    } while (cursor_.take(','));
    expect(';', "or ',' after a charset");
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
        throw InputError({source_.file},
                         "has charsets without models; expected a model for all of them, or a charpartition such as "
                         "'charpartition mine = GTR+G4m:" +
                             charsets_[0].name.text + ", ...;'");
    }
    std::vector<Subset> subsets;
    for (std::size_t i = 0; i < charsets_.size(); ++i) subsets.push_back({model, i});
    return subsets;
}

/// Up to blanks or punctuation.
std::string_view NexusReader::next_word() const {
    auto const rest = cursor_.rest();
    return rest.substr(0, std::min(rest.find(' '), rest.find_first_of(punctuation)));
}

/// In lower case.
std::string NexusReader::take_word() {
    return lower(cursor_.take_text(next_word().size()));
}

Name NexusReader::take_name(std::string const& what) {
    auto const* const at = cursor_.here();
    bool const is_quoted = cursor_.take(quote);
    auto const size = is_quoted ? cursor_.rest().find(quote) : next_word().size();
    if (size == std::string_view::npos) cursor_.fail_at(at, "this name does not end; expected a quote");
    auto const name = cursor_.take_text(size);
    if (name.empty()) cursor_.fail_expected("the name of a " + what);
    if (is_quoted) cursor_.take(quote);
    cursor_.check_printable(name, what + "'s name");
    // What other formats could not write.
    if (name.find_first_of("=#") != std::string_view::npos) {
        cursor_.fail_at(at,
                        in_quotes(name) + " cannot be the name of a " + what + "; expected one without '=' and '#'");
    }
    return {std::string(name), at};
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

void NexusReader::skip_command() {
    auto const end = cursor_.rest().find(';');
    if (end == std::string_view::npos) cursor_.fail("this command does not end; expected ';'");
    cursor_.take_text(end + 1);
}

void NexusReader::expect(char c, std::string const& where) {
    if (!cursor_.take(c)) cursor_.fail_expected(std::string{'\'', c, '\'', ' '} + where);
}

}  // namespace

bool is_nexus(std::string_view text) {
    auto const content = without_byte_order_mark(text);
    auto const begin = std::ranges::find_if_not(content, is_space);
    auto const word = content.substr(static_cast<std::size_t>(begin - content.begin()), first_word_of_nexus.size() + 1);
    if (lower(word.substr(0, first_word_of_nexus.size())) != first_word_of_nexus) return false;
    return word.size() == first_word_of_nexus.size() || is_space(word.back()) || word.back() == '[';
}

std::vector<PartitionSpec> parse_nexus_partitions(std::string_view text, std::string const& file,
                                                  std::uint64_t num_sites, std::string const& model) {
    return NexusReader(text, file, num_sites).read(model);
}

}  // namespace regraft::msa
