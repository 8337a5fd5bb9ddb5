// PageRank (Page, Brin 1998) of a graph whose rows lie in the memory of the ranks: blocks of very different sizes,
// dealt by what they cost. Whichever ranks die, the ranks of the pages come out the same, bit for bit.
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#include "program.hpp"
#include "regraft/assign/balance.hpp"
#include "regraft/assign/blocks.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/store/replicated_store.hpp"
#include "regraft/store/values.hpp"

using namespace regraft;

namespace {

using Page = std::uint32_t;
constexpr std::uint64_t block_pages = 64;  // that lie in one block
constexpr double damping = 0.85;

/// The pages with links to this one, ascending: a column of the R-MAT matrix (Chakrabarti, Zhan, Faloutsos 2004) with
/// 16 links per page, drawn for itself. Few pages have most of the links.
std::vector<Page> links_to(Page page, example::Options const& options) {
    constexpr double a = 0.57, b = 0.19, c = 0.19, d = 0.05;
    auto const levels = static_cast<std::uint32_t>(std::bit_width(options.size - 1));
    Random random(mix(options.seed) + page);
    double expected = 16 * static_cast<double>(options.size);
    for (std::uint32_t level = 0; level < levels; ++level) expected *= (page >> level & 1) == 0 ? a + c : b + d;
    std::vector<Page> links;
    for (auto left = static_cast<std::uint64_t>(expected + random.unit()); left > 0; --left) {
        Page from = 0;
        for (std::uint32_t level = 0; level < levels; ++level) {
            double const one = (page >> level & 1) == 0 ? c / (a + c) : d / (b + d);
            from |= Page{random.unit() < one} << level;
        }
        if (from < options.size) links.push_back(from);
    }
    std::ranges::sort(links);
    links.erase(std::ranges::unique(links).begin(), links.end());
    return links;
}

/// The block itself; other programs would read a file here. For every page the number of its links, and the links.
std::vector<Page> make_block(BlockId block, example::Options const& options) {
    std::vector<Page> numbers;
    auto const first = value(block) * block_pages;
    for (auto page = first; page < std::min(options.size, first + block_pages); ++page) {
        auto const links = links_to(static_cast<Page>(page), options);
        numbers.push_back(static_cast<Page>(links.size()));
        numbers.insert(numbers.end(), links.begin(), links.end());
    }
    return numbers;
}

void submit_graph(ft::Communicator const& comm, store::ReplicatedStore& store, example::Options const& options) {
    auto const num_blocks = (options.size + block_pages - 1) / block_pages;
    auto const size = static_cast<std::uint32_t>(comm.size());
    auto const mine = even_part<BlockId>(num_blocks, comm.position(comm.self()), size);
    Csr<Page> blocks;
    for (auto id = mine.first; id < mine.last; id = advance(id, 1)) blocks.push_row(make_block(id, options));
    store.submit(placement::Permuted(num_blocks, size, std::min(2U, size)), mine, store::ByteRows(blocks));
}

/// The cost of work on each block: the number of its links.
std::vector<std::uint64_t> costs_of(BlockSizes const& sizes) {
    std::vector<std::uint64_t> costs;
    for (BlockId id{}; value(id) < sizes.num_blocks(); id = advance(id, 1)) costs.push_back(sizes.bytes(id));
    return costs;
}

/// Each block is a partition of its own, of one site.
assign::Assignment deal(ft::Communicator const& comm, std::span<std::uint64_t const> costs) {
    std::vector<std::uint64_t> begins(costs.size() + 1);
    std::iota(begins.begin(), begins.end(), std::uint64_t{0});
    return assign::balance(begins, costs, comm.members(), comm.num_founders());
}

/// The blocks one behind the other; those that no rank has any more are made again.
std::vector<Page> load(store::ReplicatedStore& store, std::span<assign::Work const> work,
                       example::Options const& options) {
    auto const reread = [&](BlockRange lost, std::span<std::byte> out) {
        for (auto id = lost.first; id < lost.last; id = advance(id, 1)) {
            auto const block = make_block(id, options);
            std::memcpy(out.data(), block.data(), store.sizes().bytes(id));
            out = out.subspan(store.sizes().bytes(id));
        }
    };
    return store::load<Page>(store, assign::to_blocks(work), {.reread = reread});
}

/// Calls visit(links) for each page of some blocks as they lie in memory.
void for_each_page(std::span<Page const> numbers, auto const& visit) {
    while (!numbers.empty()) {
        auto const count = numbers.front();
        visit(numbers.subspan(1, count));
        numbers = numbers.subspan(1 + count);
    }
}

/// The number of links of every page to others. Whole numbers, so that their sums are exact.
std::vector<Page> count_links(ft::Communicator& comm, std::span<Page const> mine, std::uint64_t num_pages) {
    std::vector<Page> counts(num_pages);
    for_each_page(mine, [&](std::span<Page const> links) {
        for (auto const from : links) ++counts[from];
    });
    comm.check(
        MPI_Allreduce(MPI_IN_PLACE, counts.data(), static_cast<int>(num_pages), MPI_UINT32_T, MPI_SUM, comm.native()),
        "MPI_Allreduce");
    return counts;
}

/// The next ranks of this rank's pages. Each is one sum, added in one order by the rank that has the page.
std::vector<double> next_ranks(std::vector<double> const& ranks, std::vector<Page> const& num_links,
                               std::span<Page const> mine) {
    auto const n = static_cast<double>(ranks.size());
    std::vector<double> given(ranks.size());  // by a page along each of its links
    double kept = 0;                          // by pages without links, for all
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (num_links[i] == 0) kept += ranks[i];
        if (num_links[i] != 0) given[i] = ranks[i] / num_links[i];
    }
    std::vector<double> next;
    for_each_page(mine, [&](std::span<Page const> links) {
        double sum = kept / n;
        for (auto const from : links) sum += given[from];
        next.push_back((1 - damping) / n + damping * sum);
    });
    return next;
}

