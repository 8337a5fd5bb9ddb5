// A seeded script of submits, loads and repairs during which ranks die: by the failure plan, or at moments that nobody
// planned. After every step and every recovery all bytes, all losses and what survivors agree on are checked against a
// model. campaign.py draws the settings.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "regraft/ft/resilient.hpp"
#include "regraft/store/replicated_store.hpp"
#include "support/store_model.hpp"
#include "support/store_placements.hpp"
#include "support/store_requests.hpp"

namespace regraft {
namespace {

using test::Content;

/// From REGRAFT_CAMPAIGN: "name=value name=value ...".
class Settings {
public:
    Settings() {
        char const* const text = std::getenv("REGRAFT_CAMPAIGN");
        std::istringstream words(text == nullptr ? "" : text);
        for (std::string word; words >> word;) values_[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    }

    std::uint64_t number(std::string const& name, std::uint64_t otherwise) const {
        auto const found = values_.find(name);
        return found == values_.end() ? otherwise : std::stoull(found->second);
    }
    std::string word(std::string const& name, std::string const& otherwise) const {
        auto const found = values_.find(name);
        return found == values_.end() ? otherwise : found->second;
    }

private:
    std::map<std::string, std::string> values_;
};

store::Options options(Settings const& settings) {
    using namespace store;
    return {settings.word("transport", "collective") == "rounds" ? Transport::rounds : Transport::collective,
            settings.word("own", "copied") == "referenced" ? OwnCopy::referenced : OwnCopy::copied,
            settings.word("integrity", "unchecked") == "checked" ? Integrity::checked : Integrity::unchecked};
}

class Campaign {
public:
    Campaign(ft::Communicator& comm, Settings settings)
        : comm_(comm), settings_(std::move(settings)), store_(comm, options(settings_)) {}

    void run() {
        die_some_time();
        auto const survivors = comm_.size() - settings_.number("victims", 0);
        auto const steps = settings_.number("steps", 12);
        ft::resilient(
            comm_,
            [&] {
                while (next_ < steps || comm_.size() > survivors) step();
                load_everything();
                return true;
            },
            [&](ft::Failure const& failure) { recover(failure); });
        if (!comm_.leads()) return;
        for (auto const* point : ft::fail_points()) {
            auto const times = static_cast<unsigned long long>(point->occurrences());
            if (times > 0) std::printf("campaign: reached %s %llu\n", point->name().c_str(), times);
        }
    }

private:
    /// random=RANK:MICROSECONDS,...: a helper thread kills the rank while calls are under way.
    void die_some_time() const {
        std::istringstream deaths(settings_.word("random", ""));
        for (std::string death; std::getline(deaths, death, ',');) {
            if (std::stoul(death) != value(comm_.self())) continue;
            std::thread([delay = std::chrono::microseconds(std::stoull(death.substr(death.find(':') + 1)))] {
                std::this_thread::sleep_for(delay);
                kill(getpid(), SIGKILL);
            }).detach();
        }
    }

    void step() {
        if (next_ > most_steps) require("somebody who was to die lives");
        Random random(mix(settings_.number("seed", 0)) + next_);
        if (store_.version() == 0) {
            submit(random);
        } else {
            perform(random);
        }
        ++next_;
        require(comm_.agree_equal(next_ * 131 + store_.version()) ? "" : "survivors are at different steps");
    }

    void perform(Random& random) {
        bool const rounds = settings_.word("transport", "") == "rounds";
        switch (random.below(10)) {
        case 0:
            return submit(random);
        case 1:
        case 2:
            return settings_.word("repair", "never") == "never" ? load(random) : repair();
        case 3:
        case 4:
            return load_known(random);
        case 5:
        case 6:
            return rounds ? load_started(random) : load(random);
        default:
            return load(random);
        }
    }

    void submit(Random& random) {
        doing_ = "submit";
        auto const most = settings_.number("blocks", 100);
        std::vector<std::uint64_t> const counts{most, most, most, most / 2, comm_.size() - 1, 1, 0};
        auto const num_blocks = counts[random.below(next_ == 0 ? 2 : counts.size())];
        auto const sizes = settings_.word("sizes", "fixed") == "fixed" ? Content::Sizes::fixed : Content::Sizes::variable;
        content_ = Content(random.bits(), num_blocks, sizes, settings_.number("bytes", 32));
        auto const parts = test::random_parts(num_blocks, comm_.size(), random);
        submission_ = std::make_unique<test::Submission>(content_, parts[comm_.position(comm_.self())]);
        members_.assign(comm_.members().begin(), comm_.members().end());
        auto const replicas = std::min(settings_.number("replicas", 2), std::uint64_t{comm_.size()});
        placement_ = test::make_placement(settings_.word("placement", "mod_k"), num_blocks, members_,
                                          static_cast<std::uint32_t>(replicas),
                                          static_cast<std::uint32_t>(settings_.number("per_node", 1)), random.bits());
        submission_->to(store_, *placement_, content_);
        finish_submit();
    }

