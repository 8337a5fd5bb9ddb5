#include "job/agenda.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "regraft/msa/convergence.hpp"
#include "regraft/msa/difficulty.hpp"
#include "search/small_dataset.hpp"

namespace regraft::phylo {
namespace {

constexpr std::uint32_t num_taxa = 12;

/// The agenda of a job with some starts, over data of which only names and models are known.
struct Fixture {
    Options options;
    Dataset dataset;
    test::SmallDataset data = test::small_dataset(2, num_taxa);
    Progress progress;

    Fixture() {
        options.search.seed = 3;
        options.search.effort = Effort::normal;
        for (std::uint32_t t = 0; t < num_taxa; ++t) dataset.taxa.push_back("t" + std::to_string(t));
        dataset.specs = data.specs;
        for (auto const& spec : data.specs) {
            dataset.partitions.push_back({spec.text, spec.name, {}});
            dataset.counted.push_back({std::vector<double>(spec.num_states(), 1.0 / spec.num_states())});
            dataset.sites_per_partition.push_back(10);
        }
    }

    Agenda agenda(std::uint32_t num_starts) const {
        StartTrees start_trees;
        start_trees.may_do_with_fewer = options.search.effort == Effort::automatic;
        for (std::uint32_t i = 0; i < num_starts; ++i) start_trees.starts.push_back({Start::Kind::parsimony, i});
        return {options, dataset, std::move(start_trees)};
    }

    void finish(Item item, double loglh = -1, std::uint64_t tree_seed = 1) {
        SearchState state(msa::random_tree(num_taxa, tree_seed));
        state.specs = data.specs;
        state.models = data.models;
        state.as<Climb>().stage = Stage::done;
        state.loglh = loglh;
        state.as<Climb>().difficulty = 0.3;
        progress.note(item, std::move(state));
    }
};

/// Starts from the user's trees, of an automatic effort.
StartTrees from_user_trees(std::uint32_t count) {
    StartTrees result;
    result.may_do_with_fewer = true;
    for (std::uint32_t i = 0; i < count; ++i) {
        result.user_trees.push_back(msa::random_tree(num_taxa, i));
        result.starts.push_back({Start::Kind::user, i});
    }
    return result;
}

std::vector<Item> items_of(Purpose purpose, std::uint32_t first, std::uint32_t last) {
    std::vector<Item> items;
    for (auto i = first; i < last; ++i) items.push_back({purpose, i});
    return items;
}

/// What all kinds of work add to PREFIX.json.
Json json_of(Result const& result) {
    Json json;
    for (auto const& add : result.json) add(json, result);
    return json;
}

TEST(Agenda, ListsComeOneAfterTheOther) {
    Fixture f;
    f.options.supports.replicates = 2;
    f.options.supports.ultrafast_replicates = 10;
    f.options.supports.alrt_replicates = 10;
    auto agenda = f.agenda(2);
    for (auto const& list :
         {items_of(Purpose::start, 0, 2), items_of(Purpose::fusion, 0, 1), items_of(Purpose::pilot, 0, 1),
          items_of(Purpose::ultrafast, 0, 1), items_of(Purpose::replicate, 0, 2), items_of(Purpose::support, 0, 1)}) {
        EXPECT_EQ(agenda.next_items(f.progress), list);
        for (auto item : list) f.finish(item);
    }
    EXPECT_TRUE(agenda.next_items(f.progress).empty());
}

TEST(Agenda, TreesAreTestedWhenAllAreEvaluated) {
    Fixture f;
    f.options.command = Command::test;
    f.options.test.samples = 50;
    auto agenda = f.agenda(3);
    EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::start, 0, 3));
    for (std::uint32_t i = 0; i < 3; ++i) f.finish({Purpose::start, i}, -5.0 - i, i);
    auto const sizes = items_of(Purpose::test, 0, num_sample_sizes);
    EXPECT_EQ(agenda.next_items(f.progress), sizes);
    std::vector<std::uint64_t> seeds;
    for (auto const item : sizes) {
        EXPECT_FALSE(agenda.needs_sites(item, f.progress));
        auto const samples = agenda.options_of(item, f.progress).test_samples;
        EXPECT_EQ(samples->count, 50U);
        EXPECT_EQ(samples->size, sample_size(item.number));
        seeds.push_back(samples->seed);
        auto state = agenda.first_state(item, f.progress, nullptr);
        auto& tests = state.as<search::Tests>();
        tests.is_over = true;
        tests.position = 50;
        tests.counts.wins = {50, 10, 0};
        if (item.number == usual_size) {
            tests.counts.shares = tests.counts.weights = {40, 10, 0};
            for (auto* numbers :
                 {&tests.counts.kh, &tests.counts.sh, &tests.counts.weighted_kh, &tests.counts.weighted_sh})
                *numbers = {50, 20, 0};
        }
        f.progress.note(item, std::move(state));
    }
    std::ranges::sort(seeds);
    EXPECT_EQ(std::ranges::adjacent_find(seeds), seeds.end());
    EXPECT_NO_THROW(agenda.check(f.progress));
    EXPECT_TRUE(agenda.next_items(f.progress).empty());
    auto const result = agenda.result_of(f.progress);
    auto const tests = json_of(result)["tests"];
    ASSERT_EQ(tests.size(), 3U);
    EXPECT_EQ(tests[1]["difference"], 1);
    EXPECT_EQ(tests[1]["bp"], 0.2);
    EXPECT_EQ(tests[1]["sh"], 0.4);
    EXPECT_EQ(result.state.loglh, -5);
}

