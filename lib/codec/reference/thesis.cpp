// The published scheme, see regraft/codec/thesis.hpp.
//
// A block is a string of bits, lowest first: 8 bits w; per site the number of its records, w bits; per site the state
// of the root; per site its records in the order of increasing edges: state of the parent XOR state of the child, then
// the edge. The model is a byte 0 if states are sets of bases; otherwise it is a byte 1 and the characters by
// decreasing frequency.
#include "regraft/codec/thesis.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "codec/codec.hpp"
#include "codec/entropy/bit_stream.hpp"
#include "codec/first_error.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

[[noreturn]] void damaged() {
    throw InputError("a block of columns is damaged");
}

/// The number of bits of numbers below n.
std::uint32_t bits_below(std::uint64_t n) {
    return n <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(n - 1));
}

// ---- Bits

/// The `width` bits at `position`. Precondition: they are there, width <= 48.
std::uint64_t bits_at(std::span<std::byte const> bytes, std::uint64_t position, std::uint32_t width) {
    auto const rest = bytes.subspan(position / 8);
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < std::min(rest.size(), sizeof word); ++i) word |= std::uint64_t(rest[i]) << 8 * i;
    return word >> position % 8 & ((std::uint64_t{1} << width) - 1);
}

// ---- States

/// The characters and their states.
class States {
public:
    /// The states of an alignment.
    explicit States(msa::Alignment const& alignment);
    /// The states of a model. Throws InputError.
    explicit States(std::span<std::byte const> model);

    std::vector<std::byte> model() const;
    std::uint32_t bits() const { return bits_; }
    std::uint8_t state(char symbol) const { return state_[static_cast<unsigned char>(symbol)]; }
    char symbol(std::uint8_t state) const { return symbol_[state]; }
    bool exists(std::uint8_t state) const { return exists_[state]; }

private:
    /// State i is the set of the bases whose bits are set in i: A 1, C 2, G 4, T 8.
    static constexpr std::string_view base_sets = "-ACMGRSVTWYHKDBN";

    void number(std::string_view symbols);

    std::string_view::size_type num_symbols_ = 0;
    std::uint32_t bits_ = 0;
    bool are_base_sets_ = false;
    std::array<std::uint8_t, 256> state_{};  // by character
    std::array<char, 256> symbol_{};         // by state
    std::array<bool, 256> exists_{};         // by state
};

States::States(msa::Alignment const& alignment) {
    std::array<std::uint64_t, 256> count{};
    for (auto const cell : alignment.cells) ++count[static_cast<unsigned char>(cell)];
    std::string symbols;
    for (int c = 0; c < 256; ++c)
        if (count[c] > 0) symbols += static_cast<char>(c);
    are_base_sets_ = symbols.find_first_not_of(base_sets) == std::string::npos;
    std::ranges::stable_sort(symbols, std::greater<>(), [&](char c) { return count[static_cast<unsigned char>(c)]; });
    number(are_base_sets_ ? base_sets : symbols);
}

States::States(std::span<std::byte const> model) {
    if (model.empty() || model[0] > std::byte{1}) throw InputError("the model of the columns is damaged");
    are_base_sets_ = model[0] == std::byte{0};
    std::string symbols;
    for (auto const byte : model.subspan(1)) symbols += static_cast<char>(byte);
    auto distinct = symbols;
    std::ranges::sort(distinct);
    auto const is_distinct = std::ranges::adjacent_find(distinct) == distinct.end();
    if (symbols.empty() != are_base_sets_ || !is_distinct) throw InputError("the model of the columns is damaged");
    number(are_base_sets_ ? base_sets : symbols);
}

void States::number(std::string_view symbols) {
    num_symbols_ = symbols.size();
    bits_ = bits_below(num_symbols_);
    for (std::size_t i = 0; i < num_symbols_; ++i) {
        state_[static_cast<unsigned char>(symbols[i])] = static_cast<std::uint8_t>(i);
        symbol_[i] = symbols[i];
        exists_[i] = true;
    }
}

std::vector<std::byte> States::model() const {
    if (are_base_sets_) return {std::byte{0}};
    std::vector<std::byte> out{std::byte{1}};
    for (std::size_t i = 0; i < num_symbols_; ++i) out.push_back(static_cast<std::byte>(symbol_[i]));
    return out;
}

// ---- Reconstruction

struct Record {
    std::uint32_t edge;  // counted from 0: the edge above node edge + 1
    std::uint8_t mask;
};

