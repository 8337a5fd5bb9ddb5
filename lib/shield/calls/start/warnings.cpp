#include "shield/calls/start/warnings.hpp"

#include <cstdarg>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <link.h>

namespace regraft::shield {
namespace {

// Open MPI shows its messages through variables that hold functions. `topic` names a text of `file`, in which what
// follows is filled in.
using Show = int (*)(char const* file, char const* topic, int has_header, ...);
using ShowList = int (*)(char const* file, char const* topic, int has_header, va_list);

/// The variable of this name that holds a function; nullptr: there is none. In another version a function may have the
/// name.
template <class Function>
Function* variable(char const* name) {
    void* const found = dlsym(RTLD_DEFAULT, name);
    Dl_info where{};
    void* entry = nullptr;
    if (found == nullptr || dladdr1(found, &where, &entry, RTLD_DL_SYMENT) == 0) return nullptr;
    auto const* const symbol = static_cast<ElfW(Sym) const*>(entry);
    bool const holds_function =
        symbol != nullptr && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_size == sizeof(Function);
    return holds_function ? static_cast<Function*>(found) : nullptr;
}

ShowList* show_list = nullptr;

/// Whether this is the first warning about a module, which the first two of the values name.
bool is_new(va_list values) {
    static auto& told = *new std::set<std::string>;  // never destroyed
    std::string module = va_arg(values, char const*);
    module.append("/").append(va_arg(values, char const*));
    return told.insert(std::move(module)).second;
}

int show(char const* file, char const* topic, int has_header, ...) {
    va_list values;
    va_start(values, has_header);
    bool tells = true;
    if (std::string_view(topic).starts_with("module:untested:")) {
        va_list copy;
        va_copy(copy, values);
        tells = is_new(copy);
        va_end(copy);
    }
    int const code = tells ? (*show_list)(file, topic, has_header, values) : 0;
    va_end(values);
    return code;
}

}  // namespace

void tell_warnings_once() {
    auto* const shown_by = variable<Show>("opal_show_help");
    show_list = variable<ShowList>("opal_show_vhelp");
    if (shown_by != nullptr && show_list != nullptr) *shown_by = show;
}

}  // namespace regraft::shield
