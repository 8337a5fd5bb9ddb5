#include "simulate/job.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "input/network.hpp"
#include "input/rules.hpp"
#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/checkpoint/dealing.hpp"
#include "regraft/checkpoint/partners.hpp"
#include "regraft/placement/uneven.hpp"

namespace regraft::plan::simulated {
namespace {

std::vector<PeId> all_ranks(std::uint32_t count) {
    std::vector<PeId> ranks(count);
    for (std::uint32_t rank = 0; rank < count; ++rank) ranks[rank] = PeId{rank};
    return ranks;
}

constexpr BlockRange only(std::uint64_t block) {
    return {BlockId{block}, BlockId{block + 1}};
}

/// The blocks of the work in each row: a site is a block.
Csr<BlockRange> blocks_of(Csr<assign::Work> const& work) {
    Csr<BlockRange> blocks;
    blocks.offsets = work.offsets;
    blocks.values.reserve(work.values.size());
    for (auto const& piece : work.values)
        blocks.values.push_back({BlockId{value(piece.sites.first)}, BlockId{value(piece.sites.last)}});
    return blocks;
}

std::uint64_t busiest(assign::Assignment const& work) {
    std::uint64_t most = 0;
    for (std::size_t pe = 0; pe < work.size(); ++pe) most = std::max(most, assign::num_sites(work[pe]));
    return most;
}

}  // namespace

Job::Job(JobPlan const& plan)
    : plan_(plan),
      domains_(plan.machine.of_ranks(plan.apart)),
      members_(all_ranks(plan.machine.ranks)),
      num_living_(plan.machine.ranks),
      network_(plan.machine.of_ranks(Unit::node), plan.constants, plan.transport),
      sizes_(plan.blocks_per_rank * plan.machine.ranks, plan.block_bytes) {
    std::vector<std::uint64_t> const partition{0, sizes_.num_blocks()};
    work_ = assign::balance(partition, plan.machine.ranks);
    most_sites_ = busiest(work_);
    if (plan_.code) {
        input_ = keep_pieces(*plan_.code, blocks_of(work_), members_, sizes_, domains_);
    } else {
        auto const rule = make_rule(plan.placement, {sizes_.num_blocks(), plan.machine.ranks, plan.replicas},
                                    plan.machine.size(plan.apart));
        input_ = keep_copies(rule, members_, sizes_);
    }
    state_.home = members_;
    keep_state();
}

std::uint64_t Job::most_memory() const {
    auto bytes = input_->most_held();
    if (plan_.state_bytes == 0) return bytes;
    // The live state, and two buffers of it with all copies: S (1 + 2 R), as docs/mpi/snapshot.md says.
    return bytes + most_entities() * plan_.state_bytes + 2 * state_.kept->most_held();
}

std::uint64_t Job::most_entities() const {
    std::vector<std::uint64_t> count(plan_.machine.ranks, 0);
    for (auto const home : state_.home) ++count[value(home)];
    return *std::max_element(count.begin(), count.end());
}

double Job::speed() const {
    return static_cast<double>(plan_.blocks_per_rank) / static_cast<double>(most_sites_);
}

double Job::agreements(double count) const {
    auto const& constants = plan_.constants;
    return count * 1e-6 * (constants.agreement_us + static_cast<double>(num_living_) * constants.agreement_us_per_rank);
}

double Job::in_memory(std::uint64_t bytes) const {
    return network_.crowding() * static_cast<double>(bytes) / (plan_.constants.memory_gbps * 1e9);
}

Volume Job::carried_out(Transfers transfers, Into memory) {
    auto volume = network_.exchange(std::move(transfers.messages), num_living_, memory);
    volume.seconds += in_memory(transfers.most_computed);
    return volume;
}

/// Looks only at the messages of some nodes if the machine is large, and at those of ranks that submit more than
/// others.
Volume Job::submitted(Kept const& kept, CsrView<BlockRange> mine, Into memory) {
    constexpr std::size_t enough = 1 << 14;
    auto const node_size = plan_.machine.size(Unit::node);
    auto const stride = members_.size() / enough + 1;
    auto const usual = mine.values.size() / mine.size();
    std::vector<std::uint32_t> which;
    std::size_t nodes = 0;  // that live, up to this rank
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
        bool const is_next = i > 0 && value(members_[i]) / node_size != value(members_[i - 1]) / node_size;
        nodes += is_next ? 1 : 0;
        if (nodes % stride == 0 || mine[i].size() > usual) which.push_back(i);
    }
    kept.visit_submit(mine, which, [&](Message const& message) { network_.add(message, memory); });
    auto volume = network_.finish(num_living_);
    auto const all = [&](std::uint64_t bytes) {
        auto const scale = static_cast<double>(members_.size()) / static_cast<double>(which.size());
        return stride == 1 ? bytes : static_cast<std::uint64_t>(scale * static_cast<double>(bytes));
    };
    volume.bytes_within = all(volume.bytes_within);
    volume.bytes_between = all(volume.bytes_between);
    return volume;
}

