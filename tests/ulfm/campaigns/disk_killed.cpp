// A job that goes on from what the one before it has left on disk, and prints what it finds and saves. disk_killed.py
// runs it again and again, on other numbers of ranks, and has all ranks killed.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "support/campaign.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft {
namespace {

using test::Content;
using test::Submission;

Content content_of(std::uint64_t number) {
    return {number, 30 + number % 7, number % 2 == 0 ? Content::Sizes::fixed : Content::Sizes::variable, 20000};
}

TEST(Archive, IsNeverLeftWithoutWhatWasSaved) {
    test::CampaignSettings const settings;
    std::filesystem::path const archive = std::getenv("REGRAFT_ARCHIVE");
    ft::Communicator comm(MPI_COMM_WORLD);
    std::uint64_t number = 0;
    auto const say = [&](char const* what) {
        if (!comm.leads()) return;
        std::printf("%s %llu\n", what, static_cast<unsigned long long>(number));
        std::fflush(stdout);
    };
    test::die_some_time(settings, comm.self());
    auto const goes_on = settings.number("saves", 0) == 0;
    ft::resilient(
        comm,
        [&] {
            test::Replicated stored(comm, {});
            try {
                auto const report = stored.open(archive);
                EXPECT_TRUE(report.refused.empty());
                number = test::as_number(report.attributes);
                EXPECT_EQ(test::wrong_in(stored.store(), content_of(number)), "");
                say("opened");
            } catch (store::DiskError const&) {
                say("nothing after");
            }
            for (auto last = number + settings.number("saves", 0); goes_on || number < last;) {
                auto const content = content_of(number + 1);
                Submission const submission(
                    content, test::part_of(content.num_blocks(), comm.position(comm.self()), comm.size()));
                stored.submit(submission, content);
                auto const files = static_cast<std::uint32_t>(number % 4);
                static_cast<void>(
                    stored.store().save(archive, {.files = files, .attributes = test::as_bytes(number + 1)}));
                ++number;
                say("saved");
            }
        },
        [](ft::Failure const&) {});
}

}  // namespace
}  // namespace regraft