/// Finds states of inner nodes for one column after the other, with as few changes as possible.
class FewestChanges {
public:
    explicit FewestChanges(RootedTree const& tree) : tree_(tree), nodes_(tree.num_nodes()) {}

    /// tips: one state per tip. Appends the records and returns the state of the root.
    std::uint8_t run(std::span<std::uint8_t const> tips, std::vector<Record>& records);

private:
    /// Bits are ranks of states; the most frequent in the column is first.
    using Set = std::uint64_t;

    struct Node {
        Set in_one = 0, in_two = 0, in_three = 0;  // states in the sets of at least one, two, three children
        std::uint8_t rank = 0;                     // rank of the chosen state

        Set best() const { return in_three != 0 ? in_three : in_two != 0 ? in_two : in_one; }
    };

    void rank(std::span<std::uint8_t const> tips);
    /// Tips with a state beyond the 64 most frequent in a column do not vote on inner nodes.
    static Set set_of(std::uint8_t rank) { return rank < 64 ? Set{1} << rank : ~Set{0}; }

    RootedTree const& tree_;
    std::vector<Node> nodes_;
    std::vector<std::uint8_t> state_of_rank_;
    std::array<std::uint8_t, 256> rank_of_state_{};
};

void FewestChanges::rank(std::span<std::uint8_t const> tips) {
    std::array<std::uint32_t, 256> count{};
    for (auto const state : tips) ++count[state];
    state_of_rank_.clear();
    for (std::uint32_t state = 0; state < 256; ++state)
        if (count[state] > 0) state_of_rank_.push_back(static_cast<std::uint8_t>(state));
    std::ranges::stable_sort(state_of_rank_, std::greater<>(), [&](std::uint8_t state) { return count[state]; });
    for (std::size_t i = 0; i < state_of_rank_.size(); ++i)
        rank_of_state_[state_of_rank_[i]] = static_cast<std::uint8_t>(i);
}

std::uint8_t FewestChanges::run(std::span<std::uint8_t const> tips, std::vector<Record>& records) {
    rank(tips);
    if (state_of_rank_.size() == 1) return tips[0];

    std::ranges::fill(nodes_, Node{});
    for (auto v = tree_.num_nodes(); v-- > 1;) {
        auto& node = nodes_[v];
        if (tree_.is_tip(v)) {
            node.rank = rank_of_state_[tips[tree_.first_tip[v]]];
            node.in_one = set_of(node.rank);
        }
        auto& parent = nodes_[tree_.parent[v]];
        auto const set = node.best();
        parent.in_three |= parent.in_two & set;
        parent.in_two |= parent.in_one & set;
        parent.in_one |= set;
    }

    nodes_[0].rank = static_cast<std::uint8_t>(std::countr_zero(nodes_[0].best()));
    for (std::uint32_t v = 1; v < tree_.num_nodes(); ++v) {
        auto& node = nodes_[v];
        auto const above = nodes_[tree_.parent[v]].rank;
        if (!tree_.is_tip(v)) {
            auto const set = node.best();
            node.rank = (set_of(above) & set) != 0 ? above : static_cast<std::uint8_t>(std::countr_zero(set));
        }
        if (node.rank == above) continue;
        auto const mask = state_of_rank_[node.rank] ^ state_of_rank_[above];
        records.push_back({v - 1, static_cast<std::uint8_t>(mask)});
    }
    return state_of_rank_[nodes_[0].rank];
}

// ---- Encoding

struct Sites {
    std::uint64_t first, last;
};

/// The states of all tips for each site of a range.
std::vector<std::uint8_t> columns(msa::Alignment const& alignment, RootedTree const& tree, States const& states,
                                  Sites sites) {
    auto const num_tips = tree.num_tips();
    std::vector<std::uint8_t> out(num_tips * (sites.last - sites.first));
    for (std::uint32_t tip = 0; tip < num_tips; ++tip) {
        auto const row = alignment.row(tree.row_of_tip[tip]);
        for (auto site = sites.first; site < sites.last; ++site)
            out[(site - sites.first) * num_tips + tip] = states.state(row[site]);
    }
    return out;
}

