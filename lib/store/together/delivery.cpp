#include "store/together/delivery.hpp"

#include <optional>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "store/together/digest.hpp"
#include "store/together/gather.hpp"
#include "store/together/identity.hpp"
#include "store/together/lost.hpp"

namespace regraft::store {

void Resends::add() {
    constexpr int most = 3;
    if (++count_ > most) throw DamagedInTransit("blocks arrive damaged that are right where they come from");
}

Order gather_order(ft::Communicator& comm, std::uint64_t identity, std::span<BlockRange const> wanted,
                   std::span<std::byte> out, LoadOptions const& options) {
    auto const alike = Digest().add(options).value();
    return {gather_wanted(comm, wanted, identity, alike), out, options, alike};
}

Order known_order(CsrView<BlockRange> wanted, std::span<std::byte> out, LoadOptions const& options) {
    return {{{wanted.offsets.begin(), wanted.offsets.end()}, {wanted.values.begin(), wanted.values.end()}},
            out,
            options,
            Digest().add(wanted).add(options).value()};
}

struct Delivery::Started final : Loading::State {
    Started(std::unique_ptr<Delivery> started, LoadsUnderWay& all)
        : State(all, started->comm_.epoch()), delivery(std::move(started)) {
        delivery->prepare();
        delivery->comm_.reach(delivery->phase_.inside);
        pending.emplace(delivery->start_moving());
    }
    LoadReport wait() override {
        pending->wait();
        return delivery->finish();
    }
    void abandon() override { pending.reset(); }

    std::unique_ptr<Delivery> delivery;
    std::optional<exchange::Pending> pending;
};

Loading Delivery::start(std::unique_ptr<Delivery> delivery, LoadsUnderWay& all) {
    return Loading(std::make_unique<Started>(std::move(delivery), all));
}

LoadReport Delivery::load() {
    prepare();
    comm_.reach(phase_.inside);
    move();
    return finish();
}

void Delivery::repeat_until_clean() {
    while (!agree_alike(comm_, call_, is_intact(), order_.alike)) {
        if (!note_damage()) resends_.add();
        prepare();
        move();
    }
}

LoadReport Delivery::finish() {
    repeat_until_clean();
    auto report = settle();
    comm_.reach(phase_.after);
    make_up_for_lost(comm_, sizes(), {mine(), order_.out}, report.lost, std::move(spoilt_), order_.options);
    return report;
}

void Delivery::expect_fits(BlockSizes const& sizes) const {
    std::uint64_t wanted_bytes = 0;
    for (auto const& range : mine()) wanted_bytes += sizes.bytes(range);
    REGRAFT_EXPECTS(order_.out.size() == wanted_bytes);
}

}  // namespace regraft::store