TEST(Agenda, WhatIsDoneOfAListIsNotDoneAgain) {
    Fixture f;
    auto agenda = f.agenda(3);
    f.finish({Purpose::start, 1});
    EXPECT_EQ(agenda.next_items(f.progress), (std::vector<Item>{{Purpose::start, 0}, {Purpose::start, 2}}));
}

TEST(Agenda, ModelsAreChosenBeforeAnythingElse) {
    Fixture f;
    f.dataset.partitions.front().model = "auto";
    f.dataset.candidates.assign(1, std::make_shared<CandidateSet const>(all_candidates(msa::Alphabet::dna)));
    auto agenda = f.agenda(1);
    EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::model_choice, 0, 1));
    f.finish({Purpose::model_choice});
    EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::start, 0, 1));
}

TEST(Agenda, NothingIsFusedWithoutEffortOrWithOneStart) {
    for (auto const effort : {Effort::fast, Effort::normal}) {
        Fixture f;
        f.options.search.effort = effort;
        auto const num_starts = effort == Effort::fast ? 2U : 1U;
        auto agenda = f.agenda(num_starts);
        for (auto item : agenda.next_items(f.progress)) f.finish(item, -5.0 - item.number);
        EXPECT_TRUE(agenda.next_items(f.progress).empty());
        EXPECT_EQ(agenda.best_item(f.progress), (Item{Purpose::start, 0}));
    }
}

TEST(Agenda, AnAutomaticEffortStartsAgainAsLongAsThatPays) {
    Fixture f;
    f.options.search.effort = Effort::automatic;
    auto agenda = f.agenda(10);
    std::vector<double> const loglh{-120, -100, -110, -100};
    for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::start, i, i + 1));
        f.finish({Purpose::start, i}, loglh[i], i);
    }
    EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::fusion, 0, 1));
    EXPECT_EQ(agenda.options_of({Purpose::fusion}, f.progress).others.size(), 3U);
    f.finish({Purpose::fusion});
    EXPECT_EQ(json_of(agenda.result_of(f.progress))["starts"].size(), 4U);
}

TEST(Agenda, AnAutomaticEffortGoesOnFromOneStartIfDataAreClear) {
    Fixture f;
    f.options.search.effort = Effort::automatic;
    auto agenda = f.agenda(10);
    SearchState clear(msa::random_tree(num_taxa, 1));
    clear.as<Climb>().stage = Stage::done;
    clear.as<Climb>().difficulty = 0;
    f.progress.note({Purpose::start}, clear);
    EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::fusion, 0, 1));
    EXPECT_TRUE(agenda.options_of({Purpose::fusion}, f.progress).others.empty());
}

