// Generations on disk are complete or do not count, whichever ranks die in a save or an open.
#include <mpi.h>

#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/full_disk.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft::store {
namespace {

using test::Content;
using test::Submission;

/// The content of a version; each version looks different.
Content content_of(std::uint64_t number) {
    auto const sizes = number % 2 == 0 ? Content::Sizes::fixed : Content::Sizes::variable;
    return {number, 40 + 13 * number, sizes, 700};
}

/// Submits and saves one version after the other.
template <class Stored>
class Job {
public:
    Job(ft::Communicator& comm, std::string const& name, typename Stored::Options const& options)
        : comm_(comm), archive_(test::job_folder(name)), options_(options), stored_(comm, options) {}

    void run() {
        ft::resilient(
            comm_,
            [&] {
                while (saved_ < 4) {
                    submit(saved_ + 1);
                    if (saved_ == 2 && !disk_was_full_) {
                        save_to_full_disk(saved_ + 1);
                        expect_on_disk(saved_, saved_);
                    }
                    save(saved_ + 1);
                    ++saved_;
                    expect_on_disk(saved_, saved_);
                }
            },
            [&](ft::Failure const&) { expect_on_disk(saved_, saved_ + 1); });
    }

private:
    void submit(std::uint64_t number) {
        auto const content = content_of(number);
        auto const mine = test::part_of(content.num_blocks(), comm_.position(comm_.self()), comm_.size());
        auto submission = std::make_unique<Submission>(content, mine);
        std::swap(submitted_, submission);
        stored_.submit(*submitted_, content);
    }
    void save(std::uint64_t number) {
        auto const files = static_cast<std::uint32_t>(number % 3);
        auto const report = stored_.store().save(archive_, {.files = files, .attributes = test::as_bytes(number)});
        EXPECT_GE(report.generation, number);
    }
    /// One member cannot write. All are told, and go on.
    void save_to_full_disk(std::uint64_t number) {
        std::optional<test::ShortFiles> limit;
        if (comm_.self() == comm_.members().back()) limit.emplace(40);
        try {
            save(number);
            ADD_FAILURE() << "saved to a full disk";
        } catch (DiskError const& error) {
            EXPECT_NE(std::string(error.what()).find("cannot be written: File too large"), std::string::npos);
        }
        disk_was_full_ = true;
    }
    /// The newest generation is one of these versions, and complete.
    void expect_on_disk(std::uint64_t first, std::uint64_t last) {
        Stored opened(comm_, options_);
        try {
            auto const report = opened.open(archive_);
            auto const number = test::as_number(report.attributes);
            EXPECT_TRUE(report.refused.empty());
            EXPECT_GE(number, first);
            EXPECT_LE(number, last);
            EXPECT_EQ(test::wrong_in(opened.store(), content_of(number)), "");
        } catch (DiskError const& error) {
            EXPECT_EQ(first, 0u) << error.what();
        }
    }

    ft::Communicator& comm_;
    std::filesystem::path archive_;
    typename Stored::Options options_;
    std::unique_ptr<Submission> submitted_;
    Stored stored_;
    std::uint64_t saved_ = 0;  // all know that this version is on disk
    bool disk_was_full_ = false;
};

TEST(Generations, AreTheOldOneOrTheNewOneWhoeverDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Job<test::Replicated>(comm, "replicated", {.integrity = Integrity::checked}).run();
    Job<test::Coded>(comm, "coded", {}).run();
}

}  // namespace
}  // namespace regraft::store
