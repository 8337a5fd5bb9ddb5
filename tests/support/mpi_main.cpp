// gtest main for tests that are MPI jobs: every rank that lives to the end writes its verdict for run_mpi.py.
#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "regraft/ft/communicator.hpp"
#include "regraft/ft/failure_plan.hpp"
#include "support/of_file.hpp"

namespace {

/// Rank 0 prints as usual; the others only what fails. Each rank prints for itself, because rank 0 may die.
class FailurePrinter : public testing::EmptyTestEventListener {
public:
    explicit FailurePrinter(int rank) : rank_(rank) {}

private:
    void OnTestPartResult(testing::TestPartResult const& result) override {
        if (result.failed())
            std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, result.file_name() ? result.file_name() : "?",
                         result.line_number(), result.message());
    }

    int rank_;
};

void write_verdict(int rank, std::string const& verdict) {
    char const* directory = std::getenv("REGRAFT_VERDICTS");
    if (!directory) return;
    std::string const path = std::string(directory) + '/' + std::to_string(rank);
    std::ofstream(path + ".tmp") << verdict << '\n';
    std::rename((path + ".tmp").c_str(), path.c_str());  // the launcher must not read half a verdict
}

int run_tests(int rank) {
    // Lets exceptions out: those that fail a test end the job anyway, because the other ranks have lost their partner.
    GTEST_FLAG_SET(catch_exceptions, false);
    try {
        if (char const* plan = std::getenv("REGRAFT_FAIL"); plan && *plan)
            regraft::ft::set_failure_plan(regraft::ft::parse_failure_plan(plan));
        int const failed = RUN_ALL_TESTS();
        int const passed = testing::UnitTest::GetInstance()->successful_test_count();
        write_verdict(rank, failed ? "fail: an expectation" : "pass " + std::to_string(passed));
        return failed;
    } catch (regraft::ft::Departed const&) {
        return 0;  // a simulated death: as silent as a real one
    } catch (std::exception const& error) {
        std::fprintf(stderr, "rank %d: exception: %s\n", rank, error.what());
        write_verdict(rank, std::string("fail: exception: ") + error.what());
        return 1;
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // over TCP a survivor would die of it when its peer vanishes
    testing::InitGoogleTest(&argc, argv);
    regraft::test::choose_file(argc, argv);
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (rank != 0) {
        delete listeners.Release(listeners.default_result_printer());
        listeners.Append(new FailurePrinter(rank));
    }
    int const failed = run_tests(rank);
    MPI_Finalize();
    return failed;
}
