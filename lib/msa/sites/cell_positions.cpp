#include "regraft/msa/cell_positions.hpp"

#include "regraft/core/contracts.hpp"

namespace regraft::msa {
namespace {

/// Neighbouring cells, or some that are all unwritten.
struct Cells {
    CellRun run;
    std::uint64_t unwritten = 0;
};

class RunReader {
public:
    explicit RunReader(FormatWriter const& steps) : rest_(steps.bytes()) {}
    bool at_end() const { return rest_.rest().empty(); }
    Cells next() {
        REGRAFT_EXPECTS(!at_end());
        auto const down = rest_.number();
        auto const right = rest_.number();
        LineColumn const begin{end_.line + down, down == 0 ? end_.column + right : right};
        auto const count = rest_.number();
        end_ = {begin.line, begin.column + count};
        return {{begin, count}, count == 0 ? rest_.number() : 0};
    }

private:
    FormatReader rest_;
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
    steps_.number(count);
}

void CellPositions::append(LineColumn begin, std::uint64_t count) {
    REGRAFT_EXPECTS(begin.line > end_.line || (begin.line == end_.line && begin.column >= end_.column));
    steps_.number(begin.line - end_.line);
    steps_.number(begin.line == end_.line ? begin.column - end_.column : begin.column);
    steps_.number(count);
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
