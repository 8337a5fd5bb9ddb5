#include "codec/entropy/text_model.hpp"

#include <algorithm>
#include <bit>

#include "codec/entropy/mixer.hpp"
#include "codec/entropy/range_decoder.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

/// What all models have learnt at first.
constexpr std::string_view typical_names =
    "Homo_sapiens\nMus_musculus\nGallus_gallus\nDanio_rerio\nDrosophila_melanogaster\nArabidopsis_thaliana\n"
    "Escherichia_coli\nHBA_HUMAN\nHBB_MOUSE\nSeq1\nSeq2\nTaxon10\nTaxon11\n";

constexpr std::int64_t first_weight = 22000;  // about 1/3, with 16 fractional bits
constexpr std::uint8_t line_end = '\n';

/// Passes on what it is told.
struct Listener {
    static bool bit(std::uint32_t, bool is_set) { return is_set; }
};

}  // namespace

TextModel::TextModel(std::uint64_t num_bytes)
    : table_bits_(std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::bit_width(num_bytes)) + 4, 12, 18)),
      weights_(std::size_t{num_cases} * num_nodes) {
    for (auto& table : tables_) table.resize(std::size_t{1} << table_bits_);
    for (auto& weights : weights_) weights.fill(first_weight);
    learn(typical_names);
}

std::uint64_t TextModel::above() const {
    auto const& line_above = last_[expected_];
    if (line_.size() < line_above.size()) return line_above[line_.size()];
    return line_.size() == line_above.size() ? line_end : 0;
}

TextModel::Contexts TextModel::contexts() const {
    auto const before = [&](std::size_t distance) -> std::uint64_t {
        return distance <= line_.size() ? line_[line_.size() - distance] : line_end;
    };
    auto const one = before(1);
    auto const two = one + 256 * before(2);
    auto const line = 2 * above() + (is_as_above_ ? 1 : 0);
    return {0, one, two, two + 65536 * before(3), line, 512 * one + line};
}

void TextModel::add(std::uint8_t byte) {
    if (byte == line_end) {
        auto const kind = is_title(line_) ? 1U : 0U;
        last_[kind] = std::move(line_);
        line_.clear();
        // A title follows what is none, and the other way round, once there are titles.
        expected_ = last_[1 - kind].empty() ? kind : 1 - kind;
        is_as_above_ = true;
        return;
    }
    if (line_.empty()) expected_ = byte == '>' ? 1 : 0;
    is_as_above_ = is_as_above_ && above() == byte;
    line_.push_back(byte);
}

template <class Coder>
bool TextModel::code_bit(Coder& coder, Contexts const& contexts, std::uint32_t node, bool is_set) {
    auto const which = is_as_above_ ? 0U : above() == 0 ? 1U : 2U;
    auto& weights = weights_[which * num_nodes + node];
    std::array<AdaptiveBit*, num_contexts> bits{};
    std::array<std::int64_t, num_contexts> logits{};
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < num_contexts; ++i) {
        auto const hash = contexts[i] * 0x9E3779B97F4A7C15 + node * 0xD6E8FEB86659FD93;
        bits[i] = &tables_[i][hash >> (64 - table_bits_)];
        logits[i] = bits[i]->times_seen() == 0 ? 0 : tables::logit[bits[i]->probability() >> 4];
        sum += weights[i] * logits[i];
    }
    auto const place = std::clamp<std::int64_t>(sum >> 21, -1408, 1408) + 1408;
    auto const p = tables::probability[static_cast<std::size_t>(place)];
    is_set = coder.bit(p, is_set);
    auto const error = (is_set ? std::int64_t{one_probability} : 0) - p;
    for (std::size_t i = 0; i < num_contexts; ++i) {
        weights[i] += error * logits[i] >> 17;
        bits[i]->learn(is_set);
    }
    return is_set;
}

template <class Coder>
std::uint8_t TextModel::code(Coder& coder, std::uint8_t byte) {
    auto const known = contexts();
    std::uint32_t node = 1;
    for (int bit = 7; bit >= 0; --bit) node = 2 * node + (code_bit(coder, known, node, (byte >> bit & 1) != 0) ? 1 : 0);
    add(static_cast<std::uint8_t>(node));
    return static_cast<std::uint8_t>(node);
}

void TextModel::learn(std::string_view text) {
    Listener listener;
    for (auto const character : text) code(listener, static_cast<std::uint8_t>(character));
}

std::vector<std::byte> encode_modelled(std::span<std::byte const> text, std::string_view before) {
    REGRAFT_EXPECTS(text.size() <= longest_modelled_text);
    TextModel model(text.size());
    model.learn(before);
    RangeEncoder coder;
    for (auto const byte : text) model.code(coder, std::to_integer<std::uint8_t>(byte));
    return coder.finish_briefly();
}

std::vector<std::byte> decode_modelled(std::span<std::byte const> coded, std::uint64_t size, std::string_view before) {
    if (size > longest_modelled_text) throw InputError("a text is longer than it may be");
    TextModel model(size);
    model.learn(before);
    RangeDecoder coder(coded, most_zeros_behind_end);
    std::vector<std::byte> text(size);
    for (auto& byte : text) byte = static_cast<std::byte>(model.code(coder));
    coder.expect_end();
    return text;
}

}  // namespace regraft::codec
