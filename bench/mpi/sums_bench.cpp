// Sums of doubles over ranks: the cost of bits that do not depend on the number of ranks. An MPI job; rank 0 reports.
//
//   fixed        FixedSum: integers of 24 bytes, any order
//   exact        ExactSum: as wide as the whole range of double
//   fixed_tree   additions in the order of one binary tree over all values, whichever ranks hold them: ranks
//                send only the partial sums at their borders (the idea of ReproRed in KaMPIng)
//   doubles      MPI_Allreduce of rounded local sums: another number of ranks, other bits
//
// Every rank holds a piece of the values. Timed: adding them and reducing, from a barrier to the last rank.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "job.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/reduce.hpp"

namespace {

using namespace regraft;

/// The bound of |value|: a power of two.
constexpr double bound = 1024;
/// All ranks take part in so many sums at once.
constexpr std::size_t most_values_at_once = 10'000'000;

struct Range {
    std::size_t first;
    std::size_t last;
};

/// What the ranks of a communicator hold of each sum: pieces of nearly equal sizes, in order.
class Pieces {
public:
    Pieces(ft::Communicator const& comm, std::size_t num_values)
        : Pieces(num_values, static_cast<std::size_t>(comm.size()), comm.position(comm.self())) {}
    /// One rank that holds everything.
    explicit Pieces(std::size_t num_values) : Pieces(num_values, 1, 0) {}

    std::size_t num_values() const { return num_values_; }
    std::size_t rank() const { return rank_; }
    Range mine() const { return {begin(rank_), begin(rank_ + 1)}; }
    std::size_t owner(std::size_t value) const {
        std::size_t rank = value * num_ranks_ / num_values_;
        while (begin(rank + 1) <= value) ++rank;
        return rank;
    }

private:
    Pieces(std::size_t num_values, std::size_t num_ranks, std::size_t rank)
        : num_values_(num_values), num_ranks_(num_ranks), rank_(rank) {}
    std::size_t begin(std::size_t rank) const { return num_values_ * rank / num_ranks_; }

    std::size_t num_values_;
    std::size_t num_ranks_;
    std::size_t rank_;
};

/// Values of all sums, [sum][value of the piece], like log-likelihoods of sites.
std::vector<double> values_of(Range range, std::size_t num_sums) {
    std::vector<double> values;
    for (std::size_t sum = 0; sum < num_sums; ++sum) {
        for (auto i = range.first; i < range.last; ++i) {
            auto const unit = static_cast<double>(mix(i + (sum << 32)) >> 11) * 0x1p-53;
            values.push_back(-std::exp(6 * unit));
        }
    }
    return values;
}

/// Adds up the values of a piece, per sum, and reduces over the ranks.
class Reduction {
public:
    Reduction() = default;
    Reduction(Reduction const&) = delete;
    Reduction& operator=(Reduction const&) = delete;
    virtual ~Reduction() = default;
    virtual void add_up(std::vector<double> const& values) = 0;
    virtual std::vector<double> reduce() = 0;
    /// The bytes that this rank hands to MPI per reduction.
    virtual std::size_t bytes() const = 0;
};

class Fixed : public Reduction {
public:
    Fixed(ft::Communicator& comm, Pieces const& pieces, std::size_t num_sums)
        : comm_(comm), scale_(FixedScale::of(bound, pieces.num_values())), sums_(num_sums) {}
    void add_up(std::vector<double> const& values) override {
        auto const size = values.size() / sums_.size();
        for (std::size_t s = 0; s < sums_.size(); ++s) {
            sums_[s] = {};
            for (std::size_t i = 0; i < size; ++i) sums_[s].add(values[s * size + i], 1, scale_);
        }
    }
    std::vector<double> reduce() override {
        ft::all_reduce(comm_, std::span(sums_));
        std::vector<double> result;
        for (auto const& sum : sums_) result.push_back(sum.value(scale_));
        return result;
    }
    std::size_t bytes() const override { return sums_.size() * 3 * sizeof(std::int64_t); }

private:
    ft::Communicator& comm_;
    FixedScale scale_;
    std::vector<FixedSum> sums_;
};

class Exact : public Reduction {
public:
    Exact(ft::Communicator& comm, Pieces const&, std::size_t num_sums) : comm_(comm), sums_(num_sums) {}
    void add_up(std::vector<double> const& values) override {
        auto const size = values.size() / sums_.size();
        for (std::size_t s = 0; s < sums_.size(); ++s) {
            sums_[s] = {};
            for (std::size_t i = 0; i < size; ++i) sums_[s].add(values[s * size + i]);
        }
    }
    std::vector<double> reduce() override {
        ft::all_reduce(comm_, std::span(sums_));
        std::vector<double> result;
        for (auto const& sum : sums_) result.push_back(sum.value());
        return result;
    }
    std::size_t bytes() const override { return sums_.size() * ExactSum::num_limbs * sizeof(std::int64_t); }

private:
    ft::Communicator& comm_;
    std::vector<ExactSum> sums_;
};

class Doubles : public Reduction {
public:
    Doubles(ft::Communicator& comm, Pieces const&, std::size_t num_sums) : comm_(comm), sums_(num_sums) {}
    void add_up(std::vector<double> const& values) override {
        auto const size = values.size() / sums_.size();
        for (std::size_t s = 0; s < sums_.size(); ++s) sums_[s] = sum(&values[s * size], size);
    }
    std::vector<double> reduce() override {
        comm_.check(MPI_Allreduce(MPI_IN_PLACE, sums_.data(), checked_cast<int>(sums_.size()), MPI_DOUBLE, MPI_SUM,
                                  comm_.native()),
                    "MPI_Allreduce");
        return sums_;
    }
    std::size_t bytes() const override { return sums_.size() * sizeof(double); }

private:
    /// In eight lanes, for speed.
    static double sum(double const* values, std::size_t size) {
        std::array<double, 8> lanes{};
        std::size_t i = 0;
        for (; i + lanes.size() <= size; i += lanes.size()) {
            for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] += values[i + lane];
        }
        double rest = 0;
        for (; i < size; ++i) rest += values[i];
        for (auto const lane : lanes) rest += lane;
        return rest;
    }

