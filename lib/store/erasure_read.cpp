// Load and repair: what is there comes from its holders, the rest from k other pieces.
#include <algorithm>
#include <utility>

#include "regraft/core/checked_cast.hpp"
#include "store/erasure_version.hpp"
#include "store/gather.hpp"

namespace regraft::store {
namespace {

using erasure::Piece;

ft::FailPhase load_phase("erasure-load");
ft::FailPhase repair_phase("erasure-repair");

/// Rounds of rebuilds in each of which nobody rebuilds more than a window, or one part.
Csr<std::size_t> rounds_of(ft::Communicator const& comm, erasure::Rebuilds const& rebuilds, std::uint64_t most_bytes) {
    struct Receiver {
        std::size_t round = 0;
        std::uint64_t bytes = 0;
    };
    std::vector<Receiver> receivers(comm.size());
    std::vector<std::size_t> round_of;
    std::size_t rounds = 0;
    for (auto const& task : rebuilds.rebuilds) {
        auto& receiver = receivers[comm.position(task.receiver)];
        if (receiver.bytes != 0 && receiver.bytes + task.bytes.size() > most_bytes) {
            ++receiver.round;
            receiver.bytes = 0;
        }
        receiver.bytes += task.bytes.size();
        round_of.push_back(receiver.round);
        rounds = std::max(rounds, receiver.round + 1);
    }
    RowsBuilder<std::size_t> rows(rounds);
    for (std::size_t i = 0; i < round_of.size(); ++i) rows.add(round_of[i], i);
    return rows.rows();
}

/// Combinations that were needed before: most rebuilds of a stripe have the same sources.
class Combinations {
public:
    explicit Combinations(erasure::Code const& code) : code_(code) {}
    erasure::Combination const& of(std::span<erasure::Source const> sources, std::uint32_t wanted) {
        std::vector<std::uint32_t> key;
        for (auto const& source : sources) key.push_back(source.index);
        key.push_back(wanted);
        auto const found = known_.find(key);
        if (found != known_.end()) return found->second;
        return known_.emplace(key, code_.rebuild(std::span(key).first(sources.size()), wanted)).first->second;
    }

private:
    erasure::Code const& code_;
    std::map<std::vector<std::uint32_t>, erasure::Combination> known_;
};

/// One round of rebuilds on this PE: sources come from their holders, then what was wanted by others goes to them.
class Round {
public:
    Round(ft::Communicator& comm, ErasureVersion const& version, erasure::Rebuilds const& plan,
          std::span<std::size_t const> tasks, Transport transport)
        : comm_(comm), version_(version), plan_(plan), tasks_(tasks), transport_(transport) {}

    void gather_sources(Volume& volume) {
        ErasureMessages messages(comm_);
        for (auto const i : tasks_) {
            for (auto const& source : plan_.sources[i]) take(plan_.rebuilds[i], source, messages, volume);
            if (plan_.rebuilds[i].receiver == comm_.self()) sources_.end_row();
        }
        messages.exchange(transport_);
    }

    void combine(Combinations& combinations, RebuildTarget const& target) const {
        std::size_t row = 0;
        for (auto const i : tasks_) {
            auto const& task = plan_.rebuilds[i];
            if (task.receiver != comm_.self()) continue;
            combinations.of(plan_.sources[i], task.piece.index).combine(sources_[row++], target(task));
        }
    }

    void forward(RebuildTarget const& target, Volume& volume) const {
        ErasureMessages messages(comm_);
        bool nothing = true;
        for (auto const i : tasks_) {
            auto const& task = plan_.rebuilds[i];
            for (auto const& forward : plan_.forwards[i]) {
                nothing = false;
                auto const sender = comm_.position(task.receiver);
                auto const receiver = comm_.position(forward.receiver);
                volume.add(sender, receiver, task.bytes.size());
                messages.announce(sender, receiver, task.bytes.size());
                if (task.receiver == comm_.self()) messages.send(receiver, target(task));
                if (forward.receiver != comm_.self()) continue;
                messages.receive(sender, target({task.piece, task.bytes, forward.receiver, forward.place}));
            }
        }
        if (!nothing) messages.exchange(transport_);
    }

private:
    void take(erasure::Rebuild const& task, erasure::Source const& source, ErasureMessages& messages, Volume& volume) {
        bool const mine = task.receiver == comm_.self();
        std::span<std::byte const> bytes;
        if (source.bytes != 0) {
            auto const sender = comm_.position(*source.holder);
            auto const receiver = comm_.position(task.receiver);
            volume.add(sender, receiver, source.bytes);
            messages.announce(sender, receiver, source.bytes);
            if (source.holder == comm_.self()) {
                erasure::ByteRange const range{task.bytes.begin, task.bytes.begin + source.bytes};
                bytes = version_.read({task.piece.stripe, source.index}, range, scratch_);
                if (!mine) messages.send(receiver, bytes);
            } else if (mine) {
                auto& incoming = scratch_.emplace_back(source.bytes);
                messages.receive(sender, incoming);
                bytes = incoming;
            }
        }
        if (mine) sources_.push_value(bytes);
    }

