#include "columns/columns_together.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "columns/pattern_records.hpp"
#include "input/check.hpp"
#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/reduce.hpp"
#include "together/shared_input_error.hpp"

namespace regraft::phylo {
namespace {

using Numbers = std::vector<std::uint64_t>;

constexpr std::size_t num_symbols = std::tuple_size<msa::Histogram>::value;

/// The partition of each site of a range.
std::vector<std::uint32_t> partitions_in(std::span<msa::PartitionSpec const> partitions, SiteRange sites) {
    std::vector<std::uint32_t> result(sites.size());
    for (std::uint32_t q = 0; q < partitions.size(); ++q) {
        for (auto const site : msa::sites_of(partitions[q], value(sites.first), value(sites.last)))
            result[site - value(sites.first)] = q;
    }
    return result;
}

/// One reading of the file. The methods are called in their order; those that communicate are collective.
class Reading {
public:
    Reading(ft::Communicator& comm, Options const& options, RgmColumns const& columns)
        : comm_(comm), options_(options), columns_(columns) {}

    std::optional<SharedInput> run();

private:
    /// Makes a step that may throw on some members. If it does, throws SharedInputError on all. Collective.
    void attempt(std::function<void()> const& step);
    void find_partitions();
    std::uint64_t hash_of_shape() const;
    void count_characters();
    bool has_misfits() const;
    void find_patterns();
    void join_patterns(std::span<std::byte const> mine, Digest const& gap);
    void count_states();
    bool has_wrong_sites() const;
    void find_empty_taxa();
    void find_twins();
    void finish_dataset();

    msa::PartitionCensus& counts(std::size_t q) { return census_.partitions[q]; }
    std::uint64_t num_taxa() const { return columns_.file().num_taxa(); }
    /// Calls use for each of this member's patterns.
    template <class Use>
    void visit_patterns(Use use) const;

