#include "regraft/msa/partition.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <unordered_set>

#include "msa/text.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::msa {
namespace {

/// What is left of a line, and where to point if it is wrong.
class LineReader {
public:
    LineReader(Line const& line, std::string_view text, std::string const& file)
        : line_(line), rest_(text), file_(file) {}

    /// The text before `end`, trimmed; `end` is consumed.
    std::string_view take_until(std::size_t end, char separator, std::string const& expected) {
        auto const text = trim(rest_.substr(0, std::min(end, rest_.size())));
        rest_ = trim_left(rest_);
        if (end == std::string_view::npos) fail("expected " + expected + ", found no '" + separator + "' on this line");
        if (text.empty()) fail("expected " + expected + " before '" + separator + "'");
        rest_ = rest_.substr(static_cast<std::size_t>(text.data() + text.size() - rest_.data()));
        rest_.remove_prefix(rest_.find(separator) + 1);
        return text;
    }
    bool take(char c) {
        rest_ = trim_left(rest_);
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    std::uint64_t take_number(std::string const& expected) {
        rest_ = trim_left(rest_);
        std::uint64_t number = 0;
        auto const [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
        if (error == std::errc::result_out_of_range) fail("the number is too large");
        if (error != std::errc{}) fail_expected(expected);
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return number;
    }
    bool at_end() const { return trim_left(rest_).empty(); }
    std::string_view rest() const { return rest_; }
    char const* here() const { return trim_left(rest_).data(); }

    [[noreturn]] void fail(std::string const& message) const { fail_at(here(), message); }
    [[noreturn]] void fail_at(char const* at, std::string const& message) const {
        throw InputError(position(file_, line_, at), message);
    }
    [[noreturn]] void fail_expected(std::string const& expected) const {
        auto const word = first_word(trim_left(rest_));
        fail("expected " + expected + ", found " + (word.empty() ? "the end of the line" : in_quotes(word)));
    }

private:
    Line const& line_;
    std::string_view rest_;
    std::string const& file_;
};

/// The first comma that is not within the parameters of a model, as in `GTR{1,2}`.
std::size_t find_end_of_model(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '{' || text[i] == '(') ++depth;
        if ((text[i] == '}' || text[i] == ')') && depth > 0) --depth;
        if (text[i] == ',' && depth == 0) return i;
    }
    return std::string_view::npos;
}

/// Knows which partition owns which site, so that overlaps and gaps are found.
class SiteOwners {
public:
    explicit SiteOwners(std::uint64_t num_sites) : owner_(num_sites, nobody) {}

    SiteStride parse_range(LineReader& reader);
    void claim(SiteStride const& range, std::span<PartitionSpec const> partitions, LineReader const& reader,
               char const* at);
    void check_complete(std::string const& file) const;

private:
    static constexpr auto nobody = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> owner_;
};

SiteStride SiteOwners::parse_range(LineReader& reader) {
    auto const take_site = [&](std::string const& expected) {
        auto const* const at = reader.here();
        auto const site = reader.take_number(expected);
        if (site == 0 || site > owner_.size()) {
            reader.fail_at(at, "site " + std::to_string(site) + " does not exist: the alignment has the sites 1-" +
                                   std::to_string(owner_.size()));
        }
        return site;
    };
    SiteStride range;
    auto const* const at = reader.here();
    range.first = take_site("a site or a range of sites, such as 1-898") - 1;
    range.last = range.first + 1;
    if (reader.take('-')) range.last = take_site("the last site of the range");
    if (range.last <= range.first) reader.fail_at(at, "the range ends before it begins");
    if (reader.take('\\')) {
        auto const* const at_step = reader.here();
        range.step = reader.take_number("a stride, such as \\3");
        if (range.step == 0) reader.fail_at(at_step, "the stride must be at least 1");
    }
    return range;
}

void SiteOwners::claim(SiteStride const& range, std::span<PartitionSpec const> partitions, LineReader const& reader,
                       char const* at) {
    auto const self = static_cast<std::uint32_t>(partitions.size() - 1);
    for (auto site = range.first; site < range.last; site += std::min(range.step, range.last - site)) {
        if (owner_[site] != nobody) {
            reader.fail_at(at, "site " + std::to_string(site + 1) + " already belongs to partition " +
                                   in_quotes(partitions[owner_[site]].name));
        }
        owner_[site] = self;
    }
}

void SiteOwners::check_complete(std::string const& file) const {
    auto const first = std::ranges::find(owner_, nobody);
    if (first == owner_.end()) return;
    throw InputError({file}, "site " + std::to_string(first - owner_.begin() + 1) + " belongs to no partition (" +
                                 std::to_string(std::ranges::count(owner_, nobody)) + " of " +
                                 std::to_string(owner_.size()) + " sites do not)");
}

void check_printable(std::string_view text, std::string const& what, LineReader const& reader) {
    auto const bad = find_unprintable(text);
    if (bad.empty()) return;
    reader.fail_at(bad.data(), in_quotes(bad) + " cannot be part of a " + what + "; expected printable UTF-8");
}

}  // namespace

std::vector<PartitionSpec> parse_partitions(std::string_view text, std::string const& file, std::uint64_t num_sites) {
    SiteOwners owners(num_sites);
    std::vector<PartitionSpec> partitions;
    std::unordered_set<std::string_view> names;
    for (auto const& line : lines_with_content(text)) {
        auto const content = line.text.substr(0, line.text.find('#'));
        if (trim_left(content).empty()) continue;
        LineReader reader(line, content, file);
        auto const model = reader.take_until(find_end_of_model(content), ',', "a model");
        auto const name = reader.take_until(reader.rest().find('='), '=', "a partition's name");
        check_printable(model, "model", reader);
        check_printable(name, "partition's name", reader);
        if (!names.emplace(name).second) reader.fail_at(name.data(), "there already is a partition " + in_quotes(name));
        partitions.push_back({std::string(model), std::string(name), {}});
        do {
            auto const* const at = reader.here();
            auto const range = owners.parse_range(reader);
            owners.claim(range, partitions, reader, at);
            partitions.back().sites.push_back(range);
        } while (reader.take(','));
        if (!reader.at_end()) reader.fail_expected("',' or the end of the line");
    }
    if (partitions.empty()) throw InputError({file}, "expected partitions, such as 'GTR+G4, gene1 = 1-898'");
    owners.check_complete(file);
    return partitions;
}

std::vector<PartitionSpec> read_partitions(std::filesystem::path const& path, std::uint64_t num_sites) {
    return parse_partitions(read_file(path), path.string(), num_sites);
}

PartitionSpec whole_alignment(std::string model, std::uint64_t num_sites, std::string name) {
    REGRAFT_EXPECTS(num_sites > 0);
    return {std::move(model), std::move(name), {{0, num_sites, 1}}};
}

std::vector<std::uint64_t> sites_of(PartitionSpec const& partition) {
    std::vector<std::uint64_t> sites;
    for (auto const& range : partition.sites) {
        REGRAFT_EXPECTS(range.step >= 1 && range.first < range.last);
        // Not site += step alone: a huge step would wrap around.
        for (auto site = range.first; site < range.last; site += std::min(range.step, range.last - site)) {
            sites.push_back(site);
        }
    }
    std::ranges::sort(sites);
    return sites;
}

}  // namespace regraft::msa
