// A cell as a residue and the class of the cell: which residue there is, and whether and how it is written.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "codec/bit_stream.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::codec {

/// Cells of a class are (residue & keep) | over: a residue as it is, in lower case, or a gap whatever the residue.
struct CellClass {
    std::uint8_t keep = 0xFF;
    std::uint8_t over = 0;

    bool shows_residue() const { return keep != 0; }
    friend auto operator<=>(CellClass const&, CellClass const&) = default;
};

inline constexpr CellClass as_it_is{0xFF, 0};
inline constexpr CellClass lower_case{0xFF, 0x20};

/// The classes and residues of an alignment, most frequent first, and what each character amounts to.
class Symbols {
public:
    static constexpr std::uint32_t most = 32;  // classes, and residues

    /// Gaps and what stands for any residue are classes of their own. Throws InputError if there are more than `most`
    /// classes or residues. O(cells).
    explicit Symbols(msa::Alignment const& alignment);
    /// What write wrote. Throws InputError for anything else.
    explicit Symbols(BitReader& in);
    void write(BitWriter& out) const;

    std::vector<CellClass> const& classes() const { return classes_; }       // at least one
    std::vector<std::uint8_t> const& residues() const { return residues_; }  // at least one

    std::uint8_t class_of(char symbol) const { return class_of_[static_cast<unsigned char>(symbol)]; }
    /// 0 for cells that do not show theirs.
    std::uint8_t residue_of(char symbol) const { return residue_of_[static_cast<unsigned char>(symbol)]; }

private:
    void index();

    std::vector<CellClass> classes_;
    std::vector<std::uint8_t> residues_;
    std::array<std::uint8_t, 256> class_of_{};
    std::array<std::uint8_t, 256> residue_of_{};
};

}  // namespace regraft::codec