    ft::Communicator& comm_;
    Options const& options_;
    RgmColumns const& columns_;
    SiteRange sites_{};                        // this member's
    std::vector<std::uint32_t> partition_of_;  // of these sites
    CheckedInput input_;
    msa::Census census_;
    Dataset dataset_;
    std::vector<std::byte> blocks_;
};

void Reading::attempt(std::function<void()> const& step) {
    Problem problem;
    try {
        common::naming_files({options_.input.msa.string(), options_.input.partitions.string()}, step);
    } catch (std::exception const& error) {  // including lack of memory: the other PEs must learn of it
        problem = Problem::of(error);
    }
    agree_on_input(comm_, problem);
}

void Reading::find_partitions() {
    auto const& file = columns_.file();
    msa::Alignment alignment{
        .file = options_.input.msa.string(), .names = {file.names().begin(), file.names().end()}, .cells = {}};
    input_ = begin_check(options_, std::move(alignment), file.num_sites(), file.extras().partitions);
    sites_ = even_part<SiteId>(file.num_sites(), comm_.position(comm_.self()), comm_.size());
    partition_of_ = partitions_in(input_.partitions, sites_);
    census_.num_sites = file.num_sites();
    census_.partitions.resize(input_.partitions.size());
}

/// A hash of all numbers on which the sizes of messages depend.
std::uint64_t Reading::hash_of_shape() const {
    ByteWriter out;
    for (auto const number :
         {num_taxa(), columns_.file().num_sites(), columns_.file().num_content_parts(), input_.partitions.size()})
        out.put(std::uint64_t{number});
    for (auto const& partition : input_.partitions) out.put_all(std::span(partition.sites));
    return hash(out.bytes());
}

/// Counts the characters of all partitions, and compares the content with its hash.
void Reading::count_characters() {
    auto const& file = columns_.file();
    auto const num_parts = file.num_content_parts();
    Numbers numbers(num_parts + input_.partitions.size() * num_symbols);
    auto const hashes = std::span(numbers).first(num_parts);
    auto const histograms = std::span(numbers).subspan(num_parts);
    attempt([&] {
        auto const mine = even_part<BlockId>(num_parts, comm_.position(comm_.self()), comm_.size());
        std::ranges::copy(file.content_hashes(mine), hashes.begin() + static_cast<std::ptrdiff_t>(value(mine.first)));
        columns_.visit(sites_, [&](std::uint64_t site, std::span<char const> column) {
            auto const histogram = histograms.subspan(partition_of_[site - value(sites_.first)] * num_symbols);
            for (char const c : column) ++histogram[static_cast<unsigned char>(c)];
        });
    });
    ft::all_reduce(comm_, std::span(numbers));
    for (std::size_t q = 0; q < input_.partitions.size(); ++q)
        std::ranges::copy(histograms.subspan(q * num_symbols, num_symbols), counts(q).histogram.begin());
    attempt([&] { file.verify(hashes); });
}

/// Whether there are characters that do not belong to the alphabet of their partition.
bool Reading::has_misfits() const {
    for (std::size_t q = 0; q < input_.specs.size(); ++q) {
        auto const masks = msa::state_masks(input_.specs[q].alphabet);
        for (std::size_t c = 0; c < num_symbols; ++c) {
            if (masks[c] == 0 && census_.partitions[q].histogram[c] > 0) return true;
        }
    }
    return false;
}

/// Finds the patterns of all sites, and the sites without data.
void Reading::find_patterns() {
    PatternRecords records(input_.partitions.size());
    Numbers gap_sites;
    std::string const gaps(num_taxa(), '-');
    auto const gap = digest(std::as_bytes(std::span(gaps)));
    attempt([&] {
        CanonicalColumns canonical(input_.specs);
        columns_.visit(sites_, [&](std::uint64_t site, std::span<char const> column) {
            auto const q = partition_of_[site - value(sites_.first)];
            auto const found = digest(std::as_bytes(canonical.of(q, column)));
            records.add(q, {found, site, 1});
            if (found == gap) gap_sites.push_back(site);
        });
    });
    partition_of_ = {};
    ByteWriter mine;
    mine.put_all(std::span<std::uint64_t const>(gap_sites));
    records.write(mine);
    join_patterns(mine.bytes(), gap);
}

/// Makes one list of the patterns that the members have found.
void Reading::join_patterns(std::span<std::byte const> mine, Digest const& gap) {
    checkpoint::MiniCheckpoint shared(comm_);
    shared.commit(mine);
    PatternRecords all(input_.partitions.size());
    auto const& shares = shared.latest().shares;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {  // in the order of their sites
        ByteReader in(shares[rank]);
        std::ranges::copy(in.get_all<std::uint64_t>(), std::back_inserter(census_.gap_sites));
        all.add_written(in);
    }
    dataset_.partition_begin = {0};
    for (std::size_t q = 0; q < input_.partitions.size(); ++q) {
        counts(q).num_patterns = all[q].size();
        for (auto const& [found, site, weight] : all[q]) {
            dataset_.weights.push_back(checked_cast<std::uint32_t>(weight));
            dataset_.origins.push_back({site, found});
            if (found == gap) counts(q).gap_sites = weight;
        }
        dataset_.partition_begin.push_back(dataset_.weights.size());
    }
}

template <class Use>
void Reading::visit_patterns(Use use) const {
    auto const mine = my_part(dataset_, comm_);
    auto rest = std::span<std::byte const>(blocks_);
    for (auto id = mine.first; id < mine.last; id = advance(id, 1)) {
        use(value(id), dataset_.partition_of(value(id)), read_block(rest.first(dataset_.block_bytes())));
        rest = rest.subspan(dataset_.block_bytes());
    }
}

/// Counts states, and sites that do not vary.
void Reading::count_states() {
    constexpr auto per_partition = num_symbols + 1;  // the last counts sites that may have one state everywhere
    Numbers numbers(input_.specs.size() * per_partition);
    visit_patterns([&](std::uint64_t, std::size_t q, Block const& block) {
        auto const mine = std::span(numbers).subspan(q * per_partition, per_partition);
        auto const alphabet = input_.specs[q].alphabet;
        auto states = msa::undetermined(alphabet);
        for (char const c : block.column) {
            mine[static_cast<unsigned char>(c)] += block.weight;
            states &= msa::state_mask(alphabet, c);
        }
        if (states != 0) mine.back() += block.weight;
    });
    ft::all_reduce(comm_, std::span(numbers));
    for (std::size_t q = 0; q < input_.specs.size(); ++q) {
        auto const sums = std::span(numbers).subspan(q * per_partition, per_partition);
        auto const alphabet = input_.specs[q].alphabet;
        std::vector<msa::StateCount> states;
        for (std::size_t c = 0; c < num_symbols; ++c) {
            if (sums[c] > 0) states.push_back({msa::state_mask(alphabet, static_cast<char>(c)), sums[c]});
        }
        dataset_.counted.push_back(counted_from(std::move(states), sums.back(),
                                                msa::num_sites(input_.partitions[q].sites), alphabet.num_states));
        counts(q).invariant_sites = sums.back() - counts(q).gap_sites;
    }
}

/// Whether there are sites that do not vary in a partition whose model says that such sites were left out.
bool Reading::has_wrong_sites() const {
    for (std::size_t q = 0; q < input_.specs.size(); ++q) {
        auto const& counts = census_.partitions[q];
        bool const only_varying = input_.specs[q].ascertainment != likelihood::Ascertainment::none;
        if (only_varying && counts.invariant_sites + counts.gap_sites > 0) return true;
    }
    return false;
}

/// Finds taxa without data, in partitions and altogether.
void Reading::find_empty_taxa() {
    auto const num_partitions = input_.specs.size();
    std::vector<char> has_data(num_partitions * num_taxa());
    visit_patterns([&](std::uint64_t, std::size_t q, Block const& block) {
        auto* const mine = &has_data[q * num_taxa()];
        for (std::size_t t = 0; t < block.column.size(); ++t) mine[t] |= static_cast<char>(block.column[t] != '-');
    });
    std::vector<std::vector<std::uint32_t>> empty(num_partitions);
    Numbers partitions_with_data(num_taxa());
    for (std::size_t q = 0; q < num_partitions; ++q) {
        auto const mine = std::span<char const>(has_data).subspan(q * num_taxa(), num_taxa());
        Numbers members(mine.begin(), mine.end());
        ft::all_reduce(comm_, std::span(members));
        for (std::uint32_t t = 0; t < num_taxa(); ++t) {
            if (members[t] > 0)
                ++partitions_with_data[t];
            else
                empty[q].push_back(t);
        }
    }
    for (std::uint32_t t = 0; t < num_taxa(); ++t) {
        if (partitions_with_data[t] == 0) census_.gap_taxa.push_back(t);
    }
    for (std::size_t q = 0; q < num_partitions; ++q) {
        for (auto const t : empty[q]) {
            if (partitions_with_data[t] > 0) counts(q).empty_taxa.add(t);
        }
    }
}

/// Finds taxa with equal rows: by hashes of the rows, and then by comparison.
void Reading::find_twins() {
    Numbers hashes(num_taxa());
    visit_patterns([&](std::uint64_t id, std::size_t, Block const& block) {
        auto const key = mix(id);
        for (std::size_t t = 0; t < block.column.size(); ++t)
            hashes[t] += mix(key ^ static_cast<unsigned char>(block.column[t]));
    });
    ft::all_reduce(comm_, std::span(hashes));
    std::map<std::uint64_t, std::vector<std::uint32_t>> taxa_of;
    for (std::uint32_t t = 0; t < num_taxa(); ++t) {
        if (!std::ranges::binary_search(census_.gap_taxa, t)) taxa_of[hashes[t]].push_back(t);
    }
    std::erase_if(taxa_of, [](auto const& entry) { return entry.second.size() < 2; });
    Numbers differs(num_taxa());  // on how many members a taxon differs from the first of its hash
    visit_patterns([&](std::uint64_t, std::size_t, Block const& block) {
        for (auto const& [hash, taxa] : taxa_of) {
            for (auto const t : taxa) {
                if (block.column[t] != block.column[taxa[0]]) differs[t] = 1;
            }
        }
    });
    ft::all_reduce(comm_, std::span(differs));
    std::vector<std::vector<std::uint32_t>> groups;
    for (auto& [hash, taxa] : taxa_of) {
        std::erase_if(taxa, [&](auto t) { return differs[t] > 0; });
        if (taxa.size() > 1) groups.push_back(std::move(taxa));
    }
    std::ranges::sort(groups);
    for (auto const& group : groups) census_.twins.push_row(group);
}

/// Completes the dataset. Throws InputError if it cannot be searched.
void Reading::finish_dataset() {
    add_findings(options_, input_, std::move(census_));
    auto finished = begin_dataset(input_);
    finished.counted = std::move(dataset_.counted);
    finished.partition_begin = std::move(dataset_.partition_begin);
    finished.weights = std::move(dataset_.weights);
    finished.origins = std::move(dataset_.origins);
    std::vector<Digest> digests;
    for (auto const& origin : finished.origins) digests.push_back(origin.digest);
    finished.content_hash = content_hash(finished, digests);
    dataset_ = std::move(finished);
}

std::optional<SharedInput> Reading::run() {
    attempt([&] { find_partitions(); });
    if (!comm_.agree_equal(hash_of_shape())) return std::nullopt;
    count_characters();
    attempt([&] {
        add_models(options_, input_, [&](std::size_t q) { return counts(q).histogram; });
        dataset_.taxa = input_.alignment.names;
        dataset_.specs = input_.specs;
    });
    if (has_misfits()) return std::nullopt;
    find_patterns();
    attempt([&] { blocks_ = columns_.blocks(dataset_, my_part(dataset_, comm_)); });
    count_states();
    if (has_wrong_sites()) return std::nullopt;
    find_empty_taxa();
    find_twins();
    attempt([&] { finish_dataset(); });
    return SharedInput{std::move(dataset_), std::move(blocks_)};
}

}  // namespace

std::optional<SharedInput> read_together(ft::Communicator& comm, Options const& options, RgmColumns const& columns) {
    return Reading(comm, options, columns).run();
}

}  // namespace regraft::phylo
