// Reopen: members take over the pieces that the nodes of the dead job still have, as they are. Then everything is
// encoded anew for this job, into files of its own; until that is agreed on, the files of the dead job stay.
#include <algorithm>
#include <utility>

#include "exchange/exchange.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/united.hpp"
#include "store/erasure/erasure.hpp"
#include "store/keeping/takeover.hpp"
#include "store/together/digest.hpp"

namespace regraft::store {
namespace {

using erasure::Piece;

ft::FailPhase coded_reopen_phase("erasure-reopen");

/// What this PE has taken over of one generation, before all agree on it.
struct TakenPieces {
    std::vector<std::unique_ptr<Segment>> files{};
    std::map<Piece, std::span<std::byte const>> pieces{};
    std::map<Piece, std::vector<std::uint64_t>> sums{};  // of pieces that were verified
    Common common{};
};

/// Adds the pieces that a manifest lists. Everything that is checked is verified.
Unusable inherit(Keeping const& keeping, Found const& found, Kept kept, TakenPieces& taken) {
    auto const& manifest = kept.manifest;
    auto const code = manifest.common.coding->layout().code();
    std::map<BlockId, std::uint64_t> sum_of;
    for (auto const& [blocks, sum] : manifest.sums) {
        if (blocks.size() != 1) throw InputError({keeping.path_of(found)}, "has a checksum of several pieces");
        sum_of[blocks.first] = sum;
    }
    Unusable damaged;
    for (auto const& extent : manifest.pieces) {
        auto rest = kept.bytes_of(extent);
        for (auto id = extent.blocks.first; id < extent.blocks.last; id = advance(id, 1)) {
            auto const piece = piece_listed_as(id, code);
            auto const bytes = rest.first(manifest.common.sizes.bytes(id));
            rest = rest.subspan(bytes.size());
            auto sums = manifest.checked ? sums_of(bytes) : std::vector<std::uint64_t>();
            if (manifest.checked && seal_of(sums) != sum_of.at(id)) {
                damaged.blocks.push_back({id, advance(id, 1)});
                continue;
            }
            taken.pieces.try_emplace(piece, bytes);
            if (manifest.checked) taken.sums.try_emplace(piece, std::move(sums));
        }
    }
    if (!damaged.blocks.empty()) {
        auto const first = piece_listed_as(damaged.blocks.front().first, code);
        damaged.reason = keeping.path_of(found) + ": " + std::to_string(damaged.blocks.size()) + " of its " +
                         std::to_string(manifest.pieces.size()) + " pieces are damaged, the first is piece " +
                         std::to_string(first.index) + " of stripe " + std::to_string(first.stripe);
    }
    for (auto& file : kept.files) taken.files.push_back(std::move(file));
    taken.common = manifest.common;
    return damaged;
}

/// The nodes of the members: those that they give, or else the sites. Collective, not uniform.
std::vector<std::uint32_t> nodes_of(Coded& store, Survey const& survey) {
    std::vector<std::uint64_t> mine;
    if (store.options.node) mine.push_back(*store.options.node);
    auto const rows = exchange::all_gather(store.comm, mine);
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        REGRAFT_EXPECTS(rows[rank].size() == mine.size() && "all members give a node or none does");
    }
    if (mine.empty()) return survey.site_of;
    std::vector<std::uint32_t> nodes;
    for (auto const node : rows.values) nodes.push_back(checked_cast<std::uint32_t>(node));
    return nodes;
}

/// The version of which members have taken over the pieces. Collective, not uniform.
std::unique_ptr<ErasureVersion> version_of(Coded& store, Chosen const& chosen, TakenPieces& taken,
                                           Survey const& survey) {
    auto& comm = store.comm;
    auto const members = comm.members();
    auto next = std::make_unique<ErasureVersion>();
    next->common = tell_common(comm, chosen, taken.common);
    next->node_of = nodes_of(store, survey);
    next->located.assign(members.begin(), members.end());

    // The slots are those of PEs that no job has, and all of them count as dead.
    auto const& coding = *next->common.coding;
    std::vector<PeId> slots;
    for (std::uint32_t i = 0; i < coding.own.size(); ++i) slots.push_back(PeId{comm.num_founders() + i});
    next->holdings = erasure::Holdings(coding.layout(), std::move(slots));
    next->holdings.retain(members);
    auto const& layout = next->holdings.layout();
    for (std::size_t k = 0; k < chosen.heirs.size(); ++k) {
        for (auto const& listed : survey.found[chosen.choice.manifests[k]].pieces) {
            for (auto id = listed.first; id < listed.last; id = advance(id, 1)) {
                auto const piece = piece_listed_as(id, layout.code());
                if (next->common.sizes.bytes(id) > 0) next->holdings.move(piece, members[chosen.heirs[k]]);
            }
        }
    }
    for (auto const& [piece, bytes] : taken.pieces) {
        auto const sums = taken.sums.find(piece);
        if (next->holdings.holder(piece) != comm.self()) continue;
        next->add_inherited(piece, bytes, sums == taken.sums.end() ? std::vector<std::uint64_t>() : sums->second);
    }
    next->inherited = std::make_shared<std::vector<std::unique_ptr<Segment>> const>(std::move(taken.files));
    if (store.checked()) next->seal(comm.self());
    return next;
}

/// The blocks that cannot be rebuilt without these pieces, and those that were lost before.
std::vector<BlockRange> blocks_lost(erasure::Layout const& layout, std::span<BlockRange const> pieces) {
    auto lost = layout.nobodys();
    for (auto const& range : pieces) {
        for (auto id = range.first; id < range.last; id = advance(id, 1)) {
            auto const piece = piece_listed_as(id, layout.code());
            if (piece.index >= layout.code().data()) continue;
            auto const blocks = layout.blocks(piece);
            lost.insert(lost.end(), blocks.begin(), blocks.end());
        }
    }
    return united(std::move(lost));
}

std::string lost_text(ErasureVersion const& version, std::span<BlockRange const> pieces,
                      std::span<BlockRange const> lost) {
    auto const& code = version.holdings.layout().code();
    auto text = store::lost_text(lost, version.common.id.version, "cannot be rebuilt");
    if (pieces.empty()) return text + ": they were lost before the version was kept";
    auto const stripe = piece_listed_as(pieces.front().first, code).stripe;
    auto const there = version.holdings.available(stripe);
    return text + ": of stripe " + std::to_string(stripe) + ", and perhaps others, " + std::to_string(there) + " of " +
           std::to_string(code.pieces()) + " pieces are there, and the code needs " + std::to_string(code.data()) +
           "; the others were kept on nodes that are missing, or are damaged. A job that has them finds the blocks, "
           "and with ReopenOptions::Lost::left this one goes on without them";
}

/// Makes what was kept the present version, as it is. Returns false if nothing was kept. Collective, uniform.
bool adopt_newest(Coded& store, Digest alike, ReopenOptions::Lost what_of_lost) {
    auto& comm = store.comm;
    auto survey = store.keeping->begin(comm, alike.add(store.alike_to_keep()).value());
    TakenPieces taken;
    Inheritance const how{
        [&](Choice const&) { comm.reach(coded_reopen_phase.inside); },
        [&](Found const& found, Kept kept) { return inherit(*store.keeping, found, std::move(kept), taken); },
        [&] { taken = {}; }};
    auto const chosen = choose_and_take_over(comm, *store.keeping, survey, how);
    if (!chosen) return false;
    auto next = version_of(store, *chosen, taken, survey);
    comm.reach(coded_reopen_phase.inside);
    comm.agree();
    auto lost = blocks_lost(next->holdings.layout(), chosen->choice.lost);
    if (!lost.empty() && what_of_lost == ReopenOptions::Lost::thrown) {
        throw DataLost(lost_text(*next, chosen->choice.lost, lost), lost);
    }
    store.current = std::move(next);
    store.version = store.current->common.id.version;
    store.identity = next_identity(comm);
    store.reopened = {.version = store.version,
                      .attributes = store.current->common.attributes,
                      .refused = survey.refused,
                      .lost = std::move(lost),
                      .bytes_inherited = store.current->bytes_held()};
    return true;
}

void forget_inherited(Coded& store) {
    store.current.reset();
    store.reopened.reset();
    store.version = 0;
}

/// If it fails, there is no version, so that the program knows by it that it is to reopen again.
void repair_inherited(Coded& store, ErasureRepairOptions const& options, erasure::Code const& code) {
    try {
        store.reopened->repaired = repair(store, options, code);
    } catch (...) {
        if (store.current->inherited) forget_inherited(store);
        throw;
    }
}

}  // namespace

