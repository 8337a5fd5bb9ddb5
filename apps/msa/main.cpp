// regraft-msa: compressed alignments.
#include <variant>

#include "commands.hpp"
#include "common/output.hpp"
#include "common/program.hpp"
#include "common/spinning.hpp"
#include "input/options.hpp"

int main(int argc, char** argv) {
    using namespace regraft;
    return common::guarded(msa_cli::program, [&] {
        common::clean_up_on_signals();
        auto const parsed = msa_cli::parse_command_line(argc, argv);
        if (!parsed.options) return common::end_with(parsed.message, parsed.exit_code);
        common::limit_spinning(argv);
        return std::visit([](auto const& options) { return msa_cli::run(options); }, *parsed.options);
    });
}
