#include "regraft/msa/cell_positions.hpp"

#include "regraft/core/contracts.hpp"

namespace regraft::msa {
namespace {

// Numbers are written seven bits at a time, low bits first; the eighth says that there are more (LEB128).
constexpr std::uint64_t low_bits = 0x7f;
constexpr std::uint64_t more = 0x80;

void put(std::vector<std::uint8_t>& bytes, std::uint64_t number) {
    for (; number > low_bits; number >>= 7) bytes.push_back(static_cast<std::uint8_t>((number & low_bits) | more));
    bytes.push_back(static_cast<std::uint8_t>(number));
}

class NumberReader {
public:
    explicit NumberReader(std::vector<std::uint8_t> const& bytes) : bytes_(bytes) {}
    std::uint64_t next() {
        std::uint64_t number = 0;
        for (unsigned shift = 0;; shift += 7) {
            REGRAFT_EXPECTS(at_ < bytes_.size());
            std::uint64_t const byte = bytes_[at_++];
            number |= (byte & low_bits) << shift;
            if ((byte & more) == 0) return number;
        }
    }

private:
    std::vector<std::uint8_t> const& bytes_;
    std::size_t at_ = 0;
};

}  // namespace

void CellPositions::append_run(LineColumn begin, std::uint64_t count) {
    REGRAFT_EXPECTS(begin.line > end_.line || (begin.line == end_.line && begin.column >= end_.column));
    put(steps_, begin.line - end_.line);
    put(steps_, begin.line == end_.line ? begin.column - end_.column : begin.column);
    put(steps_, count);
    end_ = {begin.line, begin.column + count};
}

LineColumn CellPositions::at(std::uint64_t cell) const {
    NumberReader numbers(steps_);
    LineColumn place;
    for (;;) {
        auto const down = numbers.next();
        auto const right = numbers.next();
        auto const count = numbers.next();
        place = {place.line + down, down == 0 ? place.column + right : right};
        if (cell < count) return {place.line, place.column + cell};
        cell -= count;
        place.column += count;
    }
}

}  // namespace regraft::msa
