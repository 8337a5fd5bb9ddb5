#include "codec/native/symbols.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "codec/entropy/adaptive.hpp"
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
    kind_ = kind_of(residues_);
    index();
}

namespace {

/// All classes, the likely ones first.
std::vector<CellClass> expected_classes() {
    constexpr std::string_view gaps = "-?NXnx.*~";
    std::vector<CellClass> classes{as_it_is, lower_case};
    for (auto const gap : gaps) classes.push_back({0, static_cast<std::uint8_t>(gap)});
    for (std::uint32_t c = 0; c < 256; ++c)
        if (gaps.find(static_cast<char>(c)) == std::string_view::npos)
            classes.push_back({0, static_cast<std::uint8_t>(c)});
    return classes;
}

/// Codes a list of different items, at least one and at most Symbols::most, by their places among those that are left
/// of what is expected.
template <class Coder, class Item>
void code_list(Coder& coder, std::vector<Item> expected, std::vector<Item>& list) {
    AdaptiveNumber size;
    auto const number = 1 + size.code(coder, static_cast<std::uint32_t>(list.size()) - 1);
    if (number > Symbols::most) throw InputError("there are too many symbols");
    list.resize(number);
    AdaptiveNumber places;
    for (auto& item : list) {
        auto const place =
            places.code(coder, static_cast<std::uint32_t>(std::ranges::find(expected, item) - expected.begin()));
        if (place >= expected.size()) throw InputError("a symbol is none of those that are left");
        item = expected[place];
        expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(place));
    }
}

template <class Coder>
void code_symbols(Coder& coder, Residues& kind, std::vector<CellClass>& classes, std::vector<std::uint8_t>& residues) {
    kind = static_cast<Residues>(coder.uniform(static_cast<std::uint32_t>(kind), 3));
    code_list(coder, expected_classes(), classes);
    auto const expected = expected_residues(kind);
    code_list(coder, {expected.begin(), expected.end()}, residues);
}

}  // namespace

Symbols::Symbols(RangeDecoder& in) : classes_(1), residues_(1) {
    code_symbols(in, kind_, classes_, residues_);
    index();
}

void Symbols::write(RangeEncoder& out) const {
    auto copy = *this;
    code_symbols(out, copy.kind_, copy.classes_, copy.residues_);
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
