// A job that campaign.py draws: two snapshots, of copies and of an erasure code, of a program whose state is known at
// every moment, while ranks die at planned points and at any time.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/campaign.hpp"
#include "support/store/snapshot_job.hpp"

namespace regraft {
namespace {

using test::CampaignSettings;

test::SnapshotJobOptions options_of(CampaignSettings const& settings) {
    using checkpoint::RestoreOptions;
    using Form = checkpoint::SnapshotOptions::Form;
    auto const repair = settings.word("repair", "always");
    test::SnapshotJobOptions options;
    options.snapshot.transport =
        settings.word("transport", "collective") == "rounds" ? store::Transport::rounds : store::Transport::collective;
    options.snapshot.integrity =
        settings.word("integrity", "unchecked") == "checked" ? store::Integrity::checked : store::Integrity::unchecked;
    options.snapshot.form = settings.word("own", "copied") == "copied" ? Form::plain : Form::compressed;
    options.snapshot.pace.steps = settings.number("seed", 0) % 2;  // or by measured costs, which have to be told
    using Differential = checkpoint::SnapshotOptions::Differential;
    constexpr std::array kinds{Differential::never, Differential::always, Differential::automatic};
    options.snapshot.differential = kinds[settings.number("seed", 0) / 2 % kinds.size()];
    options.snapshot.chunk_bytes = 8 + settings.number("seed", 0) % 50;
    options.snapshot.generations = static_cast<std::uint32_t>(1 + settings.number("seed", 0) / 6 % 3);
    options.changes_little = options.snapshot.differential != Differential::never;
    options.redundancy = repair == "always"      ? RestoreOptions::Redundancy::repaired
                         : repair == "sometimes" ? RestoreOptions::Redundancy::committed
                                                 : RestoreOptions::Redundancy::left;
    options.seed = settings.number("seed", 0);
    options.most_entities = settings.number("blocks", 20) % 60 + 1;
    options.most_bytes =
        std::max<std::uint64_t>(40, settings.number("bytes", 200));  // if there were few, all might be empty
    // With one copy nothing is exchanged, so no rank dies where that is planned.
    options.copies = static_cast<std::uint32_t>(std::max<std::uint64_t>(2, settings.number("replicas", 2)));
    options.expects_wrong_bytes = settings.number("wrong", 0) != 0;
    return options;
}

test::SnapshotJobOptions copied(test::SnapshotJobOptions options) {
    options.snapshot.redundancy = checkpoint::pairwise(options.copies);
    return options;
}

test::SnapshotJobOptions coded(test::SnapshotJobOptions options) {
    options.snapshot.redundancy = erasure::Code(3, options.copies - 1);
    return options;
}

class Campaign {
public:
    Campaign(ft::Communicator& comm, CampaignSettings const& settings)
        : comm_(comm),
          settings_(settings),
          copied_(comm, copied(options_of(settings))),
          coded_(comm, coded(options_of(settings))) {}

    void run() {
        test::die_some_time(settings_, comm_.self());
        auto const survivors = comm_.size() - settings_.number("victims", 0);
        auto const steps = settings_.number("steps", 12);
        ft::resilient(
            comm_,
            [&] {
                while (copied_.moment() < steps || comm_.size() > survivors) step();
            },
            [&](ft::Failure const& failure) { recover(failure); });
        if (comm_.leads()) test::print_points_reached();
    }

private:
    static constexpr std::uint64_t most_steps = 200'000;  // deaths by the clock come when they come

    void step() {
        if (copied_.moment() > most_steps) throw std::runtime_error("somebody who was to die lives");
        doing_ = "copied";
        if (coded_.moment() >= copied_.moment()) copied_.step();
        doing_ = "coded";
        coded_.step();
    }

    void recover(ft::Failure const& failure) {
        if (comm_.leads()) {
            std::printf("campaign: recovering from %zu deaths in %s by %s\n", failure.lost.size(), doing_.c_str(),
                        failure.noticed_in.c_str());
            std::fflush(stdout);
        }
        copied_.recover();
        coded_.recover();
    }

    ft::Communicator& comm_;
    CampaignSettings const& settings_;
    test::SnapshotJob copied_, coded_;
    std::string doing_ = "start";
};

TEST(SnapshotCampaign, KeepsToItsModelWhoeverDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    CampaignSettings const settings;
    Campaign(comm, settings).run();
}

}  // namespace
}  // namespace regraft
