// Matchings and schedules, by the functions of regraft.h, which check all arguments first.
#include <optional>

#include "arrays.hpp"

namespace regraft::python {
namespace {

using Numbers = Array<std::uint32_t>;
using Sizes = Array<std::uint64_t>;

regraft_graph graph_of(Sizes const& offsets, Numbers const& neighbours, std::uint32_t num_right) {
    auto const rows = span_of(offsets);
    expect(!rows.empty() && rows.back() == static_cast<std::uint64_t>(neighbours.size()),
           "offsets whose last is the number of neighbours");
    return {rows.size() - 1, num_right, rows.data(), neighbours.data()};
}

py::dict described(regraft_matching const& found, std::vector<std::uint32_t> hall_set) {
    hall_set.resize(found.hall_size);
    return py::dict(py::arg("b") = found.b, py::arg("lower_bound") = found.lower_bound,
                    py::arg("hall_set") = array_of(std::move(hall_set)));
}

/// solve(graph, hall_set, found) fills the others of its arrays.
template <class Solve>
py::dict solved(regraft_graph const& graph, Solve solve) {
    std::vector<std::uint32_t> hall_set(graph.num_right);
    regraft_matching found{};
    regraft_status status = REGRAFT_OK;
    {
        py::gil_scoped_release const release;
        status = solve(&graph, hall_set.data(), &found);
    }
    expect_ok(status);
    return described(found, std::move(hall_set));
}

py::tuple min_b_matching(Sizes const& offsets, Numbers const& neighbours, std::uint32_t num_right) {
    auto const graph = graph_of(offsets, neighbours, num_right);
    Numbers right_of(static_cast<py::ssize_t>(graph.num_left));
    auto* const out = right_of.mutable_data();
    auto result =
        solved(graph, [&](auto* g, auto* hall, auto* found) { return regraft_matching_min_b(g, out, hall, found); });
    return py::make_tuple(right_of, result);
}

py::tuple min_b_weighted(Sizes const& offsets, Numbers const& neighbours, Sizes const& weight,
                         std::uint32_t num_right) {
    auto const graph = graph_of(offsets, neighbours, num_right);
    expect(weight.size() == static_cast<py::ssize_t>(graph.num_left), "a weight for each left vertex");
    Numbers right_of(weight.size());
    auto* const out = right_of.mutable_data();
    auto result = solved(graph, [&, weights = weight.data()](auto* g, auto* hall, auto* found) {
        return regraft_matching_min_b_weighted(g, weights, out, hall, found);
    });
    return py::make_tuple(right_of, result);
}

py::tuple min_b_shares(Sizes const& offsets, Numbers const& neighbours, Sizes const& units, std::uint32_t num_right) {
    auto const graph = graph_of(offsets, neighbours, num_right);
    expect(units.size() == static_cast<py::ssize_t>(graph.num_left), "units for each left vertex");
    Sizes share(neighbours.size());
    auto* const out = share.mutable_data();
    auto result = solved(graph, [&, amounts = units.data()](auto* g, auto* hall, auto* found) {
        return regraft_matching_min_b_shares(g, amounts, out, hall, found);
    });
    return py::make_tuple(share, result);
}

py::tuple max_b_matching(Sizes const& offsets, Numbers const& neighbours, Numbers const& capacity) {
    expect(capacity.size() < REGRAFT_NONE, "fewer than 2^32 - 1 right vertices");
    auto const graph = graph_of(offsets, neighbours, static_cast<std::uint32_t>(capacity.size()));
    Numbers right_of(static_cast<py::ssize_t>(graph.num_left));
    std::uint64_t num_matched = 0;
    regraft_status status = REGRAFT_OK;
    auto* const out = right_of.mutable_data();
    {
        py::gil_scoped_release const release;
        status = regraft_matching_max_b(&graph, capacity.data(), out, &num_matched);
    }
    expect_ok(status);
    return py::make_tuple(right_of, num_matched);
}

regraft_requests requests_of(Numbers const& receivers, Sizes const& offsets, Numbers const& holders,
                             std::optional<Sizes> const& bytes) {
    auto const rows = span_of(offsets);
    auto const count = static_cast<std::size_t>(receivers.size());
    expect(rows.size() == count + 1 && rows.back() == static_cast<std::uint64_t>(holders.size()),
           "a row of holders for each receiver, the last of which ends with them");
    expect(!bytes || bytes->size() == receivers.size(), "a size for each receiver");
    return {count, receivers.data(), rows.data(), holders.data(), bytes ? bytes->data() : nullptr};
}

py::dict described(regraft_schedule const& plan) {
    return py::dict(py::arg("b") = plan.b, py::arg("num_rounds") = plan.num_rounds,
                    py::arg("num_local") = plan.num_local, py::arg("num_lost") = plan.num_lost,
                    py::arg("most_bytes") = plan.most_bytes, py::arg("most_bytes_bound") = plan.most_bytes_min);
}

py::tuple choose_senders(Numbers const& receivers, Sizes const& offsets, Numbers const& holders,
                         std::optional<Sizes> const& bytes) {
    auto const requests = requests_of(receivers, offsets, holders, bytes);
    Numbers sender_of(receivers.size());
    regraft_schedule plan{};
    regraft_status status = REGRAFT_OK;
    auto* const out = sender_of.mutable_data();
    {
        py::gil_scoped_release const release;
        status = regraft_schedule_senders(&requests, out, &plan);
    }
    expect_ok(status);
    return py::make_tuple(sender_of, described(plan));
}

py::tuple h_relation(Numbers const& receivers, Sizes const& offsets, Numbers const& holders,
                     std::optional<Sizes> const& bytes, bool bundled) {
    auto const requests = requests_of(receivers, offsets, holders, bytes);
    Numbers sender_of(receivers.size());
    Numbers round_of(receivers.size());
    regraft_schedule plan{};
    regraft_status status = REGRAFT_OK;
    auto* const senders = sender_of.mutable_data();
    auto* const rounds = round_of.mutable_data();
    {
        py::gil_scoped_release const release;
        status =
            regraft_schedule_rounds(&requests, bundled ? REGRAFT_BUNDLED : REGRAFT_PER_BLOCK, senders, rounds, &plan);
    }
    expect_ok(status);
    return py::make_tuple(sender_of, round_of, described(plan));
}

}  // namespace

void add_planning(py::module_& module) {
    using py::arg;
    auto const offsets = arg("offsets").noconvert();
    auto const neighbours = arg("neighbours").noconvert();
    module.def("min_b_matching", &min_b_matching, offsets, neighbours, arg("num_right"));
    module.def("min_b_weighted", &min_b_weighted, offsets, neighbours, arg("weight").noconvert(), arg("num_right"));
    module.def("min_b_shares", &min_b_shares, offsets, neighbours, arg("units").noconvert(), arg("num_right"));
    module.def("max_b_matching", &max_b_matching, offsets, neighbours, arg("capacity").noconvert());
    auto const receivers = arg("receivers").noconvert();
    auto const holders = arg("holders").noconvert();
    module.def("choose_senders", &choose_senders, receivers, offsets, holders, arg("bytes").noconvert());
    module.def("h_relation", &h_relation, receivers, offsets, holders, arg("bytes").noconvert(), arg("bundled"));
}

}  // namespace regraft::python