std::vector<std::byte> encode_block(msa::Alignment const& alignment, RootedTree const& tree, States const& states,
                                    Sites sites) {
    FewestChanges fewest(tree);
    auto const cells = columns(alignment, tree, states, sites);
    auto const num_sites = static_cast<std::uint32_t>(sites.last - sites.first);
    std::vector<std::uint8_t> roots(num_sites);
    std::vector<std::uint32_t> counts(num_sites);
    std::vector<Record> records;
    for (std::uint32_t i = 0; i < num_sites; ++i) {
        auto const before = records.size();
        roots[i] = fewest.run(std::span(cells).subspan(std::size_t{i} * tree.num_tips(), tree.num_tips()), records);
        counts[i] = static_cast<std::uint32_t>(records.size() - before);
    }

    ThesisBlockShape const shape{tree.num_tips(), states.bits(), num_sites, records.size(), std::ranges::max(counts)};
    auto const count_bits = bits_below(std::uint64_t{shape.most_records} + 1);
    auto const edge_bits = thesis_edge_bits(shape.num_taxa);
    BitWriter out;
    out.put(count_bits, 8);
    for (auto const count : counts) out.put(count, count_bits);
    for (auto const root : roots) out.put(root, shape.state_bits);
    for (auto const [edge, mask] : records)
        out.put(std::uint64_t{edge} << shape.state_bits | mask, shape.state_bits + edge_bits);
    return out.take();
}

// ---- Decoding

class ThesisCodec final : public ColumnDecoder::Codec {
public:
    ThesisCodec(std::span<std::byte const> model, RootedTree tree)
        : Codec(std::move(tree)), states_(model), edge_bits_(thesis_edge_bits(this->tree().num_tips())) {}

    Kind kind() const override { return Kind::thesis; }
    void decode(std::span<std::byte const> block, std::uint32_t block_sites, BlockSites sites,
                CellGrid out) const override;
    std::vector<Layer> layers(std::span<std::byte const> block, std::uint32_t block_sites) const override;

private:
    /// A block with the positions of its parts.
    struct Block {
        std::span<std::byte const> bytes;
        std::uint32_t count_bits;
        std::uint64_t roots;    // in bits
        std::uint64_t records;  // in bits; position of the records of the first requested site

        std::uint64_t count(std::uint32_t site) const {
            return bits_at(bytes, 8 + std::uint64_t{site} * count_bits, count_bits);
        }
    };

    std::uint32_t record_bits() const { return states_.bits() + edge_bits_; }
    Block open(std::span<std::byte const> bytes, std::uint32_t block_sites, std::uint32_t first) const;
    std::uint8_t checked(std::uint64_t state) const;
    void decode_site(Block const& block, std::uint32_t site, std::uint64_t records,
                     std::span<std::uint8_t> column) const;

    States states_;
    std::uint32_t edge_bits_;
};

ThesisCodec::Block ThesisCodec::open(std::span<std::byte const> bytes, std::uint32_t block_sites,
                                     std::uint32_t first) const {
    if (bytes.empty()) damaged();
    Block block{bytes, static_cast<std::uint32_t>(bytes[0]), 0, 0};
    if (block.count_bits > 32) damaged();
    block.roots = 8 + std::uint64_t{block_sites} * block.count_bits;
    auto end = block.roots + std::uint64_t{block_sites} * states_.bits();
    if ((end + 7) / 8 > bytes.size()) damaged();
    block.records = end;
    for (std::uint32_t site = 0; site < block_sites && block.count_bits > 0; ++site) {
        if (site == first) block.records = end;
        auto const count = block.count(site);
        if (count >= tree().num_nodes() || end / 8 > bytes.size()) damaged();
        end += count * record_bits();
    }
    if (first == block_sites) block.records = end;
    if ((end + 7) / 8 != bytes.size()) damaged();
    return block;
}

std::vector<Layer> ThesisCodec::layers(std::span<std::byte const> bytes, std::uint32_t block_sites) const {
    auto const block = open(bytes, block_sites, block_sites);
    auto const roots = std::uint64_t{block_sites} * states_.bits();
    auto const records = block.records - block.roots - roots;
    auto const num_records = records / std::max(record_bits(), 1U);
    auto const index = 8 * bytes.size() - roots - records;  // including the bits that fill up the last byte
    return {{"index", static_cast<double>(index)},
            {"root states", static_cast<double>(roots)},
            {"masks", static_cast<double>(num_records * states_.bits())},
            {"edges", static_cast<double>(num_records * edge_bits_)}};
}

std::uint8_t ThesisCodec::checked(std::uint64_t state) const {
    auto const known = static_cast<std::uint8_t>(state);
    if (!states_.exists(known)) throw InputError("a block of columns has a state that no character stands for");
    return known;
}