    ft::Communicator& comm_;
    std::vector<double> sums_;
};

/// Node i of the tree has the values [i, i + lowest bit of i), node 0 all; its children are i + 1, i + 2, i + 4, ...
/// below that, added to value i in this order. A rank computes the nodes of its values; those whose parent is another's
/// go there.
class FixedTree : public Reduction {
    static constexpr int tag = 1;

public:
    FixedTree(ft::Communicator& comm, Pieces const& pieces, std::size_t num_sums)
        : comm_(comm), pieces_(pieces), mine_(pieces.mine()), num_sums_(num_sums), results_(num_sums) {
        for (auto i = mine_.first; i != 0 && i < mine_.last; i += low_bit(i))
            outgoing_[owner_of_parent(i)].push_back(i);
        for (auto j = mine_.last; j != 0 && j < pieces_.num_values(); j += low_bit(j)) {
            if (parent(j) >= mine_.first && parent(j) < mine_.last) incoming_[pieces_.owner(j)].push_back(j);
        }
    }

    void add_up(std::vector<double> const& values) override {
        foreign_.clear();
        complete_.clear();
        for_own_nodes([&](std::size_t i) { add_complete(i, width(i), values); });
    }

    std::vector<double> reduce() override {
        std::vector<MPI_Request> requests;
        std::vector<std::vector<double>> parts;
        parts.reserve(outgoing_.size());
        send([&](std::size_t last) { return last + low_bit(last) <= mine_.last; }, parts, requests);
        receive();
        send([&](std::size_t last) { return last + low_bit(last) > mine_.last; }, parts, requests);
        if (mine_.first == 0) results_ = node(0, width(0));
        comm_.check(MPI_Bcast(results_.data(), checked_cast<int>(num_sums_), MPI_DOUBLE, 0, comm_.native()),
                    "MPI_Bcast");
        comm_.check(MPI_Waitall(checked_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                    "MPI_Waitall");
        return results_;
    }

    std::size_t bytes() const override {
        std::size_t partials = 0;
        for (auto const& [rank, nodes] : outgoing_) partials += nodes.size();
        return (partials + (mine_.first == 0 ? 1 : 0)) * num_sums_ * sizeof(double);
    }

private:
    static std::size_t low_bit(std::size_t i) { return i & (~i + 1); }
    static std::size_t parent(std::size_t i) { return i & (i - 1); }
    std::size_t owner_of_parent(std::size_t i) const { return pieces_.owner(parent(i)); }

    std::size_t width(std::size_t i) const { return i == 0 ? std::bit_ceil(pieces_.num_values()) : low_bit(i); }

    template <class Function>
    void for_own_nodes(Function f) const {
        if (mine_.first == 0) f(std::size_t{0});
        for (auto const& [rank, nodes] : outgoing_) std::for_each(nodes.begin(), nodes.end(), f);
    }

    /// Whether [i, i + width) needs nothing from other ranks.
    bool is_complete(std::size_t i, std::size_t width) const { return width == 1 || i + width <= mine_.last; }

    /// Adds up the largest complete subtrees of [i, i + width), width a power of two.
    void add_complete(std::size_t i, std::size_t width, std::vector<double> const& values) {
        auto const size = mine_.last - mine_.first;
        if (is_complete(i, width)) {
            auto& sums = complete_[i];
            for (std::size_t s = 0; s < num_sums_; ++s)
                sums.push_back(whole(&values[s * size + i - mine_.first], width));
            return;
        }
        add_complete(i, width / 2, values);
        if (i + width / 2 < mine_.last) add_complete(i + width / 2, width / 2, values);
    }

    /// The sums of [i, i + width) as far as there are values.
    std::vector<double> node(std::size_t i, std::size_t width) const {
        if (is_complete(i, width)) return complete_.at(i);
        auto sums = node(i, width / 2);
        auto const middle = i + width / 2;
        if (middle >= pieces_.num_values()) return sums;
        auto const right = middle >= mine_.last ? foreign_.at(middle) : node(middle, width / 2);
        for (std::size_t s = 0; s < num_sums_; ++s) sums[s] += right[s];
        return sums;
    }

    /// Sends one message to each rank for whose last node is_wanted holds.
    template <class Predicate>
    void send(Predicate is_wanted, std::vector<std::vector<double>>& parts, std::vector<MPI_Request>& requests) {
        for (auto const& [rank, nodes] : outgoing_) {
            if (!is_wanted(nodes.back())) continue;
            auto& part = parts.emplace_back();
            for (auto const i : nodes) {
                auto const sums = node(i, low_bit(i));
                part.insert(part.end(), sums.begin(), sums.end());
            }
            comm_.check(MPI_Isend(part.data(), checked_cast<int>(part.size()), MPI_DOUBLE, checked_cast<int>(rank), tag,
                                  comm_.native(), &requests.emplace_back()),
                        "MPI_Isend");
        }
    }

    void receive() {
        for (auto const& [rank, nodes] : incoming_) {
            std::vector<double> part(nodes.size() * num_sums_);
            comm_.check(MPI_Recv(part.data(), checked_cast<int>(part.size()), MPI_DOUBLE, checked_cast<int>(rank), tag,
                                 comm_.native(), MPI_STATUS_IGNORE),
                        "MPI_Recv");
            for (std::size_t n = 0; n < nodes.size(); ++n) {
                auto const* first = &part[n * num_sums_];
                foreign_[nodes[n]].assign(first, first + num_sums_);
            }
        }
    }

    static double whole(double const* values, std::size_t width) {
        constexpr std::size_t leaf = 64;
        if (width <= leaf) return of_leaf(values, width);
        return whole(values, width / 2) + whole(values + width / 2, width / 2);
    }

    /// A whole subtree, level by level.
    static double of_leaf(double const* values, std::size_t width) {
        if (width == 1) return *values;
        std::array<double, 32> sums;
        for (std::size_t i = 0; i < width / 2; ++i) sums[i] = values[2 * i] + values[2 * i + 1];
        for (width /= 2; width > 1; width /= 2) {
            for (std::size_t i = 0; i < width / 2; ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
        }
        return sums[0];
    }

    ft::Communicator& comm_;
    Pieces pieces_;
    Range mine_;
    std::size_t num_sums_;
    std::map<std::size_t, std::vector<std::size_t>> outgoing_;  // rank -> nodes
    std::map<std::size_t, std::vector<std::size_t>> incoming_;
    std::map<std::size_t, std::vector<double>> complete_;  // first value -> every sum
    std::map<std::size_t, std::vector<double>> foreign_;
    std::vector<double> results_;
};

template <class Kind>
std::vector<double> on_one_rank(ft::Communicator& alone, std::size_t num_values, std::size_t num_sums) {
    Pieces const all(num_values);
    Kind reduction(alone, all, num_sums);
    auto const values = values_of(all.mine(), num_sums);
    reduction.add_up(values);
    return reduction.reduce();
}

bool same_bits(std::vector<double> const& a, std::vector<double> const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    });
}

