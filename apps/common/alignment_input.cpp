#include "common/alignment_input.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "common/input.hpp"
#include "common/text_input.hpp"
#include "regraft/codec/rgm.hpp"

namespace regraft::common {
namespace {

bool is_rgm(std::string_view content) {
    constexpr std::size_t head = 4;
    return content.size() >= head && codec::is_rgm(std::as_bytes(std::span(content)));
}

msa::Alignment parse_with_names(std::string text, std::string const& name, Names names) {
    if (names == Names::joined) join_names(text);
    bool const are_whole = names == Names::whole;
    return msa::parse_alignment(text, name, are_whole ? msa::FastaNames::whole_line : msa::FastaNames::first_word);
}

AlignmentInput unpack_rgm(std::string_view content, std::string const& name, Names names) {
    auto const bytes = std::as_bytes(std::span(content));
    codec::RgmFile const file(codec::bytes_in_memory({bytes.begin(), bytes.end()}, name),
                              {.most_text = most_text(bytes.size())});
    file.verify();  // a computation on it may take hours
    auto const& layout = file.extras().layout;
    bool const is_regular = file.kind() != codec::Kind::plain && (!layout || layout->skeleton.empty());
    if (names != Names::first && !is_regular)  // only the text has the rest of the lines
        return {parse_with_names(file.text(), name, names), file.extras().partitions};
    SiteRange const all{SiteId{0}, SiteId{file.num_sites()}};
    AlignmentInput input{file.read(all).rows(all), file.extras().partitions};
    input.alignment.file = name;
    input.alignment.names = names_of(input.alignment.names, layout, names);
    if (names != Names::first) msa::check_names(input.alignment.names, name);
    return input;
}

}  // namespace

bool join_names(std::string& text) {
    if (msa::find_format(text) != msa::InputFormat::fasta) return false;
    auto const is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; };
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    bool has_changed = false;
    for (std::size_t i = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0; i < text.size();) {
        auto const end = std::min(text.find_first_of("\r\n", i), text.size());
        auto first = i;
        while (first < end && is_blank(text[first])) ++first;
        if (first < end && text[first] == '>') {
            ++first;
            while (first < end && is_blank(text[first])) ++first;
            auto last = end;
            while (last > first && is_blank(text[last - 1])) --last;
            for (auto& c : std::span(text).subspan(first, last - first)) {
                if (!is_blank(c)) continue;
                c = '_';
                has_changed = true;
            }
        }
        i = end + 1;
    }
    return has_changed;
}

std::vector<std::string> names_of(std::span<std::string const> first_words,
                                  std::optional<msa::TextLayout> const& layout, Names names) {
    std::vector<std::string> result(first_words.begin(), first_words.end());
    bool const are_there = layout && layout->format == msa::TextFormat::fasta && !layout->descriptions.empty();
    if (names == Names::first || !are_there) return result;
    for (std::size_t row = 0; row < result.size(); ++row) {
        result[row] += layout->descriptions[row];
        result[row].resize(result[row].find_last_not_of(" \t\v\f\r") + 1);
        if (names == Names::joined)
            std::ranges::replace_if(
                result[row], [](char c) { return c == ' ' || c == '\t'; }, '_');
    }
    return result;
}

AlignmentInput read_alignment(std::string const& path, Reading const& reading) {
    auto const name = shown_input(path);
    TextInput input(path);
    auto head = read_head(input);
    if (msa::is_vcf(head)) {
        auto const read = [&](std::span<char> buffer) { return read_behind(head, input, buffer); };
        auto [alignment, skipped] = msa::read_vcf(read, name, reading.not_snps);
        return {std::move(alignment), {}, skipped};
    }
    auto content = std::move(head) + input.rest();
    if (is_rgm(content)) return unpack_rgm(content, name, reading.names);
    return {parse_with_names(std::move(content), name, reading.names), {}};
}

}  // namespace regraft::common
