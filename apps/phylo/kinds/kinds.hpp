// All kinds of work of regraft-phylo.
#pragma once

#include <memory>

#include <fmt/format.h>

#include "kinds/kind.hpp"

namespace regraft::phylo {

/// The kinds, each in the file of its name.
std::unique_ptr<Kind> choice_kind(Plan const& plan);
std::unique_ptr<Kind> start_kind(Plan const& plan);
std::unique_ptr<Kind> fusion_kind(Plan const& plan);
std::unique_ptr<Kind> pilot_kind(Plan const& plan);
std::unique_ptr<Kind> ultrafast_kind(Plan const& plan);
std::unique_ptr<Kind> replicate_kind(Plan const& plan);
std::unique_ptr<Kind> support_kind(Plan const& plan);
std::unique_ptr<Kind> test_kind(Plan const& plan);
std::unique_ptr<Kind> merge_kind(Plan const& plan);
std::unique_ptr<Kind> gene_kind(Plan const& plan);
std::unique_ptr<Kind> gene_replicate_kind(Plan const& plan);

/// Changes what a state must fit to what one of a gene must fit.
void expect_gene(Expected& expected, Dataset const& dataset, std::uint32_t gene);

/// The model of each partition before anything is optimised.
std::vector<Model> start_models(std::span<ModelSpec const> specs, std::span<CountedData const> counted);

}  // namespace regraft::phylo