TEST(Agenda, AllStartsThatTheUserGaveAreMade) {
    Fixture f;
    f.options.search.effort = Effort::automatic;
    auto start_trees = from_user_trees(2);
    start_trees.starts.push_back({Start::Kind::parsimony});
    Agenda agenda(f.options, f.dataset, std::move(start_trees));
    EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::start, 0, 2));
    EXPECT_TRUE(agenda.needs_sites({Purpose::start}, f.progress)) << "for the difficulty";
    for (std::uint32_t i = 0; i < 2; ++i) f.finish({Purpose::start, i}, -5, i);
    EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::start, 2, 3)) << "the data are hard";
    f.finish({Purpose::start, 2}, -5, 2);
    EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::fusion, 0, 1));
}

TEST(Agenda, TheFirstStartAloneFindsTheDifficulty) {
    Fixture f;
    f.options.search.effort = Effort::automatic;
    Agenda const agenda(f.options, f.dataset, from_user_trees(2));
    std::string const symbols = "ACGT";
    StartSites sites;
    sites.patterns.num_taxa = num_taxa;
    sites.patterns.alphabet = {msa::Alphabet::dna};
    sites.patterns.partition_begin = {0, 9};
    sites.patterns.weight.assign(9, 1);
    sites.numbers.resize(9);
    for (std::uint32_t i = 0; i < 9 * num_taxa; ++i) sites.patterns.columns.push_back(symbols[i * i % 4]);
    auto const first = agenda.first_state({Purpose::start, 0}, f.progress, &sites);
    EXPECT_EQ(first.as<Climb>().difficulty, msa::difficulty(sites.patterns, f.options.search.seed));
    EXPECT_LT(first.as<Climb>().difficulty, 1);
    EXPECT_FALSE(agenda.needs_sites({Purpose::start, 1}, f.progress));
}

TEST(Agenda, TheDifficultyOfTheFirstStartIsTold) {
    Fixture f;
    f.options.search.effort = Effort::automatic;
    auto agenda = f.agenda(2);
    f.finish({Purpose::start, 0}, -7);
    f.finish({Purpose::start, 1}, -5);
    SearchState other = *f.progress.find({Purpose::start, 1});
    other.as<Climb>().difficulty = 1;
    f.progress.note({Purpose::start, 1}, other);
    f.finish({Purpose::fusion});
    EXPECT_EQ(json_of(agenda.result_of(f.progress))["difficulty"], 0.3);
}

TEST(Agenda, OthersToFuseWithComeFromTheLikeliestOnAndWithoutTheBest) {
    Fixture f;
    auto agenda = f.agenda(4);
    std::vector<double> const loglh{-7, -3, -5, -3};
    for (std::uint32_t i = 0; i < 4; ++i) f.finish({Purpose::start, i}, loglh[i], i);
    auto const others = agenda.options_of({Purpose::fusion}, f.progress).others;
    EXPECT_EQ(others, (std::vector<msa::Tree>{msa::random_tree(num_taxa, 3), msa::random_tree(num_taxa, 2),
                                              msa::random_tree(num_taxa, 0)}));
    EXPECT_EQ(agenda.first_state({Purpose::fusion}, f.progress, nullptr).tree, msa::random_tree(num_taxa, 1));
}

TEST(Agenda, ReplicatesThatDoNotConvergeEndWhereTheUserSaid) {
    Fixture f;
    f.options.supports.replicates = 120;
    f.options.supports.until_convergence = true;
    auto agenda = f.agenda(1);
    f.finish({Purpose::start, 0});
    std::uint32_t first = 0;
    for (std::uint32_t const last : {50U, 100U, 120U}) {
        EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::replicate, first, last));
        for (; first < last; ++first) f.finish({Purpose::replicate, first}, -1, first);
    }
    EXPECT_TRUE(agenda.next_items(f.progress).empty());
    auto const bootstrap = json_of(agenda.result_of(f.progress))["bootstrap"];
    EXPECT_EQ(bootstrap["replicates"], 120U);
    EXPECT_EQ(bootstrap["converged"], false);
}

TEST(Agenda, ReplicatesThatConvergeEndAtTheFirstLook) {
    Fixture f;
    f.options.supports.replicates = 1000;
    f.options.supports.until_convergence = true;
    auto agenda = f.agenda(1);
    f.finish({Purpose::start, 0});
    for (auto item : agenda.next_items(f.progress)) f.finish(item);
    EXPECT_TRUE(agenda.next_items(f.progress).empty());
    EXPECT_EQ(json_of(agenda.result_of(f.progress))["bootstrap"]["replicates"], msa::convergence_interval);
}

