// Splits a cell in a residue and a class. The class says whether the cell shows its residue, and in which form.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "codec/entropy/range_decoder.hpp"
#include "codec/native/prior.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::codec {

/// Cells of a class are (residue & keep) | over: the residue as it is, the residue in lower case, or a gap for any
/// residue.
struct CellClass {
    std::uint8_t keep = 0xFF;
    std::uint8_t over = 0;

    bool shows_residue() const { return keep != 0; }
    friend auto operator<=>(CellClass const&, CellClass const&) = default;
};

inline constexpr CellClass as_it_is{0xFF, 0};
inline constexpr CellClass lower_case{0xFF, 0x20};

/// The classes and residues of an alignment, most frequent first, and those of each character.
class Symbols {
public:
    static constexpr std::uint32_t most = 32;  // classes, and residues

    /// Gaps, and characters that stand for any residue, are classes of their own. Throws InputError if there are more
    /// than `most` classes or residues. O(cells).
    explicit Symbols(msa::Alignment const& alignment);
    /// Reads what write wrote. Throws InputError for anything else.
    explicit Symbols(RangeDecoder& in);
    void write(RangeEncoder& out) const;

    Residues kind() const { return kind_; }
    std::vector<CellClass> const& classes() const { return classes_; }       // at least one
    std::vector<std::uint8_t> const& residues() const { return residues_; }  // at least one

    std::uint8_t class_of(char symbol) const { return class_of_[static_cast<unsigned char>(symbol)]; }
    /// The residue of a character; 0 for cells that do not show theirs.
    std::uint8_t residue_of(char symbol) const { return residue_of_[static_cast<unsigned char>(symbol)]; }

private:
    void index();

    Residues kind_ = Residues::others;
    std::vector<CellClass> classes_;
    std::vector<std::uint8_t> residues_;
    std::array<std::uint8_t, 256> class_of_{};
    std::array<std::uint8_t, 256> residue_of_{};
};

}  // namespace regraft::codec
