// Two jobs at a time keep stores in the same folder: they never mix, and none removes what is the other's.
#include <mpi.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "support/store/stores_on_disk.hpp"

namespace regraft::store {
namespace {

namespace fs = std::filesystem;
using test::Content;

/// The ranks of even numbers are one job, those of odd numbers another one.
class TwoJobs {
public:
    explicit TwoJobs(ft::Communicator& all) : number_(all.position(all.self()) % 2) {
        MPI_Comm_split(all.native(), static_cast<int>(number_), 0, &part_);
        job_.emplace(part_);
    }
    TwoJobs(TwoJobs const&) = delete;
    TwoJobs& operator=(TwoJobs const&) = delete;
    ~TwoJobs() {
        job_.reset();
        MPI_Comm_free(&part_);
    }
    std::size_t number() const { return number_; }
    ft::Communicator& job() { return *job_; }

private:
    std::size_t number_;
    MPI_Comm part_ = MPI_COMM_NULL;
    std::optional<ft::Communicator> job_;
};

fs::path shared_folder(std::string const& name) {
    auto path = test::job_folder(name);
    fs::create_directories(path);
    return path;
}

void submit(test::Replicated& store, ft::Communicator const& comm, Content const& content) {
    store.submit({content, test::part_of(content.num_blocks(), comm.position(comm.self()), comm.size())}, content);
}

/// Submits, reopens and discards at random, and finds what it has submitted and nothing else.
void work(ft::Communicator& comm, Keep const& keep, std::uint64_t seed) {
    Random random(seed);
    std::optional<Content> kept;
    for (int start = 0; start < 12; ++start) {
        SCOPED_TRACE(start);
        test::Replicated store(comm, {.keep = keep});
        auto const report = store.store().reopen();
        ASSERT_EQ(report.has_value(), kept.has_value());
        if (kept) {
            ASSERT_EQ(test::wrong_in(store.store(), *kept), "");
        }
        for (auto left = random.below(4); left > 0; --left) {
            kept.emplace(random.below(1000), 1 + random.below(60), Content::Sizes::variable, 3000);
            submit(store, comm, *kept);
        }
        if (random.below(3) != 0) continue;
        store.store().discard();
        kept.reset();
    }
    test::Replicated store(comm, {.keep = keep});
    ASSERT_EQ(store.store().reopen().has_value(), kept.has_value());
    if (kept) {
        EXPECT_EQ(test::wrong_in(store.store(), *kept), "");
    }
    store.store().discard();
}

TEST(KeptStore, OfOneJobIsNotThatOfAnother) {
    ft::Communicator all(MPI_COMM_WORLD);
    // Names of jobs and stores that are made into names of files, and must not become the same.
    struct Name {
        std::string job, store;
    };
    Name const names[][2] = {{{"one", "store"}, {"two", "store"}},
                             {{"one", "store"}, {"one", "stores"}},
                             {{"a/b", "store"}, {"a%2Fb", "store"}},
                             {{"a", "b/c"}, {"a/b", "c"}}};
    std::uint64_t seed = 1;
    for (auto const& pair : names) {
        SCOPED_TRACE(seed);
        auto const folder = shared_folder("apart-" + std::to_string(seed));
        {
            TwoJobs jobs(all);
            auto const& [job, store] = pair[jobs.number()];
            work(jobs.job(), {folder, job, store}, 2 * seed + jobs.number());
        }
        all.agree();
        EXPECT_TRUE(fs::is_empty(folder)) << "both have discarded theirs";
        ++seed;
    }
}

TEST(KeptStore, IsNotOpenedWhileAnotherJobOfItsNameUsesIt) {
    ft::Communicator all(MPI_COMM_WORLD);
    TwoJobs jobs(all);
    Options const options{.keep = Keep{shared_folder("same"), "job", "store"}};
    Content const first(1, 40, Content::Sizes::fixed, 100), second(2, 50, Content::Sizes::fixed, 100);
    bool const is_first = jobs.number() == 0;
    std::optional<test::Replicated> store;
    if (is_first) {
        store.emplace(jobs.job(), options);
        submit(*store, jobs.job(), first);
    }
    all.agree();
    if (is_first) {
        submit(*store, jobs.job(), second);
        // The other job gives up after 20 s. Ranks that wait for it in MPI would spin.
        std::this_thread::sleep_for(std::chrono::seconds(19));
    } else {
        test::Replicated same(jobs.job(), options);
        EXPECT_THROW(static_cast<void>(same.store().reopen()), DiskError);
    }
    all.agree();
    if (is_first) {
        EXPECT_EQ(test::wrong_in(store->store(), second), "");
    }
    store.reset();
    all.agree();
    if (!is_first) {
        store.emplace(jobs.job(), options);
        ASSERT_TRUE(store->store().reopen().has_value());
        EXPECT_EQ(test::wrong_in(store->store(), second), "") << "what the other job has kept";
        store->store().discard();
    }
    all.agree();
}

TEST(KeptStore, BeginsAnewIfTheJobBeforeDiscardsItMeanwhile) {
    ft::Communicator all(MPI_COMM_WORLD);
    TwoJobs jobs(all);
    Options const options{.keep = Keep{shared_folder("anew"), "job", "store"}};
    Content const content(1, 40, Content::Sizes::fixed, 100);
    bool const is_first = jobs.number() == 0;
    std::optional<test::Replicated> store(std::in_place, jobs.job(), options);
    if (is_first) submit(*store, jobs.job(), content);
    all.agree();
    if (is_first) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the other job waits for the lock by then
        store->store().discard();
    } else {
        EXPECT_FALSE(store->store().reopen().has_value());
        submit(*store, jobs.job(), content);
        store.reset();
        jobs.job().agree();
        store.emplace(jobs.job(), options);
        ASSERT_TRUE(store->store().reopen().has_value());
        EXPECT_EQ(test::wrong_in(store->store(), content), "");
        store->store().discard();
    }
    all.agree();
}

}  // namespace
}  // namespace regraft::store
