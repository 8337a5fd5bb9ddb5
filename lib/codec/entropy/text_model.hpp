// Short texts, such as names, coded byte by byte with models that learn (docs/alignments/file-format.md). Some typical
// names are known to them before. Slow: some MB per second.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "codec/entropy/adaptive.hpp"

namespace regraft::codec {

/// Longer texts are neither written nor read.
inline constexpr std::uint64_t longest_modelled_text = std::uint64_t{1} << 20;

/// Predicts the bytes of lines from those before, and from the line above: the last one that begins with >, as titles
/// in FASTA do, if this line does, or the last one that does not.
class TextModel {
public:
    /// `num_bytes`: the length of the text.
    explicit TextModel(std::uint64_t num_bytes);

    template <class Coder>
    std::uint8_t code(Coder& coder, std::uint8_t byte = 0);
    /// Learns a text without coding it.
    void learn(std::string_view text);

private:
    static constexpr std::size_t num_contexts = 6;
    using Contexts = std::array<std::uint64_t, num_contexts>;
    using Weights = std::array<std::int64_t, num_contexts>;
    static constexpr std::uint32_t num_nodes = 256;
    static constexpr std::uint32_t num_cases = 3;  // the line is that above so far, is longer, or neither

    Contexts contexts() const;
    std::uint64_t above() const;
    void add(std::uint8_t byte);
    template <class Coder>
    bool code_bit(Coder& coder, Contexts const& contexts, std::uint32_t node, bool is_set);

    std::uint32_t table_bits_;
    std::array<std::vector<AdaptiveBit>, num_contexts> tables_;
    std::vector<Weights> weights_;  // [case][node]
    using Line = std::vector<std::uint8_t>;
    static bool is_title(Line const& line) { return !line.empty() && line[0] == '>'; }

    std::array<Line, 2> last_;    // the last line that is no title, and the last that is one
    std::uint32_t expected_ = 0;  // which of both is the line above
    Line line_;
    bool is_as_above_ = true;  // so far
};

/// Codes a text with a model that has learnt the text `before`. Precondition: it is not longer than
/// longest_modelled_text.
std::vector<std::byte> encode_modelled(std::span<std::byte const> text, std::string_view before);
/// Decodes it. Throws InputError if it is damaged, or longer than longest_modelled_text.
std::vector<std::byte> decode_modelled(std::span<std::byte const> coded, std::uint64_t size, std::string_view before);

}  // namespace regraft::codec
