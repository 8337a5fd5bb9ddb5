// Prints which rank has which of 24 rows at first, and after each of some deaths, as power2.cpp deals them. No MPI.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"

using namespace regraft;

namespace {

void print(assign::Assignment const& work) {
    for (std::size_t pe = 0; pe < work.size(); ++pe) {
        std::printf("  rank %zu:", pe);
        for (auto const& piece : work[pe])
            std::printf(" %2llu-%2llu", static_cast<unsigned long long>(value(piece.sites.first)),
                        static_cast<unsigned long long>(value(piece.sites.last)) - 1);
        std::printf("%s\n", work[pe].empty() ? " dead" : "");
    }
}

}  // namespace

int main() {
    std::array const sites{std::uint64_t{0}, std::uint64_t{24}};
    std::vector members{PeId{0}, PeId{1}, PeId{2}, PeId{3}};
    auto work = assign::balance(sites, members, 4);
    std::printf("at first\n");
    print(work);
    for (auto const dead : {PeId{1}, PeId{0}}) {
        std::erase(members, dead);
        work = assign::reassign(work, members).after;
        std::printf("rank %u dies\n", value(dead));
        print(work);
    }
}