std::optional<ErasureReopen> ErasureStore::reopen(erasure::Code code, ErasureReopenOptions const& options) {
    auto& store = *impl_;
    REGRAFT_EXPECTS(store.keeping && "ErasureOptions::keep is given");
    REGRAFT_EXPECTS((!store.current || store.reopened || store.current->inherited) && "nothing was submitted yet");
    store.comm.reach(coded_reopen_phase.before);
    if (!store.current || store.current->inherited) {
        // What members had taken over that have died since is taken over by others of their nodes.
        forget_inherited(store);
        auto const alike = Digest().add(code.data()).add(code.parity()).add(options.lost);
        if (!adopt_newest(store, alike, options.lost)) return std::nullopt;
    }
    if (options.repair) repair_inherited(store, *options.repair, code);
    store.comm.reach(coded_reopen_phase.after);
    auto report = std::move(*store.reopened);
    store.reopened.reset();
    return report;
}

void ErasureStore::set_attributes(std::vector<std::byte> attributes) {
    impl_->attributes = std::move(attributes);
}

void ErasureStore::discard() {
    auto& store = *impl_;
    REGRAFT_EXPECTS(store.idle() && "no load is under way");
    if (store.keeping) store.keeping->discard(store.comm);
    store.current.reset();
    store.spare.clear();
    if (store.keeping) store.keeping->leave(store.comm);
}

}  // namespace regraft::store
