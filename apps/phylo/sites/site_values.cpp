#include "sites/site_values.hpp"

#include <iterator>

#include <fmt/format.h>

#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/core/bytes.hpp"

namespace regraft::phylo {
namespace {

ft::FailPhase gather_phase("gather_sites");

}  // namespace

std::vector<std::vector<std::uint64_t>> patterns_by_partition(std::span<assign::Work const> work,
                                                              std::size_t num_partitions) {
    std::vector<std::vector<std::uint64_t>> result(num_partitions);
    for (auto const& piece : work) {
        auto& patterns = result[value(piece.partition)];
        for (auto i = value(piece.sites.first); i < value(piece.sites.last); ++i) patterns.push_back(i);
    }
    return result;
}

std::vector<double> gather_values(ft::Communicator& comm, std::uint64_t num_patterns, assign::Assignment const& work,
                                  std::span<std::vector<double> const> mine, std::size_t width) {
    comm.reach(gather_phase.before);
    ByteWriter share;
    for (auto const& values : mine) share.put_all(std::span(values));
    checkpoint::MiniCheckpoint gathered(comm);
    gathered.commit(share.bytes());
    comm.reach(gather_phase.inside);
    std::vector<double> all;
    if (comm.leads()) {
        all.resize(num_patterns * width);
        auto const& [pes, shares] = gathered.latest();
        for (std::size_t rank = 0; rank < shares.size(); ++rank) {
            ByteReader in(shares[rank]);
            for (auto const& patterns : patterns_by_partition(work[value(pes[rank])], mine.size())) {
                auto const values = in.get_all<double>();
                REGRAFT_EXPECTS(values.size() == patterns.size() * width);
                for (std::size_t i = 0; i < values.size(); ++i)
                    all[patterns[i / width] * width + i % width] = values[i];
            }
        }
    }
    comm.reach(gather_phase.after);
    return all;
}

std::string site_table(Dataset const& dataset, std::span<std::vector<double> const> loglh) {
    auto text = fmt::format("{} {}\n", loglh.size(), dataset.pattern_of_site.size());
    for (std::size_t t = 0; t < loglh.size(); ++t) {
        text += fmt::format("tree{}", t + 1);
        for (auto const pattern : dataset.pattern_of_site)
            fmt::format_to(std::back_inserter(text), " {}", loglh[t][pattern]);
        text += '\n';
    }
    return text;
}

}  // namespace regraft::phylo
