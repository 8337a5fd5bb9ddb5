// regraft-plan: the plan of a recovery, without a job to recover.
#include <variant>

#include "commands.hpp"
#include "common/output.hpp"
#include "common/program.hpp"
#include "input/options.hpp"

int main(int argc, char** argv) {
    using namespace regraft;
    return common::guarded("regraft-plan", [&] {
        common::clean_up_on_signals();
        auto const parsed = plan::parse_command_line(argc, argv);
        if (!parsed.options) return common::end_with(parsed.message, parsed.exit_code);
        std::visit([](auto const& options) { plan::run(options); }, *parsed.options);
        return int{common::done};
    });
}
