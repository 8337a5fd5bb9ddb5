// Reads the settings of Open MPI by MPI's tool interface (MPI_T), which has the values in effect, however they were
// set.
#include "ft/settings.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace regraft::ft {
namespace {

struct Setting {
    char const* name;
    char const* wanted;
    char const* otherwise;  // the effect of another value
};

constexpr Setting settings[] = {
    {"mpi_ft_enable", "1", "the job ends when a rank dies (mpirun --with-ft ulfm)"},
#include "ft/settings_table.inc"
};

/// Keeps MPI_T initialised as long as it lives.
class ToolInterface {
public:
    ToolInterface() {
        int provided = 0;
        ready_ = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
    }
    ToolInterface(ToolInterface const&) = delete;
    ToolInterface& operator=(ToolInterface const&) = delete;
    ~ToolInterface() {
        if (ready_) MPI_T_finalize();
    }

    /// The value of a variable. None: there is no such variable, or it is of a type that no setting has.
    std::optional<std::string> value(char const* name) const {
        int index = 0;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        if (!ready_ || MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS || !type_of(index, type)) return {};
        MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
        int count = 0;
        if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return {};
        auto result = read(handle, type, count);
        MPI_T_cvar_handle_free(&handle);
        return result;
    }

private:
    static bool type_of(int index, MPI_Datatype& type) {
        int name_length = 0;
        int text_length = 0;
        int verbosity = 0;
        int binding = 0;
        int scope = 0;
        MPI_T_enum values = MPI_T_ENUM_NULL;
        return MPI_T_cvar_get_info(index, nullptr, &name_length, &verbosity, &type, &values, nullptr, &text_length,
                                   &binding, &scope) == MPI_SUCCESS;
    }

    static std::optional<std::string> read(MPI_T_cvar_handle handle, MPI_Datatype type, int count) {
        if (type == MPI_CHAR) {
            std::string text(static_cast<std::size_t>(count) + 1, '\0');
            if (MPI_T_cvar_read(handle, text.data()) != MPI_SUCCESS) return {};
            return text.c_str();
        }
        if (type != MPI_INT && type != MPI_UNSIGNED && type != MPI_C_BOOL) return {};
        int number = 0;  // a C bool fills its first byte
        if (MPI_T_cvar_read(handle, &number) != MPI_SUCCESS) return {};
        return std::to_string(number);
    }

    bool ready_ = false;
};

std::vector<std::string> names_in(std::string_view list) {
    std::istringstream text{std::string(list)};
    std::vector<std::string> names;
    for (std::string name; std::getline(text, name, ',');) names.push_back(name);
    return names;
}

/// Whether the list excludes the name. A list that begins with ^ excludes what it names; any other list excludes
/// everything that it does not name.
bool excludes(std::string_view list, std::string const& name) {
    bool const exclusive = list.starts_with('^');
    auto const names = names_in(exclusive ? list.substr(1) : list);
    bool const named = std::find(names.begin(), names.end(), name) != names.end();
    return exclusive ? named : !names.empty() && !named;
}

bool as_wanted(std::string_view value, std::string_view wanted) {
    if (!wanted.starts_with('^')) return value == wanted;
    auto const unwanted = names_in(wanted.substr(1));
    return std::all_of(unwanted.begin(), unwanted.end(), [&](auto const& name) { return excludes(value, name); });
}

/// One line per setting that differs from the wanted value. Nothing if this MPI has no ULFM, because no setting lets a
/// job survive there.
std::string complaints() {
    ToolInterface const tool;
    std::string text;
    if (!tool.value(settings[0].name)) return text;
    for (auto const& setting : settings) {
        auto const value = tool.value(setting.name);
        if (!value || as_wanted(*value, setting.wanted)) continue;
        text += std::string("  ") + setting.name + " is '" + *value + "', not '" + setting.wanted +
                "': " + setting.otherwise + '\n';
    }
    return text;
}

bool is_first_of_several(MPI_Comm comm) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    return rank == 0 && size > 1;
}

bool told_to_ignore() {
    char const* variable = std::getenv("REGRAFT_MCA");
    return variable != nullptr && std::string_view(variable) == "ignore";
}

}  // namespace

void warn_about_settings(MPI_Comm comm) {
    static std::atomic<bool> asked = false;
    if (!is_first_of_several(comm) || asked.exchange(true) || told_to_ignore()) return;
    auto const text = complaints();
    if (text.empty()) return;
    std::fprintf(stderr,
                 "regraft: settings of Open MPI that do not fit jobs whose ranks may die:\n%s"
                 "Start the job by regraft-run, or by mpirun --with-ft ulfm --tune "
                 "PREFIX/share/regraft/openmpi-mca-params.conf;\n"
                 "REGRAFT_MCA=ignore in the environment silences this.\n",
                 text.c_str());
}

std::string complaint_about_launcher(int num_ranks) {
    // PMIx tells each rank the name of its job. Slurm names job 7, step 0 slurm.pmix.7.0; a job of mpirun has a name of
    // mpirun's, also where Slurm has started its daemons. The variables of Slurm itself do not tell the two apart.
    char const* const name = std::getenv("PMIX_NAMESPACE");
    if (num_ranks < 2 || name == nullptr || !std::string_view(name).starts_with("slurm.") || told_to_ignore())
        return {};
    auto const start = "regraft-run -n " + std::to_string(num_ranks) + " PROGRAM ARGS";
    return "srun has started the ranks, and Slurm ends them all when one dies. Type in place of `srun PROGRAM ARGS`: "
           "`" +
           start + "` in a batch script with --no-kill, or `salloc --no-kill --ntasks=" + std::to_string(num_ranks) +
           " " + start + "`. With REGRAFT_MCA=ignore in the environment the job runs all the same, and ends with the " +
           "first rank that dies";
}

}  // namespace regraft::ft