Volume Job::submit() {
    auto volume = submitted(*input_, blocks_of(work_), Into::fresh_memory);
    auto const own = plan_.blocks_per_rank * plan_.block_bytes;
    auto const fresh = network_.crowding() * static_cast<double>(own) / (plan_.constants.fresh_gbps * 1e9);
    volume.seconds += fresh + in_memory(own + input_->most_encoded()) + agreements(1);
    return volume;
}

Volume Job::commit() {
    if (commit_) return *commit_;
    Volume volume;
    if (plan_.state_bytes > 0) {
        if (!state_.is_newest) keep_state();
        volume = submitted(*state_.kept, state_of_members(), Into::used_memory);
        auto const copied = most_entities() * plan_.state_bytes + state_.kept->most_encoded();
        volume.seconds += in_memory(copied);
    }
    volume.seconds += agreements(1);
    commit_ = volume;
    return volume;
}

void Job::committed() {
    if (!state_.is_newest) keep_state();
}

/// The blocks of the state that each member submits; they are numbered member by member.
Csr<BlockRange> Job::state_of_members() const {
    Csr<BlockRange> rows;
    std::uint64_t block = 0;
    for (auto const pe : members_) {
        while (block < state_.entity_of.size() && state_.home[state_.entity_of[block]] == pe)
            rows.push_value(only(block++));
        rows.end_row();
    }
    return rows;
}

/// Keeps the state as a snapshot does at a commit: entities are blocks in the order of their homes, with copies on
/// partners.
void Job::keep_state() {
    if (plan_.state_bytes == 0) return;
    auto const entities = static_cast<std::uint32_t>(state_.home.size());
    state_.entity_of.resize(entities);
    std::iota(state_.entity_of.begin(), state_.entity_of.end(), 0U);
    std::stable_sort(state_.entity_of.begin(), state_.entity_of.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return state_.home[a] < state_.home[b]; });
    state_.block_of.resize(entities);
    for (std::uint32_t block = 0; block < entities; ++block) state_.block_of[state_.entity_of[block]] = block;
    BlockSizes const sizes(entities, plan_.state_bytes);
    auto mine = state_of_members();
    if (plan_.code) {
        state_.kept = keep_pieces(*plan_.code, std::move(mine), members_, sizes, domains_);
    } else {
        std::vector<std::uint64_t> numbers;
        for (std::size_t i = 0; i < mine.size(); ++i) numbers.push_back(mine.offsets[i + 1] - mine.offsets[i]);
        auto const partners = checkpoint::on_other_nodes(domains_, plan_.replicas)(members_);
        state_.kept = keep_copies(placement::Uneven(numbers, partners), members_, sizes);
    }
    state_.is_newest = true;
}

std::optional<Recovery> Job::recover(std::span<PeId const> survivors) {
    if (survivors.empty()) return std::nullopt;
    survivors_.assign(survivors.begin(), survivors.end());
    num_living_ = survivors.size();
    auto const& constants = plan_.constants;
    auto recovery = plan_input(survivors);
    if (!recovery || !plan_state(survivors, *recovery)) return std::nullopt;
    auto const ranks = static_cast<double>(survivors.size());
    recovery->seconds.notice = 1e-3 * constants.notice_ms;
    recovery->seconds.shrink =
        1e-6 * (constants.shrink_us + ranks * constants.shrink_us_per_rank) + agreements(agreements_per_shrink);
    recovery->seconds.plan = 1e-6 * network_.crowding() * (constants.plan_us + ranks * constants.plan_us_per_rank);
    recovery->volume.seconds = recovery->seconds.sum();
    return recovery;
}

