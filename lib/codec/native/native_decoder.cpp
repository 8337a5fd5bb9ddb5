// Decodes blocks of the native coding. It does not walk the tree: what changes on an edge is an interval of a column.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "codec/codec.hpp"
#include "codec/entropy/weighted_line.hpp"
#include "codec/native/native_block.hpp"
#include "codec/native/native_model.hpp"
#include "codec/native/vector_bytes.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::codec {
namespace {

/// The coder that the code_... functions use to read.
class Reader {
public:
    Reader(NativeModel const& model, NativeLines const& lines, std::span<std::byte const> block)
        : model_(&model), lines_(&lines), in_(block) {}

    std::uint32_t symbol(std::uint32_t table, std::uint32_t) { return model_->tables[table].take(in_); }
    std::uint32_t raw(std::uint32_t, std::uint32_t bits, std::uint32_t) {
        if (bits > most_share_bits) throw InputError("a block contains a number out of range");
        return in_.raw(bits);
    }
    std::uint32_t item(Line line, std::uint32_t size, std::uint32_t first, std::uint32_t count, std::uint32_t) {
        auto const skipped = lines_->skipped(line, size);
        return lines_->of(line).take(in_, first + skipped, count) - skipped;
    }
    void finish() const { in_.finish(); }

private:
    NativeModel const* model_;
    NativeLines const* lines_;
    RansReader in_;
};

/// Reads, and adds up the costs of everything.
class MeasuringReader {
public:
    enum Part : std::uint8_t { classes, root_states, change_counts, edges, new_states, direct, num_parts };

    MeasuringReader(NativeModel const& model, NativeLines const& lines, std::span<std::byte const> block)
        : model_(&model), lines_(&lines), reader_(model, lines, block) {}

    std::uint32_t symbol(std::uint32_t table, std::uint32_t) {
        auto const s = reader_.symbol(table, 0);
        add(part_of(table), model_->tables[table].share(s));
        return s;
    }
    std::uint32_t raw(std::uint32_t table, std::uint32_t bits, std::uint32_t) {
        auto const r = reader_.raw(table, bits, 0);
        add(part_of(table), {r, 1, bits});
        return r;
    }
    std::uint32_t item(Line line, std::uint32_t size, std::uint32_t first, std::uint32_t count, std::uint32_t) {
        auto const i = reader_.item(line, size, first, count, 0);
        add(line == Line::residue_edges ? edges : classes, lines_->share(line, size, first, count, i));
        return i;
    }
    void finish() const { reader_.finish(); }
    std::vector<Layer> layers() const;

private:
    Part part_of(std::uint32_t table) const {
        auto const& layout = model_->layout;
        if (table == TableLayout::root_residue) return root_states;
        if (table < layout.change_count) return classes;
        if (table < layout.residue_target) return change_counts;
        return table < layout.direct ? new_states : direct;
    }
    void add(Part part, Share share) {
        cost_[part] += (std::uint64_t{share.bits} << log_bits) - fixed_log2(share.size);
    }

    NativeModel const* model_;
    NativeLines const* lines_;
    Reader reader_;
    std::array<std::uint64_t, num_parts> cost_{};
};

std::vector<Layer> MeasuringReader::layers() const {
    auto const layer = [&](char const* name, Part part) {
        return Layer{name, static_cast<double>(cost_[part]) / (1 << log_bits)};
    };
    return {layer("cell classes", classes), layer("root states", root_states), layer("change counts", change_counts),
            layer("edges", edges),          layer("new states", new_states),   layer("direct residues", direct)};
}

void fill(std::uint8_t* begin, std::uint32_t count, std::uint8_t value) {
    if (count == 1) {
        *begin = value;
    } else {
        std::memset(begin, value, count);
    }
}

/// Paints the states of a column from nested intervals in pre-order. Each cell is painted once, so that a column takes
/// O(tips + changes), however deep they are nested. paint(first, last, state).
template <class Paint>
class Intervals {
public:
    Intervals(std::vector<std::pair<std::uint32_t, std::uint8_t>>& open, std::uint32_t num_tips, std::uint8_t root,
              Paint paint)
        : open_(open), paint_(paint) {
        open_.assign(1, {num_tips, root});
    }
    /// Paints everything before `first`, where the next interval begins. Returns the state around it.
    std::uint8_t approach(std::uint32_t first) {
        while (open_.back().first <= first) close();
        paint_to(first);
        return open_.back().second;
    }
    void open(std::uint32_t last, std::uint8_t state) { open_.emplace_back(last, state); }
    void finish() {
        while (!open_.empty()) close();
    }

private:
    void paint_to(std::uint32_t last) {
        if (last > painted_) paint_(painted_, last, open_.back().second);
        painted_ = std::max(painted_, last);
    }
    void close() {
        paint_to(open_.back().first);
        open_.pop_back();
    }

