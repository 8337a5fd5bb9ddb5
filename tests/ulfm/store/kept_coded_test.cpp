// Erasure-coded stores are kept, repaired and reopened under the failure plan of the row: what is found is what was
// submitted last, or was being submitted. Only if several ranks died, blocks may be lost, and all members say so.
#include <mpi.h>

#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::store {
namespace {

using test::Content;

constexpr std::uint64_t last_number = 9;

Content content_of(std::uint64_t number) {
    return {number, 25 + number % 5, number % 2 == 0 ? Content::Sizes::fixed : Content::Sizes::variable, 900};
}

/// Submits some versions, gives the store up, and reopens it, again and again.
class Job {
public:
    Job(ft::Communicator& comm, std::string name, erasure::Code code, Integrity integrity, std::uint32_t ranks_on_node)
        : comm_(comm), code_(std::move(code)) {
        auto const folder = test::job_folder(name) / std::to_string(value(comm.self()) / ranks_on_node);
        std::filesystem::create_directories(folder);
        options_ = {.integrity = integrity, .buffer_bytes = 2000, .keep = Keep{folder, "job", std::move(name)}};
    }

    void run() {
        ft::resilient(
            comm_,
            [&] {
                if (!is_discarding_) work();
                is_discarding_ = true;
                store_->discard();
            },
            [&](ft::Failure const&) { recover(); });
        store_.reset();
        ft::resilient(
            comm_,
            [&] {
                ErasureStore next(comm_, options_);
                EXPECT_FALSE(next.reopen(code_).has_value()) << "it was discarded";
            },
            [](ft::Failure const&) {});
    }

private:
    enum class Doing { nothing, opening, submitting };

    void work() {
        while (number_ < last_number) {
            if (doing_ == Doing::submitting) go_on();
            if (!store_ || doing_ == Doing::opening) open();
            for (int i = 0; i < 3 && number_ < last_number; ++i) submit();
            give_up();
        }
        if (!store_ || doing_ == Doing::opening) open();
        EXPECT_EQ(number_, last_number);
    }

    void give_up() {
        store_.reset();
        doing_ = Doing::nothing;
        comm_.agree();
    }

    void open() {
        if (!store_) store_.emplace(comm_, options_);
        doing_ = Doing::opening;
        try {
            auto const report = store_->reopen(code_);
            doing_ = Doing::submitting;
            auto const number = report ? test::as_number(report->attributes) : 0;
            EXPECT_GE(number, number_) << "nothing older is kept";
            EXPECT_LE(number, begun_);
            number_ = begun_ = number;
            if (!report) return;
            EXPECT_EQ(report->repaired.deaths_survived, store_->code().parity());
            EXPECT_EQ(test::wrong_in(*store_, content_of(number_)), "");
        } catch (DataLost const& error) {
            EXPECT_FALSE(error.ranges().empty());
            EXPECT_GT(comm_.num_founders(), comm_.size() + code_.parity()) << error.what();
            store_.emplace(comm_, options_);
            number_ = begun_ = 0;
            doing_ = Doing::submitting;
        }
    }

    void submit() {
        begun_ = number_ + 1;
        auto const content = content_of(begun_);
        auto const part = test::part_of(content.num_blocks(), comm_.position(comm_.self()), comm_.size());
        auto const rows = content.rows(part);
        store_->set_attributes(test::as_bytes(begun_));
        store_->submit(code_, part, CsrView<std::byte>(rows));
        number_ = begun_;
    }

    /// A rank died beside a submit: the pieces that it had are made anew, and kept. Half of the times the next job
    /// finds them at once.
    void go_on() {
        if (store_->version() == 0) return;
        auto const report = store_->repair();
        if (!report.lost.empty()) {
            EXPECT_GT(comm_.num_founders(), comm_.size() + code_.parity());
        } else {
            auto const number = content_of(number_).num_blocks() == store_->num_blocks() ? number_ : begun_;
            EXPECT_EQ(test::wrong_in(*store_, content_of(number)), "");
        }
        if (comm_.size() % 2 == 0) give_up();
    }

    void recover() {
        if (is_discarding_ || doing_ == Doing::submitting) return;
        if (doing_ == Doing::nothing) store_.reset();
    }

    ft::Communicator& comm_;
    erasure::Code code_;
    ErasureOptions options_;
    std::optional<ErasureStore> store_;
    Doing doing_ = Doing::nothing;
    bool is_discarding_ = false;
    std::uint64_t number_ = 0;  // all know that this version is kept
    std::uint64_t begun_ = 0;   // this may be
};

TEST(KeptCodedStore, ComesBackWhoeverDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Job(comm, "single", {3, 1}, Integrity::unchecked, 1).run();
    Job(comm, "double", {2, 2}, Integrity::checked, 1).run();
    Job(comm, "pairs", {1, 2}, Integrity::checked, 2).run();
}

}  // namespace
}  // namespace regraft::store
