// What must hold of the checkpoints of regraft-phylo for any bytes with a right checksum: they are refused with
// InputError, or a job can go on from them. Shared by the target for libFuzzer and by a test with fixed seeds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "job/agenda.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/likelihood/model.hpp"
#include "regraft/likelihood/site_model.hpp"
#include "regraft/msa/parsimony.hpp"
#include "regraft/search/topology.hpp"

namespace regraft::fuzz {

/// The progress if a job would go on from it, and none if it is refused. Everything else is a defect.
inline std::optional<phylo::Progress> accepted(phylo::Agenda const& agenda, search::BranchLinkage linkage,
                                               std::span<std::byte const> bytes) {
    try {
        auto progress = phylo::Progress::from_bytes(bytes);
        agenda.check(progress);
        // What a job does with it before the first step.
        for (auto const& [item, state] : progress.states()) {
            static_cast<void>(phylo::describe(state));
            if (state.is_done()) continue;
            auto const subject = phylo::subject(state, linkage);
            for (std::size_t q = 0; q < subject.specs.size(); ++q)
                static_cast<void>(likelihood::site_model(subject.specs[q], subject.models[q]));
        }
        return progress;
    } catch (InputError const&) {
        return std::nullopt;
    }
}

/// A job over data of which only names and models are known: those of one partition are given, and those of another one
/// are chosen.
struct SomeJob {
    static constexpr std::uint32_t num_taxa = 8;
    phylo::Options options;
    phylo::Dataset dataset;
    std::optional<phylo::Agenda> agenda;

    SomeJob() {
        options.supports.replicates = 3;
        options.supports.ultrafast_replicates = 3;
        options.supports.alrt_replicates = 10;
        for (std::uint32_t t = 0; t < num_taxa; ++t) dataset.taxa.push_back("t" + std::to_string(t));
        for (auto const* const model : {"GTR+FC+I+G4m", "auto"}) {
            bool const is_given = std::string(model) != "auto";
            dataset.specs.push_back(likelihood::parse_model(is_given ? model : "GTR+FC+G4m"));
            dataset.partitions.push_back({model, "p", {}});
            dataset.candidates.push_back(
                is_given ? nullptr
                         : std::make_shared<search::CandidateSet const>(search::all_candidates(msa::Alphabet::dna)));
            dataset.counted.push_back({{0.1, 0.2, 0.3, 0.4}, 0.5});
            dataset.sites_per_partition.push_back(50);
        }
        phylo::StartTrees start_trees;
        for (std::uint32_t i = 0; i < 2; ++i) start_trees.starts.push_back({phylo::Start::Kind::parsimony, i});
        agenda.emplace(options, dataset, std::move(start_trees));
    }
    SomeJob(SomeJob const&) = delete;

    phylo::SearchState state(std::uint64_t seed) const {
        std::vector<phylo::Model> models;
        for (std::size_t q = 0; q < dataset.specs.size(); ++q)
            models.push_back(phylo::start_model(dataset.specs[q], dataset.counted[q]));
        return search::start_state(search::Goal::tree, msa::random_tree(num_taxa, seed), dataset.specs, models);
    }

    /// A progress with searches in several stages.
    phylo::Progress progress(Random& random) const {
        using phylo::Purpose;
        using phylo::Stage;
        phylo::Progress progress;
        auto choosing =
            phylo::start_choice(state(random.below(100)), dataset.automatic(), dataset.candidates, dataset.counted);
        auto& choice = choosing.as<phylo::Choice>().choices.front();
        for (auto left = random.below(4); left > 0; --left) {
            choice.running->loglh = -100 - random.unit();
            phylo::end_trial(choice, *dataset.candidates[1], dataset.counted[1], {options.input.criterion, 50});
        }
        progress.note({Purpose::model_choice}, choosing);
        auto moving = state(random.below(100));
        auto& moves = moving.as<phylo::Climb>();
        moves.stage = Stage::near_spr;
        moves.position = 1;
        for (auto h : phylo::all_subtrees(moving.tree)) moves.waiting.push_back(h);
        progress.note({Purpose::start, 0}, moving);
        auto escaping = state(random.below(100));
        auto& escapes = escaping.as<phylo::Climb>();
        escapes.stage = Stage::escapes;
        escapes.position = 2;
        escapes.home = phylo::Home{escaping.tree, -90, phylo::fingerprint(escaping.tree)};
        progress.note({Purpose::start, 1}, escaping);
        auto done = state(random.below(100));
        done.as<phylo::Climb>().stage = Stage::done;
        progress.note({Purpose::replicate, 2}, done);
        auto replicating = phylo::start_ultrafast(done);
        auto& replicates = replicating.as<phylo::Ultrafast>();
        replicates.round = 1;
        for (std::uint32_t i = 0; i < options.supports.ultrafast_replicates; ++i)
            replicates.replicates.push_back({replicating.tree, {}});
        progress.note({Purpose::ultrafast}, replicating);
        auto supporting = phylo::start_supports(done);
        auto& supports = supporting.as<search::Supports>();
        supports.position = 3;
        supports.alrt.assign(supporting.tree.num_edges(), 0.5);
        progress.note({Purpose::support}, supporting);
        return progress;
    }