void pagerank(ft::Communicator& comm, example::Options const& options) {
    store::ReplicatedStore store(comm);
    checkpoint::MiniCheckpoint checkpoint(comm);
    std::vector<std::uint64_t> costs;
    assign::Assignment work;                                                         // which rank works on which blocks
    std::vector<double> ranks(options.size, 1 / static_cast<double>(options.size));  // of all pages, on all ranks
    std::uint64_t step = 0;

    auto const compute = [&] {
        if (store.version() == 0) submit_graph(comm, store, options);
        if (costs.empty()) work = deal(comm, costs = costs_of(store.sizes()));
        auto const mine = load(store, work[value(comm.self())], options);
        auto const num_links = count_links(comm, mine, options.size);
        for (auto const begin = std::chrono::steady_clock::now(); step < options.steps; ++step) {
            // The commit tells all ranks the shares of all, and is a checkpoint: all have the new ranks, or none.
            auto const next = next_ranks(ranks, num_links, mine);
            checkpoint.commit(std::as_bytes(std::span(next)));
            auto const& [pes, shares] = checkpoint.latest();
            for (std::size_t i = 0; i < pes.size(); ++i) {
                auto share = shares[i];
                for (auto const& piece : work[value(pes[i])]) {
                    auto const pages = std::span(ranks).subspan(value(piece.sites.first) * block_pages);
                    auto const bytes = std::min(pages.size(), piece.sites.size() * block_pages) * sizeof(double);
                    std::memcpy(pages.data(), share.data(), bytes);
                    share = share.subspan(bytes);
                }
            }
            if (step + 1 == options.steps) example::print_steps(comm, options.steps, milliseconds_since(begin));
        }
        example::print_result(comm, hash(std::as_bytes(std::span(ranks))));
    };
    auto const recover = [&](ft::Failure const& failure) {
        if (!costs.empty()) work = assign::reassign(work, comm.members(), {.cost_per_site = costs}).after;
        auto const repaired = store.repair();
        example::print_recovery(comm, failure, repaired.bytes_copied);
    };
    ft::resilient(comm, compute, recover);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("pagerank: the most important pages of a graph, on ranks that may die");
    example::Options options{.steps = 20, .size = 16'384};
    example::add_options(app, options, "of the power method", "number of pages");
    app.get_option("--size")->check(CLI::Range(1, 1 << 27));
    return example::run(argc, argv, app, options, [&](ft::Communicator& comm) { pagerank(comm, options); });
}