    std::vector<std::pair<std::uint32_t, std::uint8_t>>& open_;  // ends of open intervals, and their states
    Paint paint_;
    std::uint32_t painted_ = 0;
};

/// Decodes the sites of a block, one after the other, as columns in the order of the tips.
template <class In>
class BlockDecoder {
public:
    BlockDecoder(NativeModel const& model, NativeLines const& lines, RootedTree const& tree,
                 std::span<std::byte const> block)
        : model_(model),
          tree_(tree),
          reader_(model, lines, block),
          num_edges_(tree.num_nodes() - 1),
          keep_(tree.num_tips()),
          over_(tree.num_tips()) {
        show_classes();
    }

    /// Decodes the next site into column, one byte per tip.
    void next(std::uint8_t* column);
    In const& reader() const { return reader_; }

private:
    void show_classes();
    void decode_changes(std::uint8_t root, std::uint32_t count, std::uint8_t* column);
    void decode_direct(std::uint8_t* column);

    NativeModel const& model_;
    RootedTree const& tree_;
    In reader_;
    std::uint32_t num_edges_;
    ClassState classes_;
    ClassStep step_;
    CountMemory counts_;
    std::vector<std::uint32_t> edges_;
    std::vector<std::pair<std::uint32_t, std::uint8_t>> open_;  // used by Intervals
    std::vector<std::uint8_t> shown_;                           // residues of direct sites
    // The classes of this site, per tip; unused if all cells show their residue as it is.
    bool as_they_are_ = false;
    std::vector<std::uint8_t> keep_;
    std::vector<std::uint8_t> over_;
};

template <class In>
void BlockDecoder<In>::show_classes() {
    auto const& classes = model_.symbols.classes();
    as_they_are_ = classes_.changes.empty() && classes[classes_.root] == as_it_is;
    if (as_they_are_) return;
    auto const paint = [&](std::uint32_t first, std::uint32_t last, std::uint8_t state) {
        fill(&keep_[first], last - first, classes[state].keep);
        fill(&over_[first], last - first, classes[state].over);
    };
    Intervals intervals(open_, tree_.num_tips(), classes_.root, paint);
    for (auto const& change : classes_.changes) {
        intervals.approach(tree_.first_tip[change.node]);
        intervals.open(tree_.last_tip[change.node], change.to);
    }
    intervals.finish();
}

template <class In>
void BlockDecoder<In>::decode_changes(std::uint8_t root, std::uint32_t count, std::uint8_t* column) {
    auto const& residues = model_.symbols.residues();
    if (count == 0) {
        std::memset(column, residues[root], tree_.num_tips());
        return;
    }
    edges_.resize(count);
    code_items(reader_, Line::residue_edges, num_edges_, edges_);
    TargetMemory memory(root);
    auto const paint = [&](std::uint32_t first, std::uint32_t last, std::uint8_t state) {
        fill(column + first, last - first, residues[state]);
    };
    Intervals intervals(open_, tree_.num_tips(), root, paint);
    for (auto const edge : edges_) {
        auto const from = intervals.approach(tree_.first_tip[edge + 1]);
        auto const to = reader_.symbol(memory.table(model_.layout, from), 0);
        memory.add(from, to);
        intervals.open(tree_.last_tip[edge + 1], static_cast<std::uint8_t>(to));
    }
    intervals.finish();
}

template <class In>
void BlockDecoder<In>::decode_direct(std::uint8_t* column) {
    auto const& residues = model_.symbols.residues();
    shown_.clear();
    for (std::uint32_t tip = 0; tip < tree_.num_tips(); ++tip)
        if (as_they_are_ || keep_[tip] != 0) shown_.push_back(0);
    code_direct(reader_, model_.layout, shown_);
    std::size_t i = 0;
    for (std::uint32_t tip = 0; tip < tree_.num_tips(); ++tip)
        column[tip] = as_they_are_ || keep_[tip] != 0 ? residues[shown_[i++]] : residues[0];
}

template <class In>
void BlockDecoder<In>::next(std::uint8_t* column) {
    code_classes(reader_, model_.layout, num_edges_, classes_, step_);
    if (!step_.same) {
        classes_.apply(step_);
        if (classes_.changes.size() > num_edges_) throw InputError("a block has more changes than there are edges");
        show_classes();
    }
    auto const count = code_count(reader_, model_.layout, num_edges_, counts_, 0);
    if (count == direct_residues) {
        decode_direct(column);
    } else {
        decode_changes(static_cast<std::uint8_t>(reader_.symbol(model_.layout.root_residue, 0)), count, column);
    }
    if (!as_they_are_) overlay(column, keep_.data(), over_.data(), tree_.num_tips());
}

class NativeCodec final : public ColumnDecoder::Codec {
public:
    NativeCodec(NativeModel model, RootedTree tree)
        : Codec(std::move(tree)), model_(std::move(model)), lines_(model_, this->tree()) {}
    Kind kind() const override { return Kind::native; }
    void decode(std::span<std::byte const> block, std::uint32_t block_sites, BlockSites sites,
                CellGrid out) const override;
    std::vector<Layer> layers(std::span<std::byte const> block, std::uint32_t block_sites) const override;

private:
    NativeModel model_;
    NativeLines lines_;
};

/// Copies columns in the order of the tips to their places in the grid.
void place(std::span<std::uint8_t const> columns, RootedTree const& tree, CellGrid out) {
    std::size_t const num_tips = tree.num_tips();
    auto const num_sites = columns.size() / num_tips;
    auto const column = [&](std::size_t site) { return columns.data() + site * num_tips; };
    if (out.site_stride == 1) {
        auto const row = [&](std::size_t tip) {
            return reinterpret_cast<std::uint8_t*>(out.begin) + tree.row_of_tip[tip] * out.row_stride;
        };
        transpose(num_sites, num_tips, column, row);
        return;
    }
    for (std::size_t site = 0; site < num_sites; ++site) {
        auto* const begin = out.begin + site * out.site_stride;
        for (std::size_t tip = 0; tip < num_tips; ++tip)
            begin[tree.row_of_tip[tip] * out.row_stride] = static_cast<char>(column(site)[tip]);
    }
}

void NativeCodec::decode(std::span<std::byte const> block, std::uint32_t block_sites, BlockSites sites,
                         CellGrid out) const {
    if (sites.first == sites.last) return;
    BlockDecoder<Reader> decoder(model_, lines_, tree(), block);
    std::size_t const num_tips = tree().num_tips();
    std::vector<std::uint8_t> columns(num_tips * (sites.last - sites.first));
    for (std::uint32_t i = 0; i < sites.last; ++i)
        decoder.next(&columns[num_tips * (i < sites.first ? 0 : i - sites.first)]);
    if (sites.last == block_sites) decoder.reader().finish();
    place(columns, tree(), out);
}

std::vector<Layer> NativeCodec::layers(std::span<std::byte const> block, std::uint32_t block_sites) const {
    BlockDecoder<MeasuringReader> decoder(model_, lines_, tree(), block);
    std::vector<std::uint8_t> column(tree().num_tips());
    for (std::uint32_t i = 0; i < block_sites; ++i) decoder.next(column.data());
    decoder.reader().finish();
    return decoder.reader().layers();
}

}  // namespace

CodecPointer native_codec(std::span<std::byte const> model, RootedTree tree) {
    check_native_taxa(tree);
    auto read = NativeModel::read(model, tree);
    return std::make_shared<NativeCodec>(std::move(read), std::move(tree));
}

}  // namespace regraft::codec
