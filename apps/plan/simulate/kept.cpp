#include "simulate/kept.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "regraft/core/united.hpp"
#include "regraft/erasure/holdings.hpp"
#include "regraft/erasure/layout.hpp"
#include "regraft/erasure/plan.hpp"
#include "regraft/load/plan.hpp"
#include "regraft/placement/directory.hpp"
#include "regraft/repair/plan.hpp"
#include "regraft/store/options.hpp"

namespace regraft::plan::simulated {
namespace {

template <class List>
Transfers messages_of(List const& transfers, BlockSizes const& sizes) {
    Transfers result;
    for (auto const& transfer : transfers)
        result.messages.push_back({transfer.sender, transfer.receiver, sizes.bytes(transfer.blocks)});
    return result;
}

class Copies final : public Kept {
public:
    Copies(placement::Any placement, std::vector<PeId> members, BlockSizes const& sizes)
        : placement_(std::move(placement)),
          submitters_(std::move(members)),
          members_(submitters_),
          sizes_(sizes),
          directory_(placement_, submitters_) {}

    bool retain(std::span<PeId const> members, Mending mending) override {
        members_.assign(members.begin(), members.end());
        directory_.retain(members);
        plan_ = {};
        if (mending == Mending::left) return directory_.short_of(1).empty();
        auto const domains = repair::domains_of(members_, directory_.node_of());
        auto const held = held_by_members();
        plan_ = repair::plan(directory_, sizes_, members_, {.node_of = domains, .held = held});
        return plan_.lost.empty();
    }

    Transfers load(CsrView<BlockRange> wanted) const override {
        // As the store does (store::Options).
        bool const alone = load::wants_more_runs(directory_, members_, wanted, store::Options{}.most_planned_runs);
        auto const senders = alone ? load::senders_of_all(directory_, sizes_, members_, wanted)
                                   : load::plan(directory_, sizes_, {}, members_, wanted).senders;
        auto result = messages_of(senders.transfers, sizes_);
        for (auto const& transfer : senders.local)
            result.messages.push_back({transfer.receiver, transfer.receiver, sizes_.bytes(transfer.blocks)});
        return result;
    }

    std::vector<Transfers> repair() const override {
        std::vector<Transfers> steps;
        for (auto const& step : plan_.steps) steps.push_back(messages_of(step.copies, sizes_));
        return steps;
    }

    void repaired() override {
        for (auto const& step : plan_.steps) {
            for (auto const& copy : step.copies) {
                directory_.add(copy.blocks, copy.receiver);
                held_[value(copy.receiver)] += sizes_.bytes(copy.blocks);
            }
            for (auto const& drop : step.drops) {
                directory_.remove(drop.blocks, drop.holder);
                held_[value(drop.holder)] -= sizes_.bytes(drop.blocks);
            }
        }
        plan_ = {};
    }

    void visit_holders(BlockRange blocks,
                       std::function<void(BlockRange, std::span<PeId const>)> const& visit) const override {
        directory_.visit(blocks, [&](placement::Run const& run) { visit(run.blocks, run.holders); });
    }

    std::uint64_t most_held() const override {
        // Blocks have one size.
        auto const held = directory_.num_held(members_);
        auto const most = held.empty() ? 0 : *std::max_element(held.begin(), held.end());
        return sizes_.num_blocks() == 0 ? 0 : most * sizes_.bytes(BlockId{0});
    }

    void visit_submit(CsrView<BlockRange> mine, std::span<std::uint32_t const> which,
                      std::function<void(Message const&)> const& visit) const override {
        std::vector<placement::Slot> slots;
        std::vector<std::pair<std::uint32_t, std::uint64_t>> sent;
        for (auto const i : which) {
            sent.clear();
            for (auto rest : mine[i]) {
                while (!rest.empty()) {
                    auto const run = intersect(placement_.run(rest.first), rest);
                    placement_.holders(run.first, slots);
                    for (auto const slot : slots) {
                        if (value(slot) != i) sent.emplace_back(value(slot), sizes_.bytes(run));
                    }
                    rest.first = run.last;
                }
            }
            std::sort(sent.begin(), sent.end());
            for (std::size_t k = 0; k < sent.size();) {
                Message message{submitters_[i], submitters_[sent[k].first], 0};
                for (; k < sent.size() && submitters_[sent[k].first] == message.to; ++k)
                    message.bytes += sent[k].second;
                visit(message);
            }
        }
    }

    std::uint64_t most_encoded() const override { return 0; }

private:
    /// The bytes that each member holds. The placement is asked once; afterwards only repairs change them.
    std::vector<std::uint64_t> held_by_members() {
        if (held_.empty()) {
            held_.resize(std::size_t{value(submitters_.back())} + 1, 0);
            auto const blocks = directory_.num_held(members_);
            for (std::size_t i = 0; i < members_.size(); ++i)
                held_[value(members_[i])] = blocks[i] == 0 ? 0 : blocks[i] * sizes_.bytes(BlockId{0});
        }
        std::vector<std::uint64_t> held;
        held.reserve(members_.size());
        for (auto const pe : members_) held.push_back(held_[value(pe)]);
        return held;
    }

    placement::Any placement_;
    std::vector<PeId> submitters_;
    std::vector<PeId> members_;
    BlockSizes sizes_;
    placement::Directory directory_;
    std::vector<std::uint64_t> held_;  // bytes, by PeId; empty until a repair is planned
    repair::Plan plan_;
};

class Pieces final : public Kept {
public:
    Pieces(erasure::Code const& code, Csr<BlockRange> mine, std::vector<PeId> members, BlockSizes const& sizes,
           std::span<std::uint32_t const> domains)
        : domains_(domains) {
        auto const nodes = domains_of(members);
        auto const places = static_cast<std::uint32_t>(members.size());
        holdings_ = {erasure::Layout(code.fitted(places), sizes, std::move(mine), erasure::ring_order(nodes)),
                     std::move(members)};
    }

