#include "shield/session/report.hpp"
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "ft/backend.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/disk/new_file.hpp"
#include "shield/lanes/fail_points.hpp"
#include "shield/session/session.hpp"

namespace regraft::shield {
namespace {

using Json = nlohmann::ordered_json;

/// What MPI_DOUBLE_INT and MPI_MINLOC mean.
struct First {
    double when;
    int rank;
};

/// What all living ranks have to say.
struct Records {
    int ranks = 0;               // that have told
    std::vector<Counts> counts;  // by family
    std::vector<First> first;    // by rank in MPI_COMM_WORLD: which rank noticed its death first
    std::vector<int> where;      // in which call
};

Records own(Session const& it) {
    Records records{1, {}, {}, {}};
    for (auto const& family : families()) records.counts.push_back(family.counts);
    for (auto const& notice : it.notices) {
        records.first.push_back({notice.when, static_cast<int>(value(it.shield->self()))});
        records.where.push_back(notice.family);
    }
    return records;
}

/// Whether the records of all ranks have come together. If a rank dies now, they have not, and no rank waits for
/// others. Collective.
bool add_up(Records& records, Session const& it) {
    auto const comm = it.shield->survivors().control();
    auto const self = static_cast<int>(value(it.shield->self()));
    auto const words = static_cast<int>(records.counts.size() * counters.size());
    auto const size = static_cast<int>(records.first.size());
    auto const add = [&](void* data, int count, MPI_Datatype type, MPI_Op op) {
        bool const ok = PMPI_Allreduce(MPI_IN_PLACE, data, count, type, op, comm) == MPI_SUCCESS;
        if (!ok) ft::backend::revoke(comm);
        return ok;
    };
    if (!add(records.counts.data(), words, MPI_UINT64_T, MPI_SUM) || !add(&records.ranks, 1, MPI_INT, MPI_SUM) ||
        !add(records.first.data(), size, MPI_DOUBLE_INT, MPI_MINLOC))
        return false;
    for (std::size_t i = 0; i < records.where.size(); ++i)
        if (records.first[i].rank != self) records.where[i] = 0;
    return add(records.where.data(), size, MPI_INT, MPI_SUM);
}

/// The living ranks agree on which ranks live, and the sums are those of these ranks. Each attempt that fails has lost
/// a rank.
Records records_of_all(Session const& it) {
    for (std::size_t attempt = 0; attempt < it.notices.size(); ++attempt) {
        auto records = own(it);
        reach(call_points.add, it.shield->self());
        if (it.shield->survivors().confirm(add_up(records, it))) return records;
    }
    return own(it);
}

std::vector<int> the_dead(Session const& it) {
    auto const* const world = it.shield->lanes().find(MPI_COMM_WORLD);
    std::vector<int> dead;
    auto const living = it.shield->living();
    for (int rank = 0; rank < static_cast<int>(world->size()); ++rank) {
        bool const lives = std::binary_search(living.begin(), living.end(), PeId{static_cast<std::uint32_t>(rank)});
        if (!lives || ft::backend::is_dead(MPI_COMM_WORLD, rank)) dead.push_back(rank);
    }
    return dead;
}

Json deaths(Session const& it, Records const& records) {
    auto result = Json::array();
    for (auto const rank : the_dead(it)) {
        auto const i = static_cast<std::size_t>(rank);
        auto const& first = records.first[i];
        Json death{{"rank", rank}, {"repair", it.notices[i].repair}};
        if (first.when < Notice::never) {
            death["noticed_by"] = first.rank;
            death["noticed_in"] = families()[static_cast<std::size_t>(records.where[i])].name;
            death["noticed_after_s"] = first.when;
        }
        result.push_back(death);
    }
    return result;
}

/// The counters that are not 0.
Json to_json(Counts const& counts) {
    Json result = Json::object();
    for (auto const& counter : counters)
        if (counts.*counter.member != 0) result[counter.name] = counts.*counter.member;
    return result;
}

Json to_json(Session const& it, Records const& records) {
    auto const& statistics = it.shield->statistics();
    Json report;
    report["size"] = it.notices.size();
    report["dead"] = the_dead(it);
    report["rank"] = value(it.shield->self());
    report["ranks"] = records.ranks;
    report["repairs"] = statistics.repairs;
    report["rounds"] = statistics.rounds;
    report["repair_ms"] = statistics.repair_ms;
    Counts sum;
    for (auto const& counts : records.counts) sum += counts;
    for (auto const& counter : counters) report[counter.name] = sum.*counter.member;
    report["deaths"] = deaths(it, records);
    report["each_repair"] = Json::array();
    for (auto const& repair : it.shield->repairs()) {
        auto dead = Json::array();
        for (auto const pe : repair.dead) dead.push_back(value(pe));
        report["each_repair"].push_back(
            {{"after_s", repair.begin - it.begin}, {"ms", repair.ms}, {"rounds", repair.rounds}, {"dead", dead}});
    }
    report["families"] = Json::object();
    for (std::size_t i = 0; i < records.counts.size(); ++i)
        if (auto counts = to_json(records.counts[i]); !counts.empty()) report["families"][families()[i].name] = counts;
    return report;
}

void write(std::string const& path, std::string const& text) try {
    disk::remove_unfinished(path);  // of a rank that has died while it wrote
    disk::NewFile file(path);
    file.write(text + "\n");
    file.sync();
    file.appear();
} catch (OutputError const& error) {
    say("MPI_Finalize", std::string("cannot write the report ") + error.what());
}

}  // namespace

void report_aside(char const* call) {
    auto const& it = session();
    auto report = to_json(it, own(it));
    report["aside"] = call;
    if (!it.policy.report.empty()) write(it.policy.report, report.dump(2));
}

void report_all() {
    auto const& it = session();
    if (it.policy.report.empty()) return;
    auto const records = records_of_all(it);
    auto const act = [&] {
        reach(call_points.write, it.shield->self());
        write(it.policy.report, to_json(it, records).dump(2));
        reach(call_points.written, it.shield->self());
    };
    // A rank that has died meanwhile is to be in the report, too.
    for (std::size_t attempt = 0; attempt < it.notices.size(); ++attempt) {
        it.shield->survivors().let_one_act(act);
        if (it.shield->survivors().confirm(true)) return;
    }
}

}  // namespace regraft::shield
