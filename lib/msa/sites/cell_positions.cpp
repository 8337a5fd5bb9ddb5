#include "regraft/msa/cell_positions.hpp"

#include "regraft/core/contracts.hpp"

namespace regraft::msa {
namespace {

// Numbers are written seven bits at a time, low bits first; the eighth bit says that more follow (LEB128).
constexpr std::uint64_t seven_bits = 0x7f;
constexpr std::uint64_t follows_more = 0x80;

void put(std::vector<std::uint8_t>& bytes, std::uint64_t number) {
    for (; number > seven_bits; number >>= 7)
        bytes.push_back(static_cast<std::uint8_t>((number & seven_bits) | follows_more));
    bytes.push_back(static_cast<std::uint8_t>(number));
}

/// Neighbouring cells, or some that are all unwritten.
struct Cells {
    CellRun run;
    std::uint64_t unwritten = 0;
};

class RunReader {
public:
    explicit RunReader(std::vector<std::uint8_t> const& steps) : bytes_(steps) {}
    bool at_end() const { return at_ == bytes_.size(); }
    Cells next() {
        auto const down = number();
        auto const right = number();
        LineColumn const begin{end_.line + down, down == 0 ? end_.column + right : right};
        auto const count = number();
        end_ = {begin.line, begin.column + count};
        return {{begin, count}, count == 0 ? number() : 0};
    }

private:
    std::uint64_t number() {
        std::uint64_t result = 0;
        for (unsigned shift = 0;; shift += 7) {
            REGRAFT_EXPECTS(at_ < bytes_.size());
            std::uint64_t const byte = bytes_[at_++];
            result |= (byte & seven_bits) << shift;
            if ((byte & follows_more) == 0) return result;
        }
    }

    std::vector<std::uint8_t> const& bytes_;
    std::size_t at_ = 0;
    LineColumn end_;  // behind the last run
};

}  // namespace

void CellPositions::append_run(LineColumn begin, std::uint64_t count) {
    REGRAFT_EXPECTS(count != 0);
    append(begin, count);
}

void CellPositions::append_unwritten(LineColumn place, std::uint64_t count) {
    REGRAFT_EXPECTS(count != 0);
    append(place, 0);
    put(steps_, count);
}

void CellPositions::append(LineColumn begin, std::uint64_t count) {
    REGRAFT_EXPECTS(begin.line > end_.line || (begin.line == end_.line && begin.column >= end_.column));
    put(steps_, begin.line - end_.line);
    put(steps_, begin.line == end_.line ? begin.column - end_.column : begin.column);
    put(steps_, count);
    end_ = {begin.line, begin.column + count};
}

LineColumn CellPositions::at(std::uint64_t cell) const {
    RunReader reader(steps_);
    for (;;) {
        auto const [run, unwritten] = reader.next();
        if (cell < run.count) return {run.begin.line, run.begin.column + cell};
        if (cell < unwritten) return run.begin;
        cell -= run.count + unwritten;
    }
}

std::vector<CellRun> CellPositions::runs() const {
    std::vector<CellRun> runs;
    for (RunReader reader(steps_); !reader.at_end();) {
        auto const [run, unwritten] = reader.next();
        if (unwritten == 0) runs.push_back(run);
    }
    return runs;
}

}  // namespace regraft::msa
