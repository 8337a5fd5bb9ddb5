// A seeded script of submits, loads, damage, scrubs and repairs of an erasure-coded store during which ranks die: by
// the failure plan, or at unplanned moments. After every step and every recovery all bytes, what is lost, and what
// survivors agree on are checked. campaign.py draws the settings.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/campaign.hpp"
#include "support/store/erasure_under_test.hpp"
#include "support/store/store_requests.hpp"

namespace regraft {
namespace {

using test::CampaignSettings;
using test::Content;
using test::Request;

bool says(CampaignSettings const& settings, std::string const& name, std::string const& word) {
    return settings.word(name, "") == word;
}

store::ErasureOptions options(CampaignSettings const& settings, PeId self) {
    using namespace store;
    ErasureOptions result;
    if (says(settings, "transport", "rounds")) result.transport = Transport::rounds;
    if (says(settings, "own", "referenced")) result.own_copy = OwnCopy::referenced;
    if (says(settings, "integrity", "checked")) result.integrity = Integrity::checked;
    auto const seed = settings.number("seed", 0);
    result.buffer_bytes = std::vector<std::uint64_t>{100, 4000, 1 << 20}[seed % 3];
    auto const per_node = static_cast<std::uint32_t>(settings.number("per_node", 1));
    if (per_node > 1) result.node = value(self) / per_node;
    return result;
}

class Campaign {
public:
    Campaign(ft::Communicator& comm, CampaignSettings settings)
        : comm_(comm), settings_(std::move(settings)), store_(comm, options(settings_, comm.self())) {}

    void run() {
        test::die_some_time(settings_, comm_.self());
        auto const survivors = comm_.size() - settings_.number("victims", 0);
        auto const steps = settings_.number("steps", 12);
        ft::resilient(
            comm_,
            [&] {
                while (next_ < steps || comm_.size() > survivors) step();
                require(store_.load_everything());
                return true;
            },
            [&](ft::Failure const& failure) { recover(failure); });
        if (comm_.leads()) test::print_points_reached();
    }

private:
    void step() {
        if (next_ > most_steps) require("somebody who was to die lives");
        Random random(mix(settings_.number("seed", 0)) + next_);
        if (store_.store().version() == 0) {
            submit(random);
        } else {
            perform(random);
        }
        ++next_;
        require_same_step();
    }

    void perform(Random& random) {
        bool const repairs = !says(settings_, "repair", "never");
        if (checked() && store_.num_blocks() > 0 && random.below(3) == 0 && store_.is_safe_to_damage()) {
            store_.damage(BlockId{random.below(store_.num_blocks())});
        }
        switch (random.below(7)) {
            case 0:
                return submit(random);
            case 1:
                return repairs ? repair() : load(random, Request::told);
            case 2:
                return repairs ? repair_without_room() : load(random, Request::told);
            case 3:
                return load(random, Request::known);
            case 4:
                return load(random, says(settings_, "transport", "rounds") ? Request::started : Request::told);
            default:
                return load(random, Request::told);
        }
    }

    void submit(Random& random) {
        doing_ = "submit";
        auto const most = settings_.number("blocks", 100);
        std::vector<std::uint64_t> const counts{most, most, most, most / 2, comm_.size() - 1, 1, 0};
        auto const num_blocks = counts[random.below(next_ == 0 ? 2 : counts.size())];
        auto const sizes = says(settings_, "sizes", "fixed") ? Content::Sizes::fixed : Content::Sizes::variable;
        Content const content(random.bits(), num_blocks, sizes, settings_.number("bytes", 32));
        // Expects other bytes than were submitted, for the test that the campaign notices.
        auto const expected = settings_.number("wrong", 0) == 0 ? content : content.with_other_bytes();
        erasure::Code const code(1 + static_cast<std::uint32_t>(random.below(5)),
                                 static_cast<std::uint32_t>(settings_.number("replicas", 2)));
        store_.submit(code, content, test::random_parts(num_blocks, comm_.size(), random), expected);
    }

    void load(Random& random, Request request) {
        doing_ = request == Request::told ? "load" : request == Request::known ? "load-known" : "load-started";
        require(store_.load(test::random_requests(store_.num_blocks(), comm_.size(), random), request));
    }

    void repair() {
        doing_ = checked() && next_ % 2 == 0 ? "scrub" : "repair";
        require(doing_ == "scrub" ? store_.scrub() : store_.repair());
    }

    void repair_without_room() {
        doing_ = "repair-without-room";
        require(store_.repair_without_room());
    }

    void recover(ft::Failure const& failure) {
        store_.settle();
        if (comm_.leads()) {
            std::printf("campaign: recovering from %zu deaths in %s by %s\n", failure.lost.size(), doing_.c_str(),
                        failure.noticed_in.c_str());
            std::fflush(stdout);
        }
        require_same_step();
        if (store_.store().version() == 0) return;
        auto const during = doing_;
        if (says(settings_, "repair", "always")) repair();
        require(store_.load_everything());
        doing_ = during;
    }

    bool checked() const { return says(settings_, "integrity", "checked"); }

    void require_same_step() {
        auto const same = comm_.agree_equal(next_ * 131 + store_.store().version());
        require(same ? "" : "survivors are at different steps");
    }

    /// Ends the job if something is wrong.
    void require(std::string const& wrong) const {
        if (wrong.empty()) return;
        auto const text = "step " + std::to_string(next_) + ", " + doing_ + ": " + wrong;
        std::fprintf(stderr, "campaign: rank %u: %s\n", value(comm_.self()), text.c_str());
        throw std::runtime_error(text);
    }

    static constexpr std::uint64_t most_steps = 5000;

    ft::Communicator& comm_;
    CampaignSettings settings_;
    test::ErasureUnderTest store_;
    std::uint64_t next_ = 0;  // step
    std::string doing_ = "start";
};

TEST(ErasureCampaign, KeepsItsWordWhoeverDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Campaign(comm, CampaignSettings()).run();
}

}  // namespace
}  // namespace regraft
