#include "msa/trees/preorder.hpp"

#include <ranges>

namespace regraft::msa {

Csr<std::uint32_t> children_of(std::span<std::uint32_t const> parent) {
    Csr<std::uint32_t> children;
    children.offsets.assign(parent.size() + 1, 0);
    for (std::uint32_t v = 0; v < parent.size(); ++v) {
        if (parent[v] != v) ++children.offsets[parent[v] + 1];
    }
    for (std::size_t v = 0; v < parent.size(); ++v) children.offsets[v + 1] += children.offsets[v];
    children.values.resize(children.offsets.back());
    auto next = children.offsets;
    for (std::uint32_t v = 0; v < parent.size(); ++v) {
        if (parent[v] != v) children.values[next[parent[v]]++] = v;
    }
    return children;
}

std::vector<Visit> preorder(std::span<std::uint32_t const> parent, std::uint32_t root) {
    auto const children = children_of(parent);
    std::vector<Visit> order;
    order.reserve(parent.size());
    std::vector<Visit> pending{{root, 0}};
    while (!pending.empty()) {
        auto const visit = pending.back();
        pending.pop_back();
        auto const position = static_cast<std::uint32_t>(order.size());
        order.push_back(visit);
        for (auto const child : children[visit.node] | std::views::reverse) pending.push_back({child, position});
    }
    return order;
}

}  // namespace regraft::msa
