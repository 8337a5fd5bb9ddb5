// Six transfers between three senders and three receivers, in as few rounds as possible: in a round, each of them has
// one transfer.
#include <array>
#include <cstdio>

#include "regraft/schedule/edge_colouring.hpp"

int main() {
    std::array<regraft::schedule::Edge, 6> const transfers{{{0, 0}, {0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 2}}};
    auto const rounds = regraft::schedule::colour_edges(transfers);
    for (std::size_t i = 0; i < transfers.size(); ++i)
        std::printf("round %u: %u sends to %u\n", rounds[i], transfers[i].left, transfers[i].right);
    std::printf("%zu transfers in %u rounds\n", transfers.size(), regraft::schedule::largest_degree(transfers));
}