void ThesisCodec::decode_site(Block const& block, std::uint32_t site, std::uint64_t records,
                              std::span<std::uint8_t> column) const {
    auto const root = bits_at(block.bytes, block.roots + std::uint64_t{site} * states_.bits(), states_.bits());
    std::memset(column.data(), checked(root), column.size());
    std::uint64_t least = 0;
    for (auto left = block.count(site); left > 0; --left, records += record_bits()) {
        auto const record = bits_at(block.bytes, records, record_bits());
        auto const mask = record & ((std::uint64_t{1} << states_.bits()) - 1);
        auto const edge = record >> states_.bits();
        if (mask == 0 || edge < least || edge + 1 >= tree().num_nodes()) damaged();
        least = edge + 1;
        // In pre-order all edges above this one are done, and none below it.
        auto const first = tree().first_tip[edge + 1];
        std::memset(&column[first], checked(column[first] ^ mask), tree().last_tip[edge + 1] - first);
    }
}

void ThesisCodec::decode(std::span<std::byte const> bytes, std::uint32_t block_sites, BlockSites sites,
                         CellGrid out) const {
    auto const block = open(bytes, block_sites, sites.first);
    auto const num_tips = tree().num_tips();
    constexpr std::uint32_t tile = 32;  // number of sites processed at a time, so that rows are written in pieces
    std::vector<std::uint8_t> columns(std::size_t{num_tips} * std::min(tile, sites.last - sites.first));
    auto records = block.records;
    for (auto first = sites.first; first < sites.last; first += std::min(tile, sites.last - first)) {
        auto const num_sites = std::min(tile, sites.last - first);
        for (std::uint32_t i = 0; i < num_sites; ++i) {
            decode_site(block, first + i, records, std::span(columns).subspan(std::size_t{i} * num_tips, num_tips));
            records += block.count(first + i) * record_bits();
        }
        auto* const begin = out.begin + (first - sites.first) * out.site_stride;
        auto const write = [&](std::uint32_t tip, std::uint32_t i) {
            begin[tree().row_of_tip[tip] * out.row_stride + i * out.site_stride] =
                states_.symbol(columns[std::size_t{i} * num_tips + tip]);
        };
        if (out.site_stride == 1) {
            for (std::uint32_t tip = 0; tip < num_tips; ++tip)
                for (std::uint32_t i = 0; i < num_sites; ++i) write(tip, i);
        } else {
            for (std::uint32_t i = 0; i < num_sites; ++i)
                for (std::uint32_t tip = 0; tip < num_tips; ++tip) write(tip, i);
        }
    }
}

}  // namespace

std::uint32_t thesis_edge_bits(std::uint32_t num_taxa) {
    auto const num_edges = num_taxa <= 2 ? 2 * (num_taxa - 1) : 2 * std::uint64_t{num_taxa} - 3;
    return bits_below(num_edges);
}

std::uint64_t thesis_block_bytes(ThesisBlockShape const& shape) {
    auto const index_bits = 8 + std::uint64_t{shape.num_sites} * bits_below(std::uint64_t{shape.most_records} + 1);
    auto const root_bits = std::uint64_t{shape.num_sites} * shape.state_bits;
    auto const record_bits = shape.num_records * (shape.state_bits + thesis_edge_bits(shape.num_taxa));
    return (index_bits + root_bits + record_bits + 7) / 8;
}

EncodedColumns encode_thesis(msa::Alignment const& alignment, RootedTree const& tree, EncodeOptions const& options) {
    States const states(alignment);
    auto const num_sites = alignment.num_sites();
    auto const num_blocks = (num_sites + options.sites_per_block - 1) / options.sites_per_block;
    std::vector<std::vector<std::byte>> blocks(num_blocks);
    FirstError error;
#pragma omp parallel for schedule(static) if (alignment.cells.size() > 1 << 13)
    for (std::size_t b = 0; b < num_blocks; ++b) {
        error.run(b, [&] {
            auto const first = b * options.sites_per_block;
            auto const last = std::min<std::uint64_t>(first + options.sites_per_block, num_sites);
            blocks[b] = encode_block(alignment, tree, states, {first, last});
        });
    }
    error.rethrow();

    EncodedColumns out{Kind::thesis, options.sites_per_block, states.model(), {}};
    for (auto const& block : blocks) out.blocks.push_row(block);
    return out;
}

CodecPointer thesis_codec(std::span<std::byte const> model, RootedTree tree) {
    return std::make_shared<ThesisCodec>(model, std::move(tree));
}

}  // namespace regraft::codec
