#include "shared_input_error.hpp"

#include <cstddef>
#include <span>

#include "regraft/checkpoint/mini_checkpoint.hpp"

namespace regraft::phylo {

void agree_on_input(ft::Communicator& comm, std::string const& problem) {
    checkpoint::MiniCheckpoint problems(comm);
    problems.commit(std::as_bytes(std::span(problem)));
    auto const& shares = problems.latest().shares;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        auto const share = shares[rank];
        if (!share.empty())
            throw SharedInputError(std::string(reinterpret_cast<char const*>(share.data()), share.size()));
    }
}

}  // namespace regraft::phylo