    std::optional<phylo::Progress> accepted(std::span<std::byte const> bytes) const {
        return fuzz::accepted(*agenda, options.input.linkage, bytes);
    }
};

/// A job that finds trees of two genes, one of which has data of some taxa only, and replicates of genes that are
/// drawn.
struct SomeGenes {
    phylo::Options options;
    phylo::Dataset dataset;
    std::optional<phylo::Agenda> agenda;

    SomeGenes() {
        options.command = phylo::Command::genes;
        options.input.linkage = search::BranchLinkage::unlinked;
        options.supports.replicates = 3;
        options.supports.sampling = phylo::Sampling::genesites;
        dataset.taxa_of_gene = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 2, 3, 5, 6}};
        for (std::size_t t = 0; t < dataset.taxa_of_gene.front().size(); ++t)
            dataset.taxa.push_back("t" + std::to_string(t));
        for (auto const* const model : {"GTR+FC+I+G4m", "HKY+FC+R3"}) {
            dataset.specs.push_back(likelihood::parse_model(model));
            dataset.partitions.push_back({model, "p", {}});
            dataset.candidates.push_back(nullptr);
            dataset.counted.push_back({{0.1, 0.2, 0.3, 0.4}, 0.5});
            dataset.sites_per_partition.push_back(50);
        }
        dataset.partition_begin = {0, 1, 2};
        dataset.weights = {50, 50};
        agenda.emplace(options, dataset, phylo::StartTrees{.starts = {{phylo::Start::Kind::parsimony, 0}}});
    }
    SomeGenes(SomeGenes const&) = delete;

    /// A progress with genes and replicates, some of which are done.
    phylo::Progress progress(Random& random) const {
        using phylo::Purpose;
        phylo::Progress progress;
        for (auto const purpose : {Purpose::gene, Purpose::gene_replicate}) {
            auto const count = agenda->kind_of({purpose}).most();
            for (std::uint32_t i = 0; i < count; ++i) {
                auto const q = *agenda->kind_of({purpose}).gene(i);
                auto const num_taxa = static_cast<std::uint32_t>(dataset.taxa_of_gene[q].size());
                auto state =
                    search::start_state(search::Goal::tree, msa::random_tree(num_taxa, random.below(100)),
                                        {dataset.specs[q]}, {phylo::start_model(dataset.specs[q], dataset.counted[q])});
                if (random.below(2) == 0) state.as<phylo::Climb>().stage = phylo::Stage::done;
                progress.note({purpose, i}, state);
            }
        }
        return progress;
    }
    std::optional<phylo::Progress> accepted(std::span<std::byte const> bytes) const {
        return fuzz::accepted(*agenda, options.input.linkage, bytes);
    }
};

/// Changes a few bytes, or a number to one that is likely to do harm, or cuts the end off.
inline void forge(std::vector<std::byte>& bytes, Random& random) {
    constexpr std::array<std::uint64_t, 8> numbers{
        0, 1, 2, 0xff, 0xffff'ffff, std::uint64_t{1} << 60, ~std::uint64_t{0}, 0x7ff8'0000'0000'0000};
    auto const at = random.below(bytes.size());
    auto const number = numbers[random.below(numbers.size())];
    auto const size = std::min<std::size_t>(random.below(2) == 0 ? 4 : 8, bytes.size() - at);
    switch (random.below(8)) {
        case 0:
            bytes.resize(at + 1);
            break;
        case 1:
            bytes[at] ^= static_cast<std::byte>(1U << random.below(8));
            break;
        case 2:
            bytes[at] = static_cast<std::byte>(random.below(256));
            break;
        default:
            std::memcpy(bytes.data() + at, &number, size);
            break;
    }
}

}  // namespace regraft::fuzz