TEST(Agenda, NeedsSitesForStartTreesByParsimony) {
    Fixture f;
    auto const agenda = f.agenda(1);
    for (auto const purpose : {Purpose::model_choice, Purpose::start, Purpose::pilot, Purpose::replicate}) {
        EXPECT_TRUE(agenda.needs_sites({purpose}, f.progress));
    }
    for (auto const purpose : {Purpose::fusion, Purpose::ultrafast, Purpose::support}) {
        EXPECT_FALSE(agenda.needs_sites({purpose}, f.progress));
    }
    for (auto const purpose : {Purpose::model_choice, Purpose::start, Purpose::pilot, Purpose::replicate}) {
        f.finish({purpose});
        EXPECT_FALSE(agenda.needs_sites({purpose}, f.progress));
    }
}

TEST(Agenda, OtherStartTreesNeedNoSites) {
    Fixture f;
    StartTrees start_trees{{msa::random_tree(num_taxa, 1)}, {{Start::Kind::user, 0}, {Start::Kind::random, 0}}, {}};
    Agenda const agenda(f.options, f.dataset, std::move(start_trees));
    for (std::uint32_t i = 0; i < 2; ++i) {
        Item const item{Purpose::start, i};
        EXPECT_FALSE(agenda.needs_sites(item, f.progress));
        EXPECT_EQ(agenda.first_state(item, f.progress, nullptr).tree.num_tips(), num_taxa);
    }
}

TEST(Agenda, ReplicatesHaveSitesAndSeedsOfTheirOwn) {
    Fixture f;
    auto const agenda = f.agenda(1);
    f.finish({Purpose::start});
    f.dataset.partition_begin = {0, 2, 5};
    f.dataset.weights = {4, 6, 2, 2, 11};
    auto const weights = [&](std::uint32_t number) { return agenda.weights_of({Purpose::replicate, number}); };
    auto const first = weights(0);
    EXPECT_EQ(std::accumulate(first.begin(), first.end(), 0U), 25U);
    EXPECT_EQ(weights(0), first);
    EXPECT_NE(weights(1), first);
    EXPECT_TRUE(agenda.weights_of({Purpose::start, 0}).empty());
    EXPECT_NE(agenda.options_of({Purpose::replicate, 0}, f.progress).seed,
              agenda.options_of({Purpose::replicate, 1}, f.progress).seed);
}

TEST(Agenda, ReplicatesAreFusedWithTheTreesOfTheData) {
    Fixture f;
    auto agenda = f.agenda(3);
    for (std::uint32_t i = 0; i < 3; ++i) f.finish({Purpose::start, i}, -5.0 - i, i);
    f.finish({Purpose::fusion}, -4, 9);
    auto const others = agenda.options_of({Purpose::replicate}, f.progress).others;
    EXPECT_EQ(others, (std::vector{msa::random_tree(num_taxa, 9), msa::random_tree(num_taxa, 1),
                                   msa::random_tree(num_taxa, 2)}));
}

TEST(Agenda, TheUltrafastBootstrapBeginsWithThreeTrees) {
    Fixture f;
    f.options.supports.ultrafast_replicates = 10;
    for (std::uint32_t starts = 1; starts <= 4; ++starts) {
        f.progress = {};
        auto agenda = f.agenda(starts);
        for (std::uint32_t i = 0; i < starts; ++i) f.finish({Purpose::start, i}, -5.0 - i, i);
        if (starts > 1) f.finish({Purpose::fusion}, -4, 9);
        auto const pilots = items_of(Purpose::pilot, 0, starts < 3 ? 3 - starts : 0);
        if (!pilots.empty()) {
            EXPECT_EQ(agenda.next_items(f.progress), pilots);
        }
        for (auto const pilot : pilots) {
            EXPECT_TRUE(agenda.weights_of(pilot).empty());
            EXPECT_EQ(agenda.options_of(pilot, f.progress).last, Stage::far_spr);
            f.finish(pilot, -6, 20 + pilot.number);
        }
        EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::ultrafast, 0, 1));
        EXPECT_EQ(agenda.options_of({Purpose::ultrafast}, f.progress).others.size(), starts - 1 + pilots.size());
    }
}