    bool retain(std::span<PeId const> members, Mending mending) override {
        holdings_.retain(members);
        plan_ = {};
        auto const& code = holdings_.layout().code();
        for (auto const stripe : holdings_.changed_stripes()) {
            if (holdings_.available(stripe) < code.data() && lacks_data(stripe)) return false;
        }
        if (mending == Mending::wanted)
            plan_ = erasure::plan_repair(holdings_, domains_of(holdings_.members()), window());
        return true;
    }

    Transfers load(CsrView<BlockRange> wanted) const override {
        Csr<BlockRange> rows;  // by member
        for (auto const pe : holdings_.members()) rows.push_row(wanted[value(pe)]);
        auto const plan = erasure::plan_reads(holdings_, rows, window());
        auto result = transfers_of(plan.rebuilt);
        for (auto const& copy : plan.copies) result.messages.push_back({copy.sender, copy.receiver, copy.bytes.size()});
        return result;
    }

    std::vector<Transfers> repair() const override {
        std::vector<Transfers> steps;
        if (!plan_.moves.empty()) steps.push_back(transfers_of(plan_.rebuilt));
        return steps;
    }

    void repaired() override {
        for (auto const& piece : plan_.given_up) holdings_.give_up(piece);
        for (auto const& move : plan_.moves) holdings_.move(move.piece, move.holder);
        plan_ = {};
    }

    void visit_holders(BlockRange blocks,
                       std::function<void(BlockRange, std::span<PeId const>)> const& visit) const override {
        holdings_.layout().visit(blocks, [&](erasure::Part const& part) {
            auto const holder = part.piece ? holdings_.holder(*part.piece) : std::nullopt;
            visit(part.blocks, holder ? std::span<PeId const>(&*holder, 1) : std::span<PeId const>());
        });
    }

    std::uint64_t most_held() const override {
        auto const held = holdings_.bytes_held();
        return held.empty() ? 0 : *std::max_element(held.begin(), held.end());
    }

    /// Follows the store: the first holder of parity of a stripe gets the data and sends the other parities.
    void visit_submit(CsrView<BlockRange>, std::span<std::uint32_t const> which,
                      std::function<void(Message const&)> const& visit) const override {
        auto const& layout = holdings_.layout();
        auto const& code = layout.code();
        if (code.parity() == 0) return;
        auto const pes = holdings_.submitters();
        for (auto const stripe : which) {
            auto const encoder = pes[layout.slot({stripe, code.data()})];
            for (std::uint32_t i = 0; i < code.pieces(); ++i) {
                if (i == code.data()) continue;
                erasure::Piece const piece{stripe, i};
                auto const other = pes[layout.slot(piece)];
                auto const bytes = layout.bytes(piece);
                if (bytes == 0 || other == encoder) continue;
                visit(i < code.data() ? Message{other, encoder, bytes} : Message{encoder, other, bytes});
            }
        }
    }

    std::uint64_t most_encoded() const override {
        auto const& layout = holdings_.layout();
        auto const& code = layout.code();
        std::uint64_t most = 0;
        for (std::uint32_t stripe = 0; stripe < layout.num_slots() && code.parity() > 0; ++stripe)
            most = std::max(most, layout.bytes({stripe, code.data()}));
        return most * code.data() * code.parity();
    }

private:
    /// Bytes of a part that is rebuilt at a time, as in the store.
    std::uint64_t window() const { return (std::uint64_t{16} << 20) / holdings_.layout().code().pieces(); }
    std::vector<std::uint32_t> domains_of(std::span<PeId const> members) const {
        std::vector<std::uint32_t> domains;
        for (auto const pe : members) domains.push_back(domains_[value(pe)]);
        return domains;
    }

    /// Whether a piece of data of the stripe is gone, and it is not empty.
    bool lacks_data(std::uint32_t stripe) const {
        for (std::uint32_t i = 0; i < holdings_.layout().code().data(); ++i) {
            erasure::Piece const piece{stripe, i};
            if (!holdings_.holder(piece) && holdings_.bytes(piece) > 0) return true;
        }
        return false;
    }

    static Transfers transfers_of(erasure::Rebuilds const& rebuilt) {
        Transfers result;
        std::map<PeId, std::uint64_t> computed;
        for (std::size_t i = 0; i < rebuilt.rebuilds.size(); ++i) {
            auto const& rebuild = rebuilt.rebuilds[i];
            for (auto const& source : rebuilt.sources[i]) {
                if (source.holder) result.messages.push_back({*source.holder, rebuild.receiver, source.bytes});
                auto& sum = computed[rebuild.receiver] += source.bytes;
                result.most_computed = std::max(result.most_computed, sum);
            }
            for (auto const& forward : rebuilt.forwards[i])
                result.messages.push_back({rebuild.receiver, forward.receiver, rebuild.bytes.size()});
        }
        return result;
    }

    std::span<std::uint32_t const> domains_;
    erasure::Holdings holdings_;
    erasure::Repair plan_;
};

}  // namespace

std::unique_ptr<Kept> keep_copies(placement::Any const& placement, std::vector<PeId> members, BlockSizes const& sizes) {
    return std::make_unique<Copies>(placement, std::move(members), sizes);
}

std::unique_ptr<Kept> keep_pieces(erasure::Code const& code, Csr<BlockRange> mine, std::vector<PeId> members,
                                  BlockSizes const& sizes, std::span<std::uint32_t const> domains) {
    return std::make_unique<Pieces>(code, std::move(mine), std::move(members), sizes, domains);
}

}  // namespace regraft::plan::simulated
