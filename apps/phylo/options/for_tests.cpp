#include <sstream>
#include <vector>

#include "options/failure_draw.hpp"
#include "options/parts.hpp"
#include "regraft/likelihood/instructions.hpp"

namespace regraft::phylo {
namespace {

void add_for_tests(CLI::App& app, Options& options, Command command) {
    if (command == Command::check) return;
    auto& tests = options.for_tests;
    std::map<std::string, likelihood::Repeats> const repeats{{"auto", likelihood::Repeats::automatic},
                                                             {"on", likelihood::Repeats::everywhere},
                                                             {"off", likelihood::Repeats::off}};
    auto const instructions = likelihood::available_instructions();
    add_number(app, "--lookahead", tests.lookahead, 0U, 1024U,
               "most subtrees whose moves are computed at once, and most escapes, so that ranks meet less often: the "
               "results are the same; 0 (default): the fewer sites a rank has, the more");
    add_word(app, "--repeats", tests.repeats, repeats,
             "compute sites that look alike in a subtree once: on, off, or auto (default): where that halves the work");
    app.add_option("--instructions", tests.instructions,
                   "vector instructions, for tests: the results are the same with all (default: " +
                       std::string(instructions.front()) + ")")
        ->check(CLI::IsMember(std::vector<std::string>(instructions.begin(), instructions.end())))
        ->envname("REGRAFT_INSTRUCTIONS")
        ->type_name("NAME");
    app.add_option("--fail", tests.fail,
                   "kill ranks: POINT:RANK:OCCURRENCE,... or random:SEED:COUNT (see: regraft-phylo points)")
        ->type_name("PLAN");
}

}  // namespace

Part const part_for_tests{"For tests", add_for_tests};

std::string list_of_points() {
    std::ostringstream text;
    text << "Points at which --fail POINT:RANK:OCCURRENCE can kill a rank (occurrences count from 0, for each rank "
            "alone):\n";
    for (auto const* point : search_points()) text << "  " << point->name() << '\n';
    text << "Points named inside a single MPI call strike shortly after the rank has entered it.\n"
            "--fail random:SEED:COUNT rehearses the run without failures and draws COUNT deaths over all points it "
            "reached.\n";
    return text.str();
}

}  // namespace regraft::phylo
