#include "codec/native/symbols.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "regraft/core/errors.hpp"
#include "regraft/msa/characters.hpp"

namespace regraft::codec {
namespace {

bool is_lower(std::uint8_t c) {
    return c >= 'a' && c <= 'z';
}
bool is_upper(std::uint8_t c) {
    return c >= 'A' && c <= 'Z';
}

template <class Item>
bool has_repeats(std::vector<Item> items) {
    std::ranges::sort(items);
    return std::ranges::adjacent_find(items) != items.end();
}

/// The keys in the order of descending counts.
template <class Key>
std::vector<Key> by_frequency(std::map<Key, std::uint64_t> const& counts) {
    std::vector<std::pair<Key, std::uint64_t>> entries(counts.begin(), counts.end());
    std::ranges::stable_sort(entries, std::ranges::greater{}, [](auto const& entry) { return entry.second; });
    std::vector<Key> keys;
    for (auto const& [key, count] : entries) keys.push_back(key);
    if (keys.size() > Symbols::most)
        throw InputError("there are more than 32 different symbols, or ways in which they are written");
    return keys;
}

}  // namespace

Symbols::Symbols(msa::Alignment const& alignment) {
    std::array<std::uint64_t, 256> count{};
    for (auto const cell : alignment.cells) ++count[static_cast<unsigned char>(cell)];
    auto const meaning = msa::character_table(alignment);
    std::map<std::uint8_t, std::uint64_t> residues;
    std::map<std::pair<std::uint8_t, std::uint8_t>, std::uint64_t> classes;
    for (std::size_t i = 0; i < count.size(); ++i) {
        auto const symbol = static_cast<std::uint8_t>(i);
        if (count[i] == 0) continue;
        if (meaning.is_undetermined(static_cast<char>(symbol))) {
            classes[{0, symbol}] = count[i];
        } else if (is_lower(symbol)) {
            residues[static_cast<std::uint8_t>(symbol - lower_case.over)] += count[i];
            classes[{lower_case.keep, lower_case.over}] += count[i];
        } else {
            residues[symbol] += count[i];
            classes[{as_it_is.keep, as_it_is.over}] += count[i];
        }
    }
    residues_ = by_frequency(residues);
    for (auto const& [keep, over] : by_frequency(classes)) classes_.push_back({keep, over});
    if (residues_.empty()) residues_ = {'-'};
    if (classes_.empty()) classes_ = {as_it_is};
    index();
}

Symbols::Symbols(BitReader& in) {
    auto const num_classes = in.get(5) + 1;
    for (std::uint64_t i = 0; i < num_classes; ++i) {
        switch (in.get(2)) {
            case 0:
                classes_.push_back(as_it_is);
                break;
            case 1:
                classes_.push_back(lower_case);
                break;
            case 2:
                classes_.push_back({0, static_cast<std::uint8_t>(in.get(8))});
                break;
            default:
                throw InputError("a class of cells is none of those that are known");
        }
    }
    auto const num_residues = in.get(5) + 1;
    for (std::uint64_t i = 0; i < num_residues; ++i) residues_.push_back(static_cast<std::uint8_t>(in.get(8)));
    if (has_repeats(classes_) || has_repeats(residues_))
        throw InputError("a residue, or a class of cells, is there twice");
    index();
}

void Symbols::write(BitWriter& out) const {
    out.put(classes_.size() - 1, 5);
    for (auto const cell_class : classes_) {
        out.put(cell_class == as_it_is ? 0 : cell_class == lower_case ? 1 : 2, 2);
        if (!cell_class.shows_residue()) out.put(cell_class.over, 8);
    }
    out.put(residues_.size() - 1, 5);
    for (auto const residue : residues_) out.put(residue, 8);
}

void Symbols::index() {
    for (std::size_t r = residues_.size(); r-- > 0;) {
        residue_of_[residues_[r]] = static_cast<std::uint8_t>(r);
        if (is_upper(residues_[r])) residue_of_[residues_[r] | lower_case.over] = static_cast<std::uint8_t>(r);
    }
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        if (classes_[c].shows_residue()) {
            for (auto const residue : residues_) class_of_[residue | classes_[c].over] = static_cast<std::uint8_t>(c);
        }
    }
    for (std::size_t c = 0; c < classes_.size(); ++c) {
        if (!classes_[c].shows_residue()) {
            class_of_[classes_[c].over] = static_cast<std::uint8_t>(c);
            residue_of_[classes_[c].over] = 0;
        }
    }
}

}  // namespace regraft::codec