    /// If the version changed, the submit was carried out, even if it ended in a failure.
    void finish_submit() {
        if (submission_ == nullptr || store_.version() == version_) return;
        version_ = store_.version();
        model_.submitted(*placement_, members_, settings_.number("wrong", 0) == 0 ? content_ : wrong(content_));
        kept_ = std::move(submission_);
    }

    /// Content that nobody submitted, to see that the campaign notices.
    static Content wrong(Content const& content) {
        return {99, content.num_blocks(), content.sizes(), content.block_bytes()};
    }

    void load(Random& random) {
        doing_ = "load";
        auto const rows = test::random_requests(store_.num_blocks(), comm_.size(), random);
        auto const mine = rows[comm_.position(comm_.self())];
        std::vector<std::byte> out(model_.bytes_of(mine), test::StoreModel::untouched);
        check(store_.load(mine, out), rows, out);
    }

    void load_known(Random& random) {
        doing_ = "load-known";
        auto const rows = test::random_requests(store_.num_blocks(), comm_.size(), random);
        std::vector<std::byte> out(model_.bytes_of(rows[comm_.position(comm_.self())]), test::StoreModel::untouched);
        check(store_.load(CsrView<BlockRange>(rows), out), rows, out);
    }

    void load_started(Random& random) {
        doing_ = "load-started";
        auto const rows = test::random_requests(store_.num_blocks(), comm_.size(), random);
        std::vector<std::byte> out(model_.bytes_of(rows[comm_.position(comm_.self())]), test::StoreModel::untouched);
        auto loading = store_.start_load(CsrView<BlockRange>(rows), out);
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(500)));
        check(loading.wait(), rows, out);
    }

    void load_everything() {
        Csr<BlockRange> rows;
        for (std::size_t i = 0; i < comm_.size(); ++i) {
            auto const everything = model_.content().everything();
            rows.push_row(std::span(&everything, 1));
        }
        std::vector<std::byte> out(model_.bytes_of(rows[0]), test::StoreModel::untouched);
        check(store_.load(rows[0], out), rows, out);
    }

    void check(store::LoadReport const& report, Csr<BlockRange> const& rows, std::span<std::byte const> out) {
        require(model_.check(report, rows[comm_.position(comm_.self())], rows.values, out));
        require(comm_.agree_equal(test::hash_of_uniform(report)) ? "" : "survivors got different reports");
    }

    void repair() {
        doing_ = "repair";
        try {
            auto const plan = store_.repair();
            require(model_.apply(plan, comm_.members()));
        } catch (ft::ProcessFailure const&) {
            // A simulated death is noticed at the victim's point, also if that comes after the repair is settled.
            if (!ft::survives_real_deaths()) model_.repaired_perhaps();
            throw;
        }
        check_memory();
    }

    void recover(ft::Failure const& failure) {
        finish_submit();
        model_.retain(comm_.members());
        if (comm_.leads()) {
            std::printf("campaign: recovering from %zu deaths in %s by %s\n", failure.lost.size(), doing_.c_str(),
                        failure.noticed_in.c_str());
            std::fflush(stdout);
        }
        require(comm_.agree_equal(next_ * 131 + store_.version()) ? "" : "survivors are at different steps");
        if (store_.version() == 0) return;
        auto const during = doing_;
        check_memory();
        if (settings_.word("repair", "never") == "always") repair();
        load_everything();
        doing_ = during;
    }

    void check_memory() {
        if (!model_.exact() || settings_.word("own", "copied") == "referenced") return;
        auto const right = model_.bytes_held(comm_.self());
        require(store_.bytes_held() == right ? "" : "keeps " + std::to_string(store_.bytes_held()) + " bytes, not " +
                                                        std::to_string(right));
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
    Settings settings_;
    std::unique_ptr<test::Submission> kept_;  // of the version that the store keeps; before the store, which refers to it
    store::ReplicatedStore store_;
    test::StoreModel model_;
    std::uint64_t next_ = 0;     // step
    std::uint64_t version_ = 0;  // that the model knows
    std::string doing_ = "start";
    // What is being submitted.
    Content content_;
    std::unique_ptr<test::Submission> submission_;
    std::vector<PeId> members_;
    std::optional<placement::Any> placement_;
};

TEST(StoreCampaign, KeepsToItsModelWhoeverDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Campaign(comm, Settings()).run();
}

}  // namespace
}  // namespace regraft
