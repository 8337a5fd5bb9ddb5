#include "together/shared_input_error.hpp"

#include <cstddef>
#include <new>

#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/core/bytes.hpp"

namespace regraft::phylo {

Problem Problem::of(std::exception const& error) {
    if (dynamic_cast<OutputError const*>(&error) == nullptr && dynamic_cast<InputError const*>(&error) != nullptr)
        return {error.what(), common::bad_input};
    if (dynamic_cast<std::bad_alloc const*>(&error) != nullptr)
        return {"there is not enough memory for this", common::failed};
    return {error.what(), common::failed};
}

void agree_on_input(ft::Communicator& comm, Problem const& problem) {
    ByteWriter mine;
    mine.put(problem.exit_code);
    mine.put_text(problem.text);
    checkpoint::MiniCheckpoint problems(comm);
    problems.commit(mine.bytes());
    auto const& shares = problems.latest().shares;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        ByteReader in(shares[rank]);
        auto const exit_code = in.get<int>();
        auto const text = in.get_text();
        if (text.empty()) continue;
        if (exit_code == common::bad_input) throw SharedInputError(text);
        throw SharedFailure(text);
    }
}

}  // namespace regraft::phylo
