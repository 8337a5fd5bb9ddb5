// A job that goes on from what the one before it has kept on its nodes, and prints what it finds and submits.
// kept_killed.py runs it again and again, on other numbers of ranks, has all ranks killed, and takes nodes away.
#include <mpi.h>

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "regraft/ft/resilient.hpp"
#include "regraft/placement/permuted.hpp"
#include "support/campaign.hpp"
#include "support/store/stores_on_disk.hpp"

namespace regraft {
namespace {

using test::Content;
using test::Submission;

Content content_of(std::uint64_t number) {
    return {number, 30 + number % 7, number % 2 == 0 ? Content::Sizes::fixed : Content::Sizes::variable, 20000};
}

/// What the campaign says of a job.
struct Job {
    test::CampaignSettings const& settings;
    ft::Communicator& comm;
    test::Nodes const& nodes;
};

template <class Stored, class... Kind>
void work(Job const& job, typename Stored::Options const& options, Kind... kind) {
    auto& comm = job.comm;
    std::uint64_t number = 0;
    auto const say = [&](char const* what) { test::say(comm, job.nodes, what, number); };
    Stored stored(comm, options, kind...);
    bool lost = false;
    try {
        auto const report = stored.reopen();
        if (report) {
            number = test::as_number(report->attributes);
            EXPECT_EQ(test::wrong_in(stored.store(), content_of(number)), "");
        }
        say(report ? "opened" : "nothing after");
    } catch (store::DataLost const& error) {
        EXPECT_FALSE(error.ranges().empty());
        lost = true;
    }
    if (lost) say("lost after");
    auto const steps = job.settings.number("saves", 0);
    for (auto const last = number + steps; steps == 0 || number < last;) {
        auto const content = content_of(number + 1);
        stored.store().set_attributes(test::as_bytes(number + 1));
        stored.submit({content, test::part_of(content.num_blocks(), comm.position(comm.self()), comm.size())}, content);
        ++number;
        say("saved");
    }
}

TEST(KeptStore, IsWhereTheNextJobGoesOn) {
    test::CampaignSettings const settings;
    ft::Communicator comm(MPI_COMM_WORLD);
    test::Nodes const nodes{settings.number("nodes", 4), comm.size()};
    auto const node = nodes.of(comm.self());
    auto const folder = std::filesystem::path(std::getenv("REGRAFT_ARCHIVE")) / std::to_string(node);
    std::filesystem::create_directories(folder);
    auto const integrity = settings.number("checked", 0) != 0 ? store::Integrity::checked : store::Integrity::unchecked;
    store::Keep const keep{folder, "job", "store"};
    test::die_some_time(settings, comm.self());
    ft::resilient(
        comm,
        [&] {
            Job const job{settings, comm, nodes};
            if (settings.number("coded", 0) != 0) {
                work<test::Coded>(job, {.integrity = integrity, .node = node, .keep = keep});
            } else {
                work<test::Replicated>(job, {.integrity = integrity, .keep = keep}, comm.size() % 2 == 0);
            }
        },
        [](ft::Failure const&) {});
}

}  // namespace
}  // namespace regraft
