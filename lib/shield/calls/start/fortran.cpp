#include "shield/calls/start/fortran.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace regraft::shield {
namespace {

using Address = ElfW(Addr);
using Relocation = ElfW(Rela);

bool is_of_fortran(std::string_view path) {
    auto const name = path.substr(path.rfind('/') + 1);
    return name.starts_with("libmpi_mpifh.so") || name.starts_with("libmpi_usempi");
}

/// The dynamic linker's data on a library (System V ABI, chapter 5).
struct Linkage {
    ElfW(Sym) const* symbols = nullptr;
    char const* names = nullptr;
    std::span<Relocation const> functions, others;
    bool has_addends = true;  // only old 32-bit systems have relocations without addends

    explicit Linkage(dl_phdr_info const& library) {
        Relocation const* begins[2] = {};
        std::size_t bytes[2] = {};
        for (auto const* entry = dynamic_section(library); entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
            // Some dynamic linkers have turned offsets into addresses, others have not.
            auto const value = entry->d_un.d_ptr;
            auto const place = value < library.dlpi_addr ? value + library.dlpi_addr : value;
            if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<ElfW(Sym) const*>(place);
            if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<char const*>(place);
            if (entry->d_tag == DT_JMPREL) begins[0] = reinterpret_cast<Relocation const*>(place);
            if (entry->d_tag == DT_RELA) begins[1] = reinterpret_cast<Relocation const*>(place);
            if (entry->d_tag == DT_PLTRELSZ) bytes[0] = value;
            if (entry->d_tag == DT_RELASZ) bytes[1] = value;
            if (entry->d_tag == DT_PLTREL) has_addends = value == DT_RELA;
        }
        functions = {begins[0], bytes[0] / sizeof(Relocation)};
        others = {begins[1], bytes[1] / sizeof(Relocation)};
    }

    static ElfW(Dyn) const* dynamic_section(dl_phdr_info const& library) {
        for (auto const& part : std::span(library.dlpi_phdr, library.dlpi_phnum))
            if (part.p_type == PT_DYNAMIC) return reinterpret_cast<ElfW(Dyn) const*>(library.dlpi_addr + part.p_vaddr);
        return nullptr;
    }
    bool is_known() const { return symbols != nullptr && names != nullptr && has_addends; }
    char const* name_of(Relocation const& relocation) const {
        return names + symbols[ELF64_R_SYM(relocation.r_info)].st_name;
    }
};

/// Makes the part of a library that is read-only after linking writable as long as it lives.
class Opened {
public:
    explicit Opened(dl_phdr_info const& library) {
        auto const page = static_cast<Address>(sysconf(_SC_PAGESIZE));
        for (auto const& part : std::span(library.dlpi_phdr, library.dlpi_phnum)) {
            if (part.p_type != PT_GNU_RELRO) continue;
            begin_ = (library.dlpi_addr + part.p_vaddr) & ~(page - 1);
            end_ = (library.dlpi_addr + part.p_vaddr + part.p_memsz) & ~(page - 1);
        }
        ok_ = protect(PROT_READ | PROT_WRITE);
    }
    Opened(Opened const&) = delete;
    Opened& operator=(Opened const&) = delete;
    ~Opened() { protect(PROT_READ); }
    bool ok() const { return ok_; }

private:
    bool protect(int how) const {
        return begin_ == end_ || mprotect(reinterpret_cast<void*>(begin_), end_ - begin_, how) == 0;
    }

    Address begin_ = 0;
    Address end_ = 0;
    bool ok_ = false;
};

/// Replaces PMPI_X by MPI_X, as the program would find it.
void divert(Address base, Linkage const& linkage, std::span<Relocation const> relocations) {
    for (auto const& relocation : relocations) {
        std::string_view const name = linkage.name_of(relocation);
        if (!name.starts_with("PMPI") || relocation.r_addend != 0) continue;
        if (void* const function = dlsym(RTLD_DEFAULT, name.data() + 1))
            *reinterpret_cast<void**>(base + relocation.r_offset) = function;
    }
}

int find(dl_phdr_info* library, std::size_t, void* found) {
    if (is_of_fortran(library->dlpi_name)) static_cast<std::vector<dl_phdr_info>*>(found)->push_back(*library);
    return 0;
}

bool take_calls(dl_phdr_info const& library) {
    Linkage const linkage(library);
    Opened const opened(library);
    if (!linkage.is_known() || !opened.ok()) return false;
    divert(library.dlpi_addr, linkage, linkage.functions);
    divert(library.dlpi_addr, linkage, linkage.others);
    return true;
}

/// Runs before any code of the program, because MPI_Init comes from there, too.
__attribute__((constructor)) void take_calls_when_loaded() {
    static_cast<void>(take_calls_of_fortran());
}

}  // namespace

bool take_calls_of_fortran() {
    std::vector<dl_phdr_info> libraries;
    dl_iterate_phdr(find, &libraries);
    return std::all_of(libraries.begin(), libraries.end(), take_calls);
}

}  // namespace regraft::shield