TEST(Agenda, ResultHasWhatEachKindTellsOfItself) {
    Fixture f;
    f.options.supports.replicates = 2;
    f.options.supports.alrt_replicates = 10;
    auto agenda = f.agenda(2);
    for (auto items = agenda.next_items(f.progress); !items.empty(); items = agenda.next_items(f.progress)) {
        for (auto item : items) {
            if (item.purpose != Purpose::support) {
                f.finish(item);
                continue;
            }
            auto state = agenda.first_state(item, f.progress, nullptr);
            auto& supports = state.as<search::Supports>();
            supports.alrt.resize(2 * num_taxa - 3, 0.5);
            supports.position = supports.alrt.size();
            f.progress.note(item, std::move(state));
        }
    }
    auto const result = agenda.result_of(f.progress);
    std::vector<std::string> supports, files;
    for (auto const& one : result.supports) supports.emplace_back(one.name);
    for (auto const& one : result.files) files.emplace_back(one.extension);
    EXPECT_EQ(supports, (std::vector<std::string>{"felsenstein", "transfer", "alrt"}));
    EXPECT_EQ(files, (std::vector<std::string>{".mlTrees", ".support", ".supportTBE", ".consensus", ".bootstraps",
                                               ".supportAlrt"}));
    EXPECT_EQ(result.lines.size(), 2U);
    EXPECT_EQ(result.citations.size(), 3U);
    EXPECT_EQ(json_of(result)["starts"].size(), 2U);
}

/// The sites of the dataset of a fixture with two partitions, one pattern each: in the second one only the first
/// five taxa have data.
StartSites two_genes(Fixture& f) {
    f.options.command = Command::genes;
    f.options.input.linkage = BranchLinkage::unlinked;
    auto const keep_two = [](auto& list) { list.erase(list.begin() + 2, list.end()); };
    keep_two(f.dataset.partitions);
    keep_two(f.dataset.specs);
    keep_two(f.dataset.counted);
    keep_two(f.dataset.sites_per_partition);
    f.dataset.partition_begin = {0, 1, 2};
    f.dataset.weights = {10, 10};
    f.dataset.taxa_of_gene = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {0, 1, 2, 3, 4}};
    msa::Patterns patterns;
    patterns.num_taxa = num_taxa;
    patterns.alphabet = {f.dataset.specs[0].alphabet, f.dataset.specs[1].alphabet};
    patterns.partition_begin = {0, 1, 2};
    patterns.weight = {10, 10};
    patterns.columns.assign(num_taxa, 'A');
    patterns.columns.resize(5 + num_taxa, 'A');
    patterns.columns.resize(2 * std::size_t{num_taxa}, '-');
    return {.patterns = std::move(patterns), .numbers = {0, 1}};
}

TEST(Agenda, GenesHaveTreesOfTheTaxaWithData) {
    Fixture f;
    auto const sites = two_genes(f);
    auto agenda = f.agenda(1);
    f.finish({Purpose::start});
    EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::gene, 0, 2));
    for (std::uint32_t q = 0; q < 2; ++q) {
        Item const item{Purpose::gene, q};
        EXPECT_EQ(agenda.kind_of(item).gene(q), q);
        EXPECT_TRUE(agenda.needs_sites(item, f.progress));
        EXPECT_EQ(agenda.options_of(item, f.progress).counted.size(), 1U);
        auto state = agenda.first_state(item, f.progress, &sites);
        EXPECT_EQ(state.tree.num_tips(), f.dataset.taxa_of_gene[q].size());
        EXPECT_EQ(state.specs.at(0).text, f.dataset.specs[q].text);
        state.loglh = -3.0 - q;
        state.as<Climb>().stage = Stage::done;
        f.progress.note(item, std::move(state));
    }
    EXPECT_NE(agenda.options_of({Purpose::gene, 0}, f.progress).seed,
              agenda.options_of({Purpose::gene, 1}, f.progress).seed);
    EXPECT_TRUE(agenda.next_items(f.progress).empty());
    auto const result = agenda.result_of(f.progress);
    EXPECT_FALSE(result.has_tree);
    EXPECT_EQ(result.state.loglh, -7);
    EXPECT_EQ(result.partition_loglh, (std::vector<double>{-3, -4}));
    auto const json = json_of(result);
    EXPECT_FALSE(json.contains("starts"));
    EXPECT_EQ(json["genes"][1]["taxa"], 5);
    auto const lines = result.files.at(0).text(result);
    EXPECT_EQ(std::ranges::count(lines, '\n'), 2);
    EXPECT_EQ(lines.find("t5", lines.find('\n')), std::string::npos) << lines;
}

