// Begin and end: MPI_Init, MPI_Finalize, settings, and the report.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "ft/backend.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/ft/failure_plan.hpp"
#include "shield/buffered.hpp"
#include "shield/session.hpp"

namespace regraft::shield {
namespace {

/// The value of REGRAFT_SHIELD_name, which is one of two; the first if it is not set.
bool is_first(char const* name, std::string_view first, std::string_view second) {
    auto const variable = std::string("REGRAFT_SHIELD_") + name;
    char const* const text = std::getenv(variable.c_str());
    if (text == nullptr || text == first) return true;
    if (text == second) return false;
    std::fprintf(stderr, "regraft-shield: %s=%s: expected %s or %s\n", variable.c_str(), text,
                 std::string(first).c_str(), std::string(second).c_str());
    std::exit(2);
}

Policy policy_of_environment() {
    Policy policy;
    policy.fills_holes = is_first("HOLES", "zero", "keep");
    policy.needs_root = is_first("ROOT_DEAD_FROM", "abort", "hole");
    policy.skips_dead_root = is_first("ROOT_DEAD_TO", "skip", "abort");
    policy.always_confirms = !is_first("COMMIT", "forward", "confirm");
    if (char const* const file = std::getenv("REGRAFT_SHIELD_REPORT")) policy.report = file;
    return policy;
}

/// Before MPI_Init: what the launcher sets, for those who do without it.
__attribute__((constructor)) void set_parameters() {
    static_cast<void>(setenv("OMPI_MCA_async_mpi_finalize", "1", 0));
    static_cast<void>(setenv("OMPI_MCA_coll", "^han,hcoll,portals4", 0));
    static_cast<void>(setenv("OMPI_MCA_coll_ftagree_era_topology", "3", 0));
}

/// Our part of a failure plan: the program may have points of its own.
std::string own_deaths(std::string_view plan) {
    std::istringstream items{std::string(plan)};
    std::string own;
    for (std::string item; std::getline(items, item, ',');)
        if (item.starts_with("shield:")) own += (own.empty() ? "" : ",") + item;
    return own;
}

void start() {
    auto& it = session();
    it.policy = policy_of_environment();
    it.shield = std::make_unique<Shield>(Options{.commit = {.always_confirm = it.policy.always_confirms}});
    char const* const deaths = std::getenv("REGRAFT_FAIL");
    auto const plan = own_deaths(deaths == nullptr ? "" : deaths);
    if (plan.empty()) return;
    try {
        ft::set_failure_plan(ft::parse_failure_plan(plan));
    } catch (InputError const& error) {
        refuse("REGRAFT_FAIL", error.what());
    }
}

void write_report(Session const& it) {
    auto const& shield = *it.shield;
    if (it.policy.report.empty()) return;
    auto const* const world = lane_of(MPI_COMM_WORLD);
    nlohmann::ordered_json report;
    report["size"] = world->size();
    report["dead"] = nlohmann::ordered_json::array();
    for (int rank = 0; rank < static_cast<int>(world->size()); ++rank)
        if (!world->lives(rank) || ft::backend::is_dead(MPI_COMM_WORLD, rank)) report["dead"].push_back(rank);
    auto const& statistics = shield.statistics();
    report["rank"] = value(shield.self());
    report["calls"] = it.counts.calls;
    report["repairs"] = statistics.repairs;
    report["rounds"] = statistics.rounds;
    report["repair_ms"] = statistics.repair_ms;
    report["forwarded"] = statistics.forwarded;
    report["collected"] = statistics.collected;
    report["committed"] = statistics.committed;
    report["repeated"] = statistics.discarded;
    report["skipped_roots"] = it.counts.skipped_roots;
    report["skipped_sends"] = it.counts.skipped_sends;
    report["skipped_receives"] = it.counts.skipped_receives;
    std::FILE* const file = std::fopen(it.policy.report.c_str(), "w");
    if (file == nullptr) refuse("MPI_Finalize", "cannot write the report " + it.policy.report);
    std::fprintf(file, "%s\n", report.dump(2).c_str());
    std::fclose(file);
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

int MPI_Init(int* argc, char*** argv) {
    int const code = PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS) start();
    return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    int const code =
        PMPI_Init_thread(argc, argv, required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED, provided);
    if (code == MPI_SUCCESS) start();
    return code;
}

int MPI_Finalize() {
    if (auto& it = session(); it.shield != nullptr) {
        finish_buffered_sends();
        if (it.shield->finish()) write_report(it);
        it.shield.reset();
    }
    return PMPI_Finalize();
}
}
