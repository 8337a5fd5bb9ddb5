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

    /// The progress if a job would go on from it, and none if it is refused. Everything else is a defect.
    std::optional<phylo::Progress> accepted(std::span<std::byte const> bytes) const {
        try {
            auto progress = phylo::Progress::from_bytes(bytes);
            agenda->check(progress);
            // What a job does with it before the first step.
            for (auto const& [item, state] : progress.states()) {
                static_cast<void>(phylo::describe(state));
                if (state.is_done()) continue;
                auto const subject = phylo::subject(state, options.input.linkage);
                for (std::size_t q = 0; q < subject.specs.size(); ++q)
                    static_cast<void>(likelihood::site_model(subject.specs[q], subject.models[q]));
            }
            return progress;
        } catch (InputError const&) {
            return std::nullopt;
        }
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