std::optional<Recovery> Job::plan_input(std::span<PeId const> survivors) {
    if (!input_->retain(survivors, plan_.mending)) return std::nullopt;
    auto reassignment = assign::reassign(work_, survivors);
    Recovery recovery;
    recovery.volume = carried_out(input_->load(blocks_of(reassignment.gained)), Into::used_memory);
    recovery.seconds.load = recovery.volume.seconds + agreements(1);
    next_work_ = std::move(reassignment.after);
    for (auto& step : input_->repair()) {
        auto const volume = carried_out(std::move(step), Into::fresh_memory);
        recovery.volume.add(volume);
        recovery.seconds.repair += volume.seconds + agreements(1);
    }
    return recovery;
}

/// Plans what Snapshot::restore does: the entities of the dead get new homes, and lost copies are made anew.
bool Job::plan_state(std::span<PeId const> survivors, Recovery& recovery) {
    auto& restore = recovery.seconds.restore;
    if (plan_.state_bytes == 0) {
        restore = agreements(1);
        return true;
    }
    if (!state_.kept->retain(survivors, plan_.mending)) return false;
    next_home_ = homes_among(survivors);
    auto const loaded = carried_out(state_.kept->load(missing_state(next_home_)), Into::used_memory);
    recovery.volume.add(loaded);
    restore = loaded.seconds + agreements(2);
    for (auto& step : state_.kept->repair()) {
        auto const volume = carried_out(std::move(step), Into::fresh_memory);
        recovery.volume.add(volume);
        restore += volume.seconds + agreements(1);
    }
    restore += in_memory(plan_.state_bytes);
    return true;
}

std::vector<PeId> Job::homes_among(std::span<PeId const> survivors) const {
    std::vector<checkpoint::Survivor> loads;
    loads.reserve(survivors.size());
    std::vector<std::uint32_t> place(plan_.machine.ranks, 0);
    std::vector<char> lives(plan_.machine.ranks, 0);
    for (auto const pe : survivors) {
        lives[value(pe)] = 1;
        place[value(pe)] = static_cast<std::uint32_t>(loads.size());
        loads.push_back({pe, 0});
    }
    auto homes = state_.home;
    std::vector<std::uint32_t> orphaned;
    Csr<PeId> holders;
    for (std::uint32_t entity = 0; entity < homes.size(); ++entity) {
        if (lives[value(homes[entity])] != 0) {
            loads[place[value(homes[entity])]].bytes += plan_.state_bytes;
            continue;
        }
        orphaned.push_back(entity);
        state_.kept->visit_holders(only(state_.block_of[entity]),
                                   [&](BlockRange, std::span<PeId const> of_block) { holders.push_row(of_block); });
    }
    std::vector<checkpoint::Orphan> orphans;
    for (std::size_t i = 0; i < orphaned.size(); ++i)
        orphans.push_back({{}, plan_.state_bytes, homes[orphaned[i]], std::as_const(holders)[i]});
    if (orphans.empty()) return homes;
    auto const dealt = checkpoint::to_holders(orphans, loads);
    for (std::size_t i = 0; i < orphaned.size(); ++i) homes[orphaned[i]] = dealt[i];
    return homes;
}

/// The entities that their homes do not hold. Only those of the dead can be such.
Csr<BlockRange> Job::missing_state(std::span<PeId const> homes) const {
    std::vector<std::pair<PeId, std::uint32_t>> missing;
    for (std::uint32_t entity = 0; entity < homes.size(); ++entity) {
        if (homes[entity] == state_.home[entity]) continue;
        auto const block = state_.block_of[entity];
        bool is_there = false;
        state_.kept->visit_holders(only(block), [&](BlockRange, std::span<PeId const> holders) {
            is_there = std::binary_search(holders.begin(), holders.end(), homes[entity]);
        });
        if (!is_there) missing.emplace_back(homes[entity], block);
    }
    std::sort(missing.begin(), missing.end());
    Csr<BlockRange> rows;
    auto next = missing.begin();
    for (std::uint32_t pe = 0; pe < plan_.machine.ranks; ++pe) {
        for (; next != missing.end() && next->first == PeId{pe}; ++next) rows.push_value(only(next->second));
        rows.end_row();
    }
    return rows;
}

void Job::recovered() {
    members_ = survivors_;
    work_ = std::move(next_work_);
    most_sites_ = busiest(work_);
    input_->repaired();
    if (plan_.state_bytes > 0) {
        state_.home = std::move(next_home_);
        state_.kept->repaired();
    }
    state_.is_newest = false;
    commit_.reset();
}

}  // namespace regraft::plan::simulated