TEST(Agenda, ReplicatesOfGenesHaveAsManySitesOfThemAndNoneOfOthers) {
    for (auto const sampling : {Sampling::sites, Sampling::genesites}) {
        Fixture f;
        auto const sites = two_genes(f);
        f.options.supports.replicates = 10;
        f.options.supports.sampling = sampling;
        auto agenda = f.agenda(1);
        f.finish({Purpose::start});
        Progress of_genes;
        for (std::uint32_t q = 0; q < 2; ++q) {
            auto state = agenda.first_state({Purpose::gene, q}, f.progress, &sites);
            state.as<Climb>().stage = Stage::done;
            of_genes.note({Purpose::gene, q}, state);
            f.progress.note({Purpose::gene, q}, std::move(state));
        }
        EXPECT_EQ(agenda.next_items(f.progress), items_of(Purpose::gene_replicate, 0, 20));
        std::array<int, 2> count{};
        for (std::uint32_t i = 0; i < 20; ++i) {
            Item const item{Purpose::gene_replicate, i};
            auto const gene = agenda.kind_of(item).gene(i).value();
            ++count[gene];
            if (sampling == Sampling::sites) {
                EXPECT_EQ(gene, i % 2);
            }
            auto const weights = agenda.weights_of(item);
            EXPECT_EQ(weights[gene], 10U);
            EXPECT_EQ(weights[1 - gene], 0U);
            auto state = agenda.first_state(item, f.progress, &sites);
            EXPECT_EQ(state.tree.num_tips(), f.dataset.taxa_of_gene[gene].size());
            EXPECT_EQ(agenda.options_of(item, f.progress).others.size(), 1U);
            of_genes.note(item, std::move(state));
        }
        EXPECT_GT(count[0], 3);
        EXPECT_GT(count[1], 3);
        EXPECT_NO_THROW(agenda.check(of_genes));
    }
}

TEST(Agenda, FindsOutWhetherAGeneFitsItsData) {
    Fixture f;
    auto const sites = two_genes(f);
    auto const agenda = f.agenda(1);
    Progress progress;
    auto state = agenda.first_state({Purpose::gene, 1}, f.progress, &sites);
    progress.note({Purpose::gene, 1}, state);
    EXPECT_NO_THROW(agenda.check(progress));
    progress.note({Purpose::gene, 0}, state);
    EXPECT_THROW(agenda.check(progress), InputError);
}

TEST(Agenda, FingerprintTellsWhatTheResultDependsOnAndNothingElse) {
    Fixture f;
    auto const agenda = f.agenda(1);  // sees what becomes of the options
    auto const before = agenda.fingerprint();
    f.options.resources.threads = 7;
    f.options.resources.groups = 2;
    f.options.resources.checkpoint_seconds = 1;
    EXPECT_EQ(agenda.fingerprint(), before);
    f.options.search.seed = 4;
    EXPECT_NE(agenda.fingerprint(), before);
    f.options.search.seed = 3;
    f.options.supports.alrt_replicates = 1;
    EXPECT_NE(agenda.fingerprint(), before);
    f.options.supports.alrt_replicates = 0;
    EXPECT_EQ(agenda.fingerprint(), before);
    f.options.supports.ultrafast_replicates = 2;
    EXPECT_NE(agenda.fingerprint(), before);
    f.options.supports.ultrafast_replicates = 0;
    auto const with_tree = Agenda(f.options, f.dataset, {{msa::random_tree(num_taxa, 1)}, {{Start::Kind::user}}, {}});
    EXPECT_NE(with_tree.fingerprint(), before);
}

}  // namespace
}  // namespace regraft::phylo