bool nearly_equal(std::vector<double> const& a, std::vector<double> const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](double x, double y) { return std::abs(x - y) <= 1e-9 * std::abs(y); });
}

template <class Kind>
void measure(benchmark::State& state, std::size_t num_values, std::size_t num_sums) {
    ft::Communicator comm(MPI_COMM_WORLD);
    ft::Communicator alone(MPI_COMM_SELF);
    Pieces const pieces(comm, num_values);
    Kind reduction(comm, pieces, num_sums);
    auto const values = values_of(pieces.mine(), num_sums);
    reduction.add_up(values);
    auto const sums = reduction.reduce();
    bool const same = same_bits(sums, on_one_rank<Kind>(alone, num_values, num_sums));
    bool const right = nearly_equal(sums, on_one_rank<Exact>(alone, num_values, num_sums));
    constexpr bool is_rounded = std::is_same_v<Kind, Doubles>;
    if (!comm.agree(right && (same || is_rounded))) {
        state.SkipWithError(right ? "other bits than on one rank" : "a wrong sum");
        return;
    }
    std::vector<double> adding;
    for (auto _ : state) {
        comm.check(MPI_Barrier(comm.native()), "MPI_Barrier");
        auto const start = MPI_Wtime();
        reduction.add_up(values);
        auto const added = MPI_Wtime();
        benchmark::DoNotOptimize(reduction.reduce());
        state.SetIterationTime(bench::largest(comm, MPI_Wtime() - start));
        adding.push_back(added - start);
    }
    auto const per_value = bench::median(adding) / static_cast<double>(std::max<std::size_t>(1, values.size()));
    state.counters["s_per_value"] = bench::largest(comm, per_value);
    state.counters["bytes_per_sum"] =
        bench::largest(comm, static_cast<double>(reduction.bytes())) / static_cast<double>(num_sums);
    state.counters["same_bits"] = same ? 1 : 0;
}