    ft::Communicator& comm_;
    ErasureVersion const& version_;
    erasure::Rebuilds const& plan_;
    std::span<std::size_t const> tasks_;
    Transport transport_;
    Scratch scratch_;
    Csr<std::span<std::byte const>> sources_;  // row per rebuild of this PE
};

}  // namespace

void rebuild(ft::Communicator& comm, ErasureVersion const& version, erasure::Rebuilds const& rebuilds,
             ErasureOptions const& options, ft::FailPoint& inside, RebuildTarget const& target, Volume& volume) {
    Combinations combinations(version.holdings.layout().code());
    auto const rounds = rounds_of(comm, rebuilds, window_bytes(options, version.holdings.layout().code()));
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        Round round(comm, version, rebuilds, rounds[i], options.transport);
        comm.reach(inside);
        round.gather_sources(volume);
        round.combine(combinations, target);
        round.forward(target, volume);
    }
}

LoadReport ErasureStore::load(std::span<BlockRange const> wanted, std::span<std::byte> out) {
    comm_.reach(load_phase.before);
    return load_all(rows_of_members(comm_, gather_wanted(comm_, wanted, 0)), out);
}

LoadReport ErasureStore::load(CsrView<BlockRange> wanted, std::span<std::byte> out) {
    comm_.reach(load_phase.before);
    return load_all(rows_of_members(comm_, wanted), out);
}

namespace {

/// Blocks that one PE sends and receives whole.
struct Blocks {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
};

/// What the copies of whole blocks say in the report.
LoadReport report_of(ft::Communicator const& comm, erasure::Reads const& plan) {
    LoadReport report;
    std::vector<Blocks> blocks(comm.size());
    Volume whole(comm.size());
    for (auto const& copy : plan.copies) {
        auto const bytes = copy.bytes.size();
        if (copy.sender == copy.receiver) {
            if (copy.receiver == comm.self()) report.bytes_local += bytes;
            continue;
        }
        auto const sender = comm.position(copy.sender);
        auto const receiver = comm.position(copy.receiver);
        report.b = std::max(report.b, blocks[sender].sent += copy.blocks.size());
        report.rounds = std::max({report.rounds, report.b, blocks[receiver].received += copy.blocks.size()});
        report.blocks_moved += copy.blocks.size();
        whole.add(sender, receiver, bytes);
    }
    report.most_sent_bound = *std::max_element(whole.sent.begin(), whole.sent.end());
    return report;
}

std::uint64_t most(std::vector<std::uint64_t> const& values) {
    return *std::max_element(values.begin(), values.end());
}

}  // namespace

LoadReport ErasureStore::load_all(CsrView<BlockRange> wanted, std::span<std::byte> out) {
    REGRAFT_EXPECTS(current_ && wanted.size() == comm_.size());
    auto& version = *current_;
    version.holdings.retain(comm_.members());
    auto const self = comm_.position(comm_.self());
    std::uint64_t wanted_bytes = 0;
    for (auto const& range : wanted[self]) wanted_bytes += sizes().bytes(range);
    REGRAFT_EXPECTS(out.size() == wanted_bytes);
    auto plan = erasure::plan_reads(version.holdings, wanted, window_bytes(options_, code()));
    auto report = report_of(comm_, plan);

    Volume volume(comm_.size());
    ErasureMessages messages(comm_);
    Scratch scratch;
    for (auto const& copy : plan.copies) {
        auto const sender = comm_.position(copy.sender);
        auto const receiver = comm_.position(copy.receiver);
        volume.add(sender, receiver, copy.bytes.size());
        messages.announce(sender, receiver, copy.bytes.size());
        if (sender == self) messages.send(receiver, version.read(copy.piece, copy.bytes, scratch));
        if (receiver == self) messages.receive(sender, out.subspan(copy.place, copy.bytes.size()));
    }
    comm_.reach(load_phase.inside);
    messages.exchange(options_.transport);
    auto const target = [&](erasure::Rebuild const& task) { return out.subspan(task.place, task.bytes.size()); };
    rebuild(comm_, version, plan.rebuilt, options_, load_phase.inside, target, volume);

    comm_.agree();
    report.lost = std::move(plan.lost);
    report.bytes_moved = volume.moved;
    report.most_sent = most(volume.sent);
    report.most_sent_bound = std::max(report.most_sent_bound, (volume.moved + comm_.size() - 1) / comm_.size());
    report.most_received = most(volume.received);
    report.bytes_received = volume.received[self];
    comm_.reach(load_phase.after);
    return report;
}

