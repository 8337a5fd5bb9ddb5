// A seeded script of submits, saves, opens and loads during which ranks die: by the failure plan, or at unplanned
// moments. What is opened must be what was saved last, or what an interrupted save was about to save, and what was
// saved is never lost to a load. campaign.py draws the settings.
#include <mpi.h>

#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/campaign.hpp"
#include "support/store/store_requests.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft {
namespace {

using test::CampaignSettings;
using test::Content;
using test::Submission;

bool says(CampaignSettings const& settings, std::string const& name, std::string const& value) {
    return settings.word(name, "") == value;
}

template <class Options>
Options options_of(CampaignSettings const& settings) {
    using namespace store;
    Options options;
    if (says(settings, "transport", "rounds")) options.transport = Transport::rounds;
    if (says(settings, "own", "referenced")) options.own_copy = OwnCopy::referenced;
    if (says(settings, "integrity", "checked")) options.integrity = Integrity::checked;
    return options;
}

template <class Stored>
class Campaign {
public:
    template <class... Kind>
    Campaign(ft::Communicator& comm, CampaignSettings settings, Kind... kind)
        : comm_(comm),
          settings_(std::move(settings)),
          archive_(test::job_folder("archive")),
          stored_(comm, options_of<typename Stored::Options>(settings_), kind...) {}

    void run() {
        test::die_some_time(settings_, comm_.self());
        auto const survivors = comm_.size() - settings_.number("victims", 0);
        auto const steps = settings_.number("steps", 12);
        ft::resilient(
            comm_,
            [&] {
                while (next_ < steps || comm_.size() > survivors) step();
                open();
            },
            [&](ft::Failure const& failure) { recover(failure); });
        if (comm_.leads()) test::print_points_reached();
    }

private:
    void step() {
        if (next_ > most_steps) require("somebody who was to die lives");
        Random random(mix(settings_.number("seed", 0)) + next_);
        auto const drawn = random.below(5);
        if (store().version() == 0 || drawn == 0) {
            submit(random);
        } else if (drawn == 1 && saved_ != 0) {
            open();
        } else if (drawn == 2 && saved_ != 0) {
            load();
        } else {
            save(random);
        }
        ++next_;
        require_same_step();
    }

    void submit(Random& random) {
        doing_ = "submit";
        auto const sizes = says(settings_, "sizes", "fixed") ? Content::Sizes::fixed : Content::Sizes::variable;
        auto const most = settings_.number("blocks", 100);
        Content const content(random.bits(), random.below(5) == 0 ? random.below(comm_.size() + 1) : most, sizes,
                              settings_.number("bytes", 32));
        auto const parts = test::random_parts(content.num_blocks(), comm_.size(), random);
        pending_ = std::make_unique<Submission>(content, parts[comm_.position(comm_.self())]);
        // Expects other bytes than were submitted, for the test that the campaign notices.
        coming_ = settings_.number("wrong", 0) == 0 ? content : content.with_other_bytes();
        stored_.submit(*pending_, content);
        settle();
    }

    /// The number of the version tells whether one has come, by submit or open.
    void settle() {
        if (store().version() == version_) return;
        version_ = store().version();
        content_ = coming_;
        kept_ = std::move(pending_);
    }

    void save(Random& random) {
        doing_ = "save";
        auto const number = ++attempts_;
        tried_[number] = content_;
        auto const files = static_cast<std::uint32_t>(random.below(comm_.size() + 2));
        try {
            auto const report = store().save(archive_, {.files = files, .attributes = test::as_bytes(number)});
            require(report.bytes == content_.bytes(content_.everything()) ? "" : "saves another number of bytes");
        } catch (store::DataLost const&) {
            if (!store().reread()) open();  // what is on disk, if anything is
            return;
        }
        saved_ = number;
        tried_.erase(tried_.begin(), tried_.find(saved_));
    }

    void open() {
        doing_ = "open";
        pending_.reset();
        if (saved_ == 0) return;
        auto const before = store().version();
        opening_ = true;  // after a failure it is not known which of them came, if one did
        auto const report = stored_.open(archive_);
        opening_ = false;
        auto const number = test::as_number(report.attributes);
        require(report.refused.empty() ? "" : "refuses " + report.refused.front());
        auto const found = tried_.find(number);
        require(found == tried_.end() ? "opens what is too old" : "");
        require(store().version() == before + 1 ? "" : "no new version");
        version_ = store().version();
        content_ = found->second;
        kept_.reset();
        check();
    }

    void load() {
        doing_ = "load";
        if (!store().reread()) return;
        check();
    }

    /// Loads everything, from disk if need be.
    void check() {
        auto const wrong = test::wrong_in(store(), content_, {.reread = store().reread()});
        require(wrong.empty() ? "" : "a wrong byte: " + wrong);
    }

    void recover(ft::Failure const& failure) {
        if (comm_.leads()) {
            std::printf("campaign: recovering from %zu deaths in %s by %s\n", failure.lost.size(), doing_.c_str(),
                        failure.noticed_in.c_str());
            std::fflush(stdout);
        }
        auto const during = doing_;
        if (opening_) {
            open();
        } else {
            settle();
            if (store().reread()) check();
        }
        require_same_step();
        doing_ = during;
    }

    void require_same_step() {
        auto const same = comm_.agree_equal(next_ * 131 + store().version());
        require(same ? "" : "survivors are at different steps");
    }

    /// Ends the job if something is wrong.
    void require(std::string const& wrong) const {
        if (wrong.empty()) return;
        auto const text = "step " + std::to_string(next_) + ", " + doing_ + ": " + wrong;
        std::fprintf(stderr, "campaign: rank %u: %s\n", value(comm_.self()), text.c_str());
        throw std::runtime_error(text);
    }

    auto& store() { return stored_.store(); }

    static constexpr std::uint64_t most_steps = 200'000;  // deaths by the clock come when they come

    ft::Communicator& comm_;
    CampaignSettings settings_;
    std::filesystem::path archive_;
    std::unique_ptr<Submission> kept_, pending_;  // of the version in the store, and of the one that may come
    Stored stored_;
    Content content_, coming_;  // the same
    std::uint64_t version_ = 0;
    bool opening_ = false;
    std::uint64_t saved_ = 0, attempts_ = 0;  // the last save that was complete, and the last one
    std::map<std::uint64_t, Content> tried_;  // from the last complete one on
    std::uint64_t next_ = 0;                  // step
    std::string doing_ = "start";
};

TEST(DiskCampaign, OpensWhatWasSavedWhoeverDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    CampaignSettings const settings;
    if (says(settings, "placement", "none")) {
        Campaign<test::Coded>(comm, settings).run();
    } else {
        Campaign<test::Replicated>(comm, settings, says(settings, "placement", "permuted")).run();
    }
}

}  // namespace
}  // namespace regraft
