// Which server sends which file to which client, and when: matchings and rounds, without MPI.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <regraft/matching/b_matching.hpp>
#include <regraft/matching/weighted.hpp>
#include <regraft/schedule/h_relation.hpp>

using namespace regraft;

namespace {

using Numbers = std::vector<std::uint32_t>;

/// Rows as the library takes them: one array of offsets, one of values.
template <class T>
Csr<T> rows_of(std::vector<Numbers> const& lists) {
    Csr<T> rows;
    for (auto const& list : lists) {
        for (auto const number : list) rows.push_value(T{number});
        rows.end_row();
    }
    return rows;
}

void print(char const* what, Numbers const& values) {
    std::printf("%s", what);
    for (auto const value : values) std::printf(value == matching::unmatched ? " -" : " %u", value);
    std::printf("\n");
}

}  // namespace

int main() {
    constexpr std::uint32_t num_servers = 4;
    std::vector<Numbers> const held_by{{0, 1}, {0, 1}, {0, 1}, {0}, {0, 2}, {0, 2, 3}, {1, 3}, {0, 1}};  // per file
    std::vector<std::uint64_t> const megabytes{7, 2, 3, 1, 6, 4, 2, 5};                                  // per file
    Numbers const wanted_by{10, 11, 12, 10, 11, 12, 10, 11};  // per file, a client

    auto const graph = rows_of<std::uint32_t>(held_by);
    auto const match = matching::min_b_matching(graph, num_servers);
    print("server of each file:", match.right_of);
    std::printf("the busiest server sends %u files", match.b);
    print("; fewer is impossible because of servers", match.hall_set);

    auto const limited = matching::max_b_matching(graph, Numbers{2, 1, 1, 1});
    print("if servers send at most 2, 1, 1, 1 files:", limited.right_of);
    std::printf("%u files are sent, no choice sends more\n", static_cast<unsigned>(limited.num_matched));

    auto const weighted = matching::min_b_matching(graph, megabytes, num_servers);
    print("by megabytes:", weighted.right_of);
    std::printf("the busiest server sends %u MB, no choice less than %u\n", static_cast<unsigned>(weighted.b),
                static_cast<unsigned>(weighted.lower_bound));

    std::vector<schedule::Request> requests;
    for (std::size_t file = 0; file < wanted_by.size(); ++file)
        requests.push_back({BlockId{file}, PeId{wanted_by[file]}});
    auto const holders = rows_of<PeId>(held_by);
    auto const plan = schedule::h_relation(requests, holders);
    std::printf("%u rounds, no plan has fewer\n", plan.h);
    for (std::size_t round = 0; round < plan.rounds.size(); ++round) {
        std::printf("round %u:", static_cast<unsigned>(round));
        for (auto const& [file, sender, receiver] : plan.rounds[round])
            std::printf("  file %u %u -> %u", static_cast<unsigned>(value(file)), value(sender), value(receiver));
        std::printf("\n");
    }

    auto const senders = schedule::choose_senders(requests, holders, {.bytes = megabytes});
    std::printf("all at once, by megabytes: the busiest server sends %u MB\n",
                static_cast<unsigned>(senders.most_bytes));
}
