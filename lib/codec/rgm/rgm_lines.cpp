// Names, descriptions and similar texts as lines, and layouts. Lines are stored in the shortest of these forms, after a
// byte that says which: the lines, each with an LF behind it; a zstd frame of that; a zstd frame of the number of
// lines, for each line the number of bytes that it shares with the line before (LEB128), and then the rest of each line
// with an LF behind it; the forms of lines, and the numbers in them; or the lines as a modelled text.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "codec/entropy/text_model.hpp"
#include "codec/rgm/numbered_lines.hpp"
#include "codec/rgm/rgm_format.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/zstd.hpp"

namespace regraft::codec {
namespace {

constexpr std::size_t unlimited = ~std::size_t{0};

/// A zstd frame. The highest level takes too long for long texts, and for those where it would hardly get below the
/// limit: for names of genomes it reaches at best nine sixteenths of the size of the default level.
std::vector<std::byte> compress(std::span<std::byte const> bytes, std::size_t limit = unlimited) {
    constexpr std::size_t longest_for_high_level = std::size_t{4} << 20;
    if (bytes.size() > longest_for_high_level) return zstd_compress(bytes, zstd_default_level);
    if (limit != unlimited) {
        auto frame = zstd_compress(bytes, zstd_default_level);
        if (9 * frame.size() / 16 >= limit) return frame;
    }
    return zstd_compress(bytes, 19);
}

enum class LinesCoding : std::uint8_t { raw = 0, compressed = 1, front_coded = 2, numbered = 3, modelled = 4 };

/// Longer texts are not modelled, since that would take longer than everything else.
constexpr std::size_t longest_to_be_modelled = std::size_t{1} << 14;

/// The size of a text and its coded bytes; nothing for longer texts.
std::vector<std::byte> modelled(std::span<std::byte const> text, std::string_view before) {
    FormatWriter out;
    if (text.size() > longest_to_be_modelled) return out.take();
    out.number(text.size());
    out.append(encode_modelled(text, before));
    return out.take();
}

std::vector<std::byte> raw_lines(std::span<std::string const> lines) {
    std::vector<std::byte> bytes;
    for (auto const& line : lines) {
        auto const text = std::as_bytes(std::span(line));
        bytes.insert(bytes.end(), text.begin(), text.end());
        bytes.push_back(std::byte{'\n'});
    }
    return bytes;
}

std::vector<std::byte> front_coded(std::span<std::string const> lines) {
    FormatWriter shared;
    shared.number(lines.size());
    std::vector<std::string> rests;
    std::string_view before;
    for (std::string_view const line : lines) {
        auto const longest = std::min(line.size(), before.size());
        auto const first_other = std::ranges::mismatch(line.substr(0, longest), before.substr(0, longest)).in1;
        auto const num_shared = static_cast<std::size_t>(first_other - line.begin());
        shared.number(num_shared);
        rests.emplace_back(line.substr(num_shared));
        before = line;
    }
    shared.append(raw_lines(rests));
    return shared.take();
}

}  // namespace

namespace {

/// Lines in each way; nothing in those that do not work.
using Coded = std::array<std::vector<std::byte>, 5>;

/// Takes the shortest that a reader does not refuse.
std::vector<std::byte> shortest(Coded const& coded, std::size_t most_that_comes_out, std::uint64_t before) {
    std::size_t best = 0;
    for (std::size_t way = 1; way < coded.size(); ++way) {
        auto const size = coded[way].size();
        bool const is_allowed = size > 0 && most_that_comes_out <= max_expansion(before + 1 + size);
        if (is_allowed && size < coded[best].size()) best = way;
    }
    FormatWriter out;
    out.fixed(best, 1);
    out.append(coded[best]);
    return out.take();
}

/// limit: the size of what there is already.
Coded coded_as_text(std::span<std::string const> lines, std::size_t limit = unlimited) {
    auto const raw = raw_lines(lines);
    return {raw, compress(raw, limit), compress(front_coded(lines), limit), {}, modelled(raw, {})};
}

/// The most bytes that come out of any way.
std::size_t size_of(std::span<std::string const> lines) {
    return std::max(raw_lines(lines).size(), front_coded(lines).size());
}

/// The number of lines, their forms as lines, and what numbered lines code. Nothing if they have too many forms.
std::vector<std::byte> numbered(std::span<std::string const> lines, std::uint64_t before) {
    auto const found = encode_numbered(lines);
    if (!found) return {};
    FormatWriter out;
    out.number(lines.size());
    out.section(shortest(coded_as_text(found->forms), size_of(found->forms), before));
    out.append(found->coded);
    return out.take();
}

}  // namespace

std::vector<std::byte> encode_lines(std::span<std::string const> lines, std::uint64_t before) {
    auto in_numbers = numbered(lines, before);
    auto coded = coded_as_text(lines, in_numbers.empty() ? unlimited : in_numbers.size());
    coded[static_cast<std::size_t>(LinesCoding::numbered)] = std::move(in_numbers);
    return shortest(coded, size_of(lines), before);
}

namespace {

[[noreturn]] void fail_damaged_text() {
    throw InputError("the names or the layout of the text are damaged");
}

std::vector<std::string> split_lines(std::span<std::byte const> bytes, std::uint64_t most_lines) {
    std::string_view text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    if (!text.empty() && !text.ends_with('\n')) fail_damaged_text();
    if (static_cast<std::uint64_t>(std::ranges::count(text, '\n')) > most_lines) fail_damaged_text();
    std::vector<std::string> lines;
    while (!text.empty()) {
        auto const end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    return lines;
}

/// Decodes lines with shared beginnings (front coding).
std::vector<std::string> join_lines(std::span<std::byte const> bytes, std::uint64_t max_size,
                                    std::uint64_t most_lines) {
    FormatReader in(bytes);
    auto const num_lines = in.number();
    if (num_lines > std::min<std::uint64_t>(bytes.size(), most_lines)) fail_damaged_text();
    std::vector<std::uint64_t> shared(num_lines);
    for (auto& count : shared) count = in.number();
    auto lines = split_lines(in.rest(), most_lines);
    if (lines.size() != num_lines) fail_damaged_text();
    std::uint64_t size = 0;
    std::string_view before;
    for (std::size_t i = 0; i < num_lines; ++i) {
        if (shared[i] > before.size()) fail_damaged_text();
        size += shared[i] + lines[i].size() + 1;
        if (size > max_size) fail_damaged_text();
        lines[i].insert(0, before.substr(0, shared[i]));
        before = lines[i];
    }
    return lines;
}

std::vector<std::byte> from_model(std::span<std::byte const> bytes, std::uint64_t max_size, std::string_view before) {
    FormatReader in(bytes);
    auto const size = in.number();
    if (size > max_size) fail_damaged_text();
    return decode_modelled(in.rest(), size, before);
}

/// Decodes lines that are a text.
std::vector<std::string> decode_text(LinesCoding coding, std::span<std::byte const> bytes, std::uint64_t max_size,
                                     std::uint64_t most_lines) {
    switch (coding) {
        case LinesCoding::raw:
            return split_lines(bytes, most_lines);
        case LinesCoding::compressed:
            return split_lines(zstd_decompress(bytes, max_size), most_lines);
        case LinesCoding::front_coded:
            return join_lines(zstd_decompress(bytes, max_size), max_size, most_lines);
        case LinesCoding::modelled:
            return split_lines(from_model(bytes, max_size, {}), most_lines);
        case LinesCoding::numbered:
            break;
    }
    fail_damaged_text();
}

/// Decodes lines of a few forms.
std::vector<std::string> fill_forms(FormatReader in, std::uint64_t before, std::uint64_t max_size,
                                    std::uint64_t most_lines) {
    auto const num_lines = in.number();
    auto const section = in.section();
    if (num_lines > most_lines) fail_damaged_text();
    FormatReader forms(section);
    auto const coding = static_cast<LinesCoding>(forms.fixed(1));
    return decode_numbered(
        {.forms = decode_text(coding, forms.rest(), max_expansion(before + section.size()), num_lines),
         .coded = {in.rest().begin(), in.rest().end()}},
        num_lines, max_size);
}

}  // namespace

std::vector<std::string> decode_lines(std::span<std::byte const> bytes, std::uint64_t before,
                                      std::uint64_t most_lines) {
    FormatReader in(bytes);
    auto const max_size = max_expansion(before + bytes.size());
    auto const coding = static_cast<LinesCoding>(in.fixed(1));
    if (coding == LinesCoding::numbered) return fill_forms(in, before, max_size, most_lines);
    return decode_text(coding, in.rest(), max_size, most_lines);
}

namespace {

// The flags of a layout, one bit each.
constexpr std::uint8_t is_phylip = 1;
constexpr std::uint8_t has_carriage_returns = 2;
constexpr std::uint8_t lacks_last_newline = 4;
constexpr std::uint8_t has_descriptions = 8;
constexpr std::uint8_t has_skeleton = 16;
constexpr std::uint8_t is_maple = 32;
constexpr std::uint8_t has_modelled_skeleton = 64;  // in place of has_skeleton
constexpr std::uint8_t all_bits = 47;               // those of a layout without a skeleton

std::uint8_t format_bits(msa::TextFormat format) {
    return format == msa::TextFormat::phylip ? is_phylip : format == msa::TextFormat::maple ? is_maple : 0;
}

/// A skeleton is likely to have the names.
std::string text_before_skeleton(std::span<std::string const> names) {
    std::string text;
    for (auto const& name : names) text.append(name).append(1, '\n');
    return text.size() <= longest_to_be_modelled ? text : "";
}

/// The model of a skeleton; nothing if the skeleton is too long for that, or certainly is.
std::vector<std::byte> modelled_skeleton(std::span<std::byte const> compressed, std::span<std::string const> names) {
    if (compressed.size() > longest_to_be_modelled) return {};
    return modelled(zstd_decompress(compressed, zstd_max_content(compressed.size())), text_before_skeleton(names));
}

}  // namespace

std::vector<std::byte> encode_layout(msa::TextLayout const& layout, std::span<std::string const> names,
                                     std::uint64_t before) {
    REGRAFT_EXPECTS(layout.descriptions.empty() || layout.format != msa::TextFormat::phylip);
    auto bits = format_bits(layout.format);
    FormatWriter out;
    if (!layout.skeleton.empty()) {
        auto const coded = modelled_skeleton(layout.skeleton, names);
        bool const is_smaller = !coded.empty() && coded.size() < layout.skeleton.size();
        out.fixed(bits | (is_smaller ? has_modelled_skeleton : has_skeleton), 1);
        out.append(is_smaller ? coded : layout.skeleton);
        return out.take();
    }
    if (layout.carriage_returns) bits |= has_carriage_returns;
    if (!layout.ends_with_newline) bits |= lacks_last_newline;
    if (!layout.descriptions.empty()) bits |= has_descriptions;
    out.fixed(bits, 1);
    out.number(layout.line_width);
    if (layout.format == msa::TextFormat::phylip) out.number(layout.name_width);
    if (!layout.descriptions.empty()) out.append(encode_lines(layout.descriptions, before + out.bytes().size()));
    return out.take();
}

msa::TextLayout decode_layout(std::span<std::byte const> section, std::span<std::string const> names,
                              std::uint64_t before) {
    auto const num_taxa = names.size();
    FormatReader in(section);
    auto const bits = in.fixed(1);
    msa::TextLayout layout;
    layout.format = (bits & is_phylip) != 0  ? msa::TextFormat::phylip
                    : (bits & is_maple) != 0 ? msa::TextFormat::maple
                                             : msa::TextFormat::fasta;
    if ((bits & has_skeleton) != 0) {
        if ((bits & ~std::uint64_t{is_phylip}) != has_skeleton || in.rest().empty()) fail_damaged_text();
        layout.skeleton.assign(in.rest().begin(), in.rest().end());
        return layout;
    }
    if ((bits & has_modelled_skeleton) != 0) {
        if ((bits & ~std::uint64_t{is_phylip}) != has_modelled_skeleton) fail_damaged_text();
        auto const most = max_expansion(before + section.size());
        layout.skeleton = compress(from_model(in.rest(), most, text_before_skeleton(names)));
        return layout;
    }
    bool const is_odd = layout.format == msa::TextFormat::phylip && (bits & (has_descriptions | is_maple)) != 0;
    bool const lacks_reference = layout.format == msa::TextFormat::maple && (bits & has_descriptions) == 0;
    if ((bits & ~std::uint64_t{all_bits}) != 0 || is_odd || lacks_reference) fail_damaged_text();
    layout.carriage_returns = (bits & has_carriage_returns) != 0;
    layout.ends_with_newline = (bits & lacks_last_newline) == 0;
    layout.line_width = in.number();
    if (layout.format == msa::TextFormat::phylip) layout.name_width = in.number();
    if (layout.name_width > msa::max_name_width) fail_damaged_text();
    if ((bits & has_descriptions) == 0) {
        in.expect_end();
        return layout;
    }
    auto const num_lines = layout.format == msa::TextFormat::maple ? 1 : num_taxa;
    layout.descriptions = decode_lines(in.rest(), before + section.size() - in.rest().size(), num_lines);
    if (layout.descriptions.size() != num_lines) fail_damaged_text();
    return layout;
}

}  // namespace regraft::codec