namespace {

/// The same data with as many slots as there are members, each of which has as its own what it holds of the data.
ErasureVersion with_fewer_slots(ft::Communicator& comm, ErasureVersion const& complete, ErasureOptions const& options) {
    auto const& layout = complete.holdings.layout();
    auto const members = complete.holdings.members();
    ErasureVersion next;
    next.submitters.assign(members.begin(), members.end());
    next.node_of = complete.nodes();
    RowsBuilder<BlockRange> own(members.size());
    for (std::uint32_t slot = 0; slot < layout.num_slots(); ++slot) {
        for (std::uint32_t i = 0; i < layout.code().data(); ++i) {
            auto const piece = layout.piece(slot, i);
            auto const holder = complete.holdings.holder(piece);
            if (!holder && layout.bytes(piece) != 0) continue;  // lost
            for (auto const& blocks : layout.blocks(piece)) own.add(holder ? comm.position(*holder) : 0, blocks);
            if (holder != comm.self()) continue;
            auto const moved = complete.pieces.find(piece);
            if (moved != complete.pieces.end()) {
                next.add_own(moved->second->bytes(), moved->second);
                continue;
            }
            auto const bytes = layout.own_bytes(piece);
            for (auto const& part : complete.own) {
                auto const first = std::max(bytes.begin, part.begin);
                auto const last = std::min(bytes.end, part.begin + part.bytes.size());
                if (first < last) next.add_own(part.bytes.subspan(first - part.begin, last - first), part.memory);
            }
        }
    }
    auto const slots = checked_cast<std::uint32_t>(members.size());
    next.holdings = erasure::Holdings(
        erasure::Layout(layout.code().fitted(slots), layout.sizes(), own.rows(), erasure::ring_order(next.node_of)),
        next.submitters);
    encode(comm, next, options, repair_phase.inside);
    return next;
}

}  // namespace

ErasureRepair ErasureStore::repair() {
    if (!current_) return {};
    comm_.reach(repair_phase.before);
    ErasureVersion next = *current_;  // shares the memory
    next.holdings.retain(comm_.members());
    bool const fewer = comm_.size() < next.holdings.layout().code().pieces();
    auto plan = erasure::plan_repair(next.holdings, next.nodes(), window_bytes(options_, code()),
                                     fewer ? erasure::Restore::data : erasure::Restore::everything);
    std::map<Piece, std::shared_ptr<Memory>> made;
    for (auto const& move : plan.moves) {
        auto const bytes = next.holdings.bytes(move.piece);
        if (move.holder == comm_.self()) made[move.piece] = std::make_shared<Memory>(bytes);
    }
    auto const target = [&](erasure::Rebuild const& task) {
        return made.at(task.piece)->bytes().subspan(task.place, task.bytes.size());
    };
    Volume volume(comm_.size());
    comm_.reach(repair_phase.inside);
    rebuild(comm_, *current_, plan.rebuilt, options_, repair_phase.inside, target, volume);
    for (auto piece : plan.given_up) next.holdings.give_up(piece);
    for (auto const& move : plan.moves) next.holdings.move(move.piece, move.holder);
    for (auto& [piece, memory] : made) next.pieces[piece] = std::move(memory);
    if (fewer) next = with_fewer_slots(comm_, next, options_);
    comm_.agree();
    *current_ = std::move(next);

    auto const safe = erasure::safety(current_->holdings, current_->nodes());
    ErasureRepair report;
    report.lost = std::move(plan.lost);
    report.code = code();
    report.deaths_survived = safe.members;
    report.nodes_survived = safe.nodes;
    report.bytes_restored = plan.bytes_restored;
    report.bytes_moved = volume.moved;
    report.most_sent = most(volume.sent);
    report.most_received = most(volume.received);
    report.bytes_received = volume.received[comm_.position(comm_.self())];
    report.bytes_held = bytes_held();
    comm_.reach(repair_phase.after);
    return report;
}

}  // namespace regraft::store