void add_all(std::string_view pace, std::size_t num_pes) {
    using Function = void (*)(benchmark::State&, std::size_t, std::size_t);
    std::pair<char const*, Function> const kinds[] = {{"fixed", measure<Fixed>},
                                                      {"exact", measure<Exact>},
                                                      {"fixed_tree", measure<FixedTree>},
                                                      {"doubles", measure<Doubles>}};
    auto const most_values = pace == "full" ? 1'000'000U : pace == "short" ? 100'000U : 1000U;
    for (std::size_t const num_sums : {1, 3, 64}) {
        for (std::size_t num_values = 1000; num_values <= most_values; num_values *= 10) {
            if (num_sums * num_values > most_values_at_once) continue;
            for (auto const& [name, function] : kinds) {
                auto const whole = std::string(name) + "/sums_" + std::to_string(num_sums) + "_pes_" +
                                   std::to_string(num_pes) + "/values:" + std::to_string(num_values);
                benchmark::RegisterBenchmark(whole.c_str(), function, num_values, num_sums)
                    ->Iterations(
                        pace == "smoke" ? 2 : std::max<int>(20, static_cast<int>(1'000'000 / (num_values * num_sums))))
                    ->UseManualTime()
                    ->Unit(benchmark::kMicrosecond);
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    return bench::job(argc, argv, [](std::string const& pace, ft::Communicator& comm) {
        add_all(pace, comm.size());
        benchmark::AddCustomContext("subject", "fixed");
        benchmark::AddCustomContext("unit", "values");
    });
}
