// Placements, and how probable it is that failures lose data.
#include "c/placement.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "arrays.hpp"
#include "regraft/placement/loss.hpp"
#include "regraft/placement/loss_simulation.hpp"

namespace regraft::python {
namespace {

using placement::GroupKind;
using placement::LossModel;
using Seed = std::optional<std::uint64_t>;

struct Free {
    void operator()(regraft_placement* p) const { regraft_placement_free(p); }
};

/// A placement made by one of the functions of regraft.h.
class Placement {
public:
    template <class Make, class... Args>
    static Placement made(Make make, Args... args) {
        regraft_placement* handle = nullptr;
        expect_ok(make(args..., &handle));
        return Placement(handle);
    }
    regraft_placement const* handle() const { return handle_.get(); }
    placement::Any const& rule() const { return handle_->rule; }
    placement::Shape shape() const { return rule().shape(); }

private:
    explicit Placement(regraft_placement* handle) : handle_(handle) {}
    std::unique_ptr<regraft_placement, Free> handle_;
};

std::uint64_t number_of(Seed const& seed) {
    expect(seed != REGRAFT_NO_SEED, "a seed below 2^64 - 1");
    return seed.value_or(REGRAFT_NO_SEED);
}

/// Rows of slots that hold the blocks, only the living ones if there are any marks.
py::tuple holders(Placement const& self, Array<std::uint64_t> const& blocks, std::optional<Array<bool>> const& alive) {
    auto const wanted = span_of(blocks);
    auto const shape = self.shape();
    auto const all_exist = [&](auto block) { return block < shape.num_blocks; };
    expect(std::all_of(wanted.begin(), wanted.end(), all_exist), "blocks below num_blocks");
    expect(!alive || alive->size() == shape.num_slots, "a mark in alive for each slot");
    auto const* const living = alive ? alive->data() : nullptr;
    std::vector<std::uint64_t> offsets{0};
    std::vector<std::uint32_t> slots;
    {
        py::gil_scoped_release const release;
        std::vector<placement::Slot> row;
        offsets.reserve(wanted.size() + 1);
        for (auto const block : wanted) {
            self.rule().holders(BlockId{block}, row);
            for (auto const slot : row) {
                if (living == nullptr || living[value(slot)]) slots.push_back(value(slot));
            }
            offsets.push_back(slots.size());
        }
    }
    return py::make_tuple(array_of(std::move(offsets)), array_of(std::move(slots)));
}

py::array held(Placement const& self, std::uint32_t slot) {
    expect(slot < self.shape().num_slots, "a slot below num_slots");
    expect(self.shape().num_blocks <= INT64_MAX, "fewer than 2^63 blocks");
    std::vector<std::int64_t> ends;  // signed, because NumPy's arange would make doubles of unsigned numbers
    for (auto const& range : self.rule().held(placement::Slot{slot})) {
        ends.push_back(static_cast<std::int64_t>(value(range.first)));
        ends.push_back(static_cast<std::int64_t>(value(range.last)));
    }
    auto const rows = static_cast<py::ssize_t>(ends.size() / 2);
    return array_of(std::move(ends)).reshape({rows, py::ssize_t{2}});
}

LossModel loss_model(std::uint64_t num_slots, std::vector<std::pair<std::uint64_t, std::uint64_t>> groups) {
    expect(num_slots < std::uint64_t{1} << 40, "fewer than 2^40 slots");
    std::sort(groups.begin(), groups.end());
    std::vector<GroupKind> kinds;
    auto rest = num_slots;
    for (auto const& [size, count] : groups) {
        expect(size > 0 && (kinds.empty() || kinds.back().size != size), "sizes of groups above 0, each once");
        expect(count <= rest / size, "no more slots in groups than there are");
        rest -= size * count;
        if (count > 0) kinds.push_back({size, count});
    }
    expect(!kinds.empty(), "at least one group");
    return {num_slots, std::move(kinds)};
}

/// f(x) for each of some numbers of failures.
template <class F>
Array<double> of_each(LossModel const& model, Array<std::uint64_t> const& failures, F f) {
    auto const numbers = span_of(failures);
    auto const possible = [&](auto k) { return k <= model.num_slots(); };
    expect(std::all_of(numbers.begin(), numbers.end(), possible), "no more failures than slots");
    std::vector<double> out(numbers.size());
    {
        py::gil_scoped_release const release;
        std::transform(numbers.begin(), numbers.end(), out.begin(), f);
    }
    return array_of(std::move(out));
}

void expect_replicas(std::uint64_t num_slots, std::uint64_t replicas) {
    expect(num_slots < std::uint64_t{1} << 40, "fewer than 2^40 slots");
    expect(1 <= replicas && replicas <= num_slots, "1 <= replicas <= num_slots");
}

Array<std::uint32_t> simulate(Placement const& of, std::uint64_t num_trials, std::uint64_t seed,
                              std::optional<Array<std::uint32_t>> const& node_of) {
    expect(num_trials <= std::uint64_t{1} << 32, "at most 2^32 trials");
    auto const nodes = node_of ? span_of(*node_of) : std::span<std::uint32_t const>();
    expect(!node_of || nodes.size() == of.shape().num_slots, "a node for each slot");
    auto const is_small = [&](auto node) { return node < nodes.size(); };
    expect(std::all_of(nodes.begin(), nodes.end(), is_small), "nodes numbered from 0, no more than slots");
    std::vector<std::uint32_t> failures;
    std::size_t num_sets = 0;
    {
        py::gil_scoped_release const release;
        auto const sets = node_of ? placement::HolderSets(of.rule(), nodes) : placement::HolderSets(of.rule());
        num_sets = sets.size();
        if (num_sets > 0) failures = sets.simulate(num_trials, seed);
    }
    expect(num_sets > 0, "a placement with blocks");
    return array_of(std::move(failures));
}

void add_loss(py::module_& module) {
    using py::arg;
    using Failures = Array<std::uint64_t>;
    py::class_<LossModel>(module, "LossModel")
        .def(py::init(&loss_model), arg("num_slots"), arg("groups"))
        .def_static(
            "mod_k",
            [](std::uint64_t num_slots, std::uint64_t replicas) {
                expect_replicas(num_slots, replicas);
                return placement::mod_k_groups(num_slots, replicas);
            },
            arg("num_slots"), arg("replicas"))
        .def_static(
            "mod_k_nodes",
            [](std::uint64_t num_slots, std::uint64_t replicas, std::uint64_t node_size) {
                expect_replicas(num_slots, replicas);
                expect(node_size >= 1, "node_size >= 1");
                return placement::mod_k_nodes(num_slots, replicas, node_size);
            },
            arg("num_slots"), arg("replicas"), arg("node_size"))
        .def_property_readonly("num_slots", &LossModel::num_slots)
        .def_property_readonly("most_survivable", &LossModel::most_survivable)
        .def_property_readonly("groups",
                               [](LossModel const& model) {
                                   std::vector<std::pair<std::uint64_t, std::uint64_t>> groups;
                                   for (auto const& [size, count] : model.groups()) groups.emplace_back(size, count);
                                   return groups;
                               })
        .def(
            "loss_probability",
            [](LossModel const& model, Failures const& failures) {
                return of_each(model, failures, [&](auto k) { return model.loss_probability(k); });
            },
            arg("failures").noconvert())
        .def(
            "survival_probability",
            [](LossModel const& model, Failures const& failures) {
                return of_each(model, failures, [&](auto k) { return model.survival_probability(k); });
            },
            arg("failures").noconvert())
        .def("expected_failures", &LossModel::expected_failures)
        .def("expected_hits", &LossModel::expected_hits)
        .def(
            "quantile",
            [](LossModel const& model, double q) {
                expect(0 < q && q <= 1, "0 < q <= 1");
                return model.quantile(q);
            },
            arg("q"));
    module.def("simulate_loss", &simulate, arg("placement"), arg("num_trials"), arg("seed"),
               arg("node_of").noconvert());
}

}  // namespace

void add_placement(py::module_& module) {
    using py::arg;
    py::class_<Placement>(module, "Placement")
        .def_static(
            "pairwise",
            [](std::uint64_t num_blocks, std::uint32_t num_slots, std::uint32_t replicas) {
                return Placement::made(regraft_placement_pairwise, num_blocks, num_slots, replicas);
            },
            arg("num_blocks"), arg("num_slots"), arg("replicas"))
        .def_static(
            "permuted",
            [](std::uint64_t num_blocks, std::uint32_t num_slots, std::uint32_t replicas, std::uint64_t range_blocks,
               Seed const& seed) {
                return Placement::made(regraft_placement_permuted, num_blocks, num_slots, replicas, range_blocks,
                                       number_of(seed));
            },
            arg("num_blocks"), arg("num_slots"), arg("replicas"), arg("range_blocks"), arg("seed"))
        .def_static(
            "mod_k",
            [](std::uint64_t num_blocks, std::uint32_t num_slots, std::uint32_t replicas, Seed const& seed) {
                return Placement::made(regraft_placement_mod_k, num_blocks, num_slots, replicas, number_of(seed));
            },
            arg("num_blocks"), arg("num_slots"), arg("replicas"), arg("seed"))
        .def_static(
            "node_aware",
            [](std::uint64_t num_blocks, Array<std::uint32_t> const& node_of, std::uint32_t replicas,
               std::uint64_t range_blocks, Seed const& seed) {
                expect(node_of.size() < REGRAFT_NONE, "fewer than 2^32 - 1 slots");
                return Placement::made(regraft_placement_node_aware, num_blocks, node_of.data(),
                                       static_cast<std::uint32_t>(node_of.size()), replicas, range_blocks,
                                       number_of(seed));
            },
            arg("num_blocks"), arg("node_of").noconvert(), arg("replicas"), arg("range_blocks"), arg("seed"))
        .def(
            "over_nodes",
            [](Placement const& self, Array<std::uint32_t> const& node_of, std::uint64_t range_blocks,
               Seed const& seed) {
                expect(node_of.size() == self.shape().num_slots, "a node in node_of for each slot");
                return Placement::made(regraft_placement_over_nodes, self.handle(), node_of.data(),
                                       self.shape().num_slots, range_blocks, number_of(seed));
            },
            arg("node_of").noconvert(), arg("range_blocks"), arg("seed"))
        .def_property_readonly("num_blocks", [](Placement const& self) { return self.shape().num_blocks; })
        .def_property_readonly("num_slots", [](Placement const& self) { return self.shape().num_slots; })
        .def_property_readonly("replicas", [](Placement const& self) { return self.shape().replicas; })
        .def("holders", &holders, arg("blocks").noconvert(), arg("alive").noconvert())
        .def("held", &held, arg("slot"));
    add_loss(module);
}

}  // namespace regraft::python
