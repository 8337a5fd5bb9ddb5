// What all parts of a job use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "input/input.hpp"
#include "job/agenda.hpp"
#include "options/options.hpp"
#include "regraft/ft/communicator.hpp"
#include "report/log.hpp"

namespace regraft::phylo {

/// The ranks of a job, its options, its log, and what it has read.
struct Context {
    /// Whether the result is written to files.
    enum class Output : std::uint8_t { files, none };

    /// Logs a line, on the leading rank only.
    void say(std::string const& text) { log.line(text, comm.leads()); }

    ft::Communicator& comm;
    Options const& options;
    Output output;
    Log log;

    Dataset dataset{};
    std::optional<Agenda> agenda{};  // set when the input has been read
};

}  // namespace regraft::phylo
