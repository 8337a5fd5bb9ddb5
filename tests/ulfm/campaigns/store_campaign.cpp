// A seeded script of submits, loads and repairs during which ranks die: by the failure plan, or at unplanned moments.
// After every step and every recovery all bytes, all losses and what survivors agree on are checked against a model.
// campaign.py draws the settings.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/campaign.hpp"
#include "support/store/store_placements.hpp"
#include "support/store/store_requests.hpp"
#include "support/store/store_under_test.hpp"

namespace regraft {
namespace {

using test::CampaignSettings;
using test::Content;

store::Options options(CampaignSettings const& settings) {
    using namespace store;
    return {settings.word("transport", "collective") == "rounds" ? Transport::rounds : Transport::collective,
            settings.word("own", "copied") == "referenced" ? OwnCopy::referenced : OwnCopy::copied,
            settings.word("integrity", "unchecked") == "checked" ? Integrity::checked : Integrity::unchecked,
            settings.number("most_planned_runs", Options().most_planned_runs)};
}

class Campaign {
public:
    Campaign(ft::Communicator& comm, CampaignSettings settings) : comm_(comm), settings_(std::move(settings)) {
        while (stores_.size() < settings_.number("stores", 1)) stores_.emplace_back(comm, options(settings_));
    }

    void run() {
        test::die_some_time(settings_, comm_.self());
        auto const survivors = comm_.size() - settings_.number("victims", 0);
        auto const steps = settings_.number("steps", 12);
        ft::resilient(
            comm_,
            [&] {
                while (next_ < steps || comm_.size() > survivors) step();
                for (auto& store : stores_)
                    if (store.store().version() != 0) require(store.load_everything());
                return true;
            },
            [&](ft::Failure const& failure) { recover(failure); });
        if (comm_.leads()) test::print_points_reached();
    }

private:
    void step() {
        if (next_ > most_steps) require("somebody who was to die lives");
        Random random(mix(settings_.number("seed", 0)) + next_);
        chosen_ = stores_.size() > 1 ? random.below(stores_.size()) : 0;
        if (chosen().store().version() == 0) {
            submit(random);
        } else {
            perform(random);
        }
        ++next_;
        require_same_step();
    }

    void perform(Random& random) {
        bool const rounds = settings_.word("transport", "") == "rounds";
        bool const repairs = settings_.word("repair", "never") != "never";
        switch (random.below(7)) {
            case 0:
                return submit(random);
            case 1:
                return repairs ? repair() : load(random, test::Request::told);
            case 2:
                return load(random, test::Request::known);
            case 6:
                return checked_ ? scrub() : load(random, test::Request::known);
            case 3:
                return load(random, rounds ? test::Request::started : test::Request::told);
            default:
                return load(random, test::Request::told);
        }
    }

    void submit(Random& random) {
        doing_ = "submit";
        auto const most = settings_.number("blocks", 100);
        std::vector<std::uint64_t> const counts{most, most, most, most / 2, comm_.size() - 1, 1, 0};
        auto const num_blocks = counts[random.below(next_ == 0 ? 2 : counts.size())];
        auto const sizes =
            settings_.word("sizes", "fixed") == "fixed" ? Content::Sizes::fixed : Content::Sizes::variable;
        auto const bytes = settings_.number("bytes", 32);
        Content const content(random.bits(), num_blocks, sizes, bytes);
        // Expects other bytes than were submitted, for the test that the campaign notices.
        auto const expected = settings_.number("wrong", 0) == 0 ? content : content.with_other_bytes();
        auto const replicas = std::min(settings_.number("replicas", 2), std::uint64_t{comm_.size()});
        auto const placement = test::make_placement(
            settings_.word("placement", "mod_k"), num_blocks, comm_.members(), static_cast<std::uint32_t>(replicas),
            static_cast<std::uint32_t>(settings_.number("per_node", 1)), random.bits());
        chosen().submit(placement, content, test::random_parts(num_blocks, comm_.size(), random), expected);
    }

    void load(Random& random, test::Request request) {
        doing_ = request == test::Request::told    ? "load"
                 : request == test::Request::known ? "load-known"
                                                   : "load-started";
        using test::Loss;
        auto const loss = std::array{Loss::left, Loss::thrown, Loss::reread, Loss::reread_in_vain}[random.below(4)];
        auto const rows = test::random_requests(chosen().store().num_blocks(), comm_.size(), random);
        require(chosen().load(rows, request, loss));
    }

    void scrub() {
        doing_ = "scrub";
        require(chosen().scrub());
    }

    void repair() {
        doing_ = "repair";
        require(chosen().repair());
    }

    void recover(ft::Failure const& failure) {
        for (auto& store : stores_) store.settle();
        if (comm_.leads()) {
            std::printf("campaign: recovering from %zu deaths in %s by %s\n", failure.lost.size(), doing_.c_str(),
                        failure.noticed_in.c_str());
            std::fflush(stdout);
        }
        require_same_step();
        auto const during = doing_;
        for (chosen_ = 0; chosen_ < stores_.size(); ++chosen_)
            if (chosen().store().version() != 0) check_chosen();
        doing_ = during;
    }

    void check_chosen() {
        require(chosen().check_memory());
        if (settings_.word("repair", "never") == "always") repair();
        require(chosen().load_everything());
        if (settings_.number("lossless", 0) != 0) require_nothing_lost();
    }

    void require_same_step() {
        auto step = next_;
        for (auto& store : stores_) step = step * 131 + store.store().version();
        auto const same = comm_.agree_equal(step);
        require(same ? "" : "survivors are at different steps");
    }

    void require_nothing_lost() {
        auto const everything = chosen().model().content().everything();
        auto const lost = chosen().model().lost_of(std::span(&everything, 1));
        require(lost.empty() ? "" : "lost:" + test::to_string(lost));
    }

    /// Ends the job if something is wrong.
    void require(std::string const& wrong) const {
        if (wrong.empty()) return;
        auto const text = "step " + std::to_string(next_) + ", " + doing_ + ": " + wrong;
        std::fprintf(stderr, "campaign: rank %u: %s\n", value(comm_.self()), text.c_str());
        throw std::runtime_error(text);
    }

    static constexpr std::uint64_t most_steps = 200'000;  // deaths by the clock come when they come

    ft::Communicator& comm_;
    CampaignSettings settings_;
    test::StoreUnderTest& chosen() { return stores_[chosen_]; }

    std::deque<test::StoreUnderTest> stores_;
    std::size_t chosen_ = 0;  // the store of this step
    bool const checked_ = settings_.word("integrity", "") == "checked";
    std::uint64_t next_ = 0;  // step
    std::string doing_ = "start";
};

TEST(StoreCampaign, KeepsToItsModelWhoeverDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Campaign(comm, CampaignSettings()).run();
}

}  // namespace
}  // namespace regraft
