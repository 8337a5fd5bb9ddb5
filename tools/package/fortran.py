#!/usr/bin/env python3
"""Makes the Fortran module from the C headers: fortran.py [--check] MODULE HEADER... What the headers promise holds in Fortran, too.

--check only says whether MODULE is what would be made. Functions that take or return an MPI_Comm, an MPI_Request or an MPI_Status have
twins for Fortran, so they are left out. A pointer becomes an optional argument by reference; an absent one is NULL in C. It points to an
array, unless SCALARS says that it points to one value.
"""
import argparse
import pathlib
import re
import sys
import textwrap

SCALARS = {"b", "count", "num_matched", "num_damaged", "result", "report", "requests", "graph", "options", "all", "pe", "node",
           "random", "entity", "adoption"}
SCALAR_SIZES = {"regraft_store_size", "regraft_store_held", "regraft_checkpoint_share"}  # `size` is a result of these
KINDS = {"uint64_t": "integer(c_int64_t)", "uint32_t": "integer(c_int32_t)", "int": "integer(c_int)", "regraft_status": "integer(c_int)",
         "MPI_Fint": "integer(c_int)", "double": "real(c_double)", "bool": "logical(c_bool)"}
ZERO = {"integer(c_int64_t)": "0", "integer(c_int32_t)": "0", "real(c_double)": "0", "logical(c_bool)": ".false.",
        "type(c_ptr)": "c_null_ptr", "type(c_funptr)": "c_null_funptr"}
ROUND = str.maketrans("[]", "()")
HEAD = """\
! regraft for programs in Fortran 2018: the functions of regraft.h and regraft_mpi.h, which say what each does, by their names.
!
! tools/package/fortran.py makes it from these headers. Handles are type(c_ptr). Pointers are arguments by reference; those that may be
! NULL in C may be left out. Unsigned numbers are signed ones of the same bits. Callbacks are bind(c) functions, given by c_funloc.
! Views that C gives as pointers become arrays by c_f_pointer. docs/mpi/c.md has a program.
module regraft
  use, intrinsic :: iso_c_binding
  implicit none
  public
"""
TAIL = """\
contains

  !> What the last call that did not return regraft_ok says of it.
  function regraft_message() result(text)
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: length
    call c_f_pointer(regraft_error_message(), letters, [huge(1)])
    length = 0
    do while (letters(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate (character(length) :: text)
    text = transfer(letters(1:length), text)
  end function
end module
"""

DECLARATION = re.compile(r"^(?P<type>.*?)(?P<name>\w+(\[\d+\])?)$")


def declarations(text: str) -> list[str]:
    """The declarations of a header, without comments and preprocessor."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == ";" and depth == 0:
            parts.append(" ".join(text[start:i].split()))
            start = i + 1
    return parts


def split(declaration: str) -> tuple[str, str]:
    """'uint64_t const* offsets' is ('uint64_t const*', 'offsets')."""
    found = DECLARATION.match(declaration.strip())
    assert found, declaration
    return found["type"].strip(), found["name"]


class Module:
    def __init__(self, headers: list[pathlib.Path]):
        parts = [part for header in headers for part in declarations(header.read_text(encoding="utf-8"))]
        self.constants: list[tuple[str, str]] = []
        self.structs: dict[str, list[tuple[str, str]]] = {}
        self.functions: list[tuple[str, str, list[tuple[str, str]]]] = []
        callbacks = re.compile(r"typedef [\w *]+\(\*(\w+)\)")
        self.callbacks = {found[1] for part in parts if (found := callbacks.match(part))}
        for part in parts:
            if part.startswith("enum"):
                self.constants += re.findall(r"(REGRAFT_\w+) = (\d+)", part)
            elif found := re.match(r"typedef struct (\w+) \{(.*)\} \w+$", part):
                self.structs[found[1]] = [split(field) for field in found[2].split(";") if field.strip()]
            elif (found := re.match(r"([\w *]+?)(\w+)\((.*)\)$", part)) and not part.startswith("typedef"):
                arguments = [] if found[3] == "void" else [split(argument) for argument in found[3].split(",")]
                if not any(re.search("MPI_(Comm|Request|Status)", kind) for kind, _ in [*arguments, (found[1], "")]):
                    self.functions.append((found[1].strip(), found[2], arguments))

    def value(self, kind: str) -> str:
        """The type of a field, a result, or an argument by value."""
        if kind.endswith("*"):
            return "type(c_ptr)"
        if kind in self.callbacks:
            return "type(c_funptr)"
        return f"type({kind})" if kind in self.structs else KINDS[kind]

    def argument(self, function: str, kind: str, name: str) -> str:
        """The declaration of a dummy argument."""
        if not kind.endswith("*"):
            return f"{self.value(kind)}, value :: {name}"
        target = kind.removesuffix("*").strip()
        constant = target.endswith("const")
        target = target.removesuffix("const").strip()
        intent = "intent(in)" if constant else "intent(inout)"
        if target.endswith("*"):  # C stores a handle or a view there
            return f"type(c_ptr), {intent}, optional :: {name}"
        if target == "void":
            # Callbacks get `context` back, as the caller gave it.
            return f"type(c_ptr), value :: {name}" if name == "context" else f"type(*), {intent}, optional :: {name}(*)"
        if target == "char":
            return f"character(kind=c_char), {intent}, optional :: {name}(*)"
        if target not in KINDS and target not in self.structs:
            return f"type(c_ptr), value :: {name}"  # a handle
        single = name in SCALARS or name == "size" and function in SCALAR_SIZES
        return f"{self.value(target)}, {intent}, optional :: {name}{'' if single else '(*)'}"

    def text(self) -> str:
        lines = [HEAD]
        lines += [f"  integer(c_int), parameter :: {name.lower()} = {number}" for name, number in self.constants]
        lines += ["  ! In place of a vertex, PE or round: there is none. In place of a seed: not shuffled.",
                  "  integer(c_int32_t), parameter :: regraft_none = -1", "  integer(c_int64_t), parameter :: regraft_no_seed = -1", ""]
        for struct, fields in self.structs.items():
            lines.append(f"  type, bind(c) :: {struct}")
            for kind, name in fields:
                of = self.value(kind)
                zero = f"{kind}()" if kind in self.structs else ZERO[of]
                lines.append(f"    {of} :: {name.translate(ROUND)} = {zero}")
            lines += ["  end type", ""]
        lines.append("  interface")
        for returned, name, arguments in self.functions:
            subroutine = returned == "void"
            names = ", ".join(argument for _, argument in arguments)
            head = f"{'subroutine' if subroutine else 'function'} {name}({names}) bind(c){'' if subroutine else ' result(answer)'}"
            *begun, last = textwrap.wrap(head, 126, initial_indent="    ", subsequent_indent="        ")
            lines += [*(f"{line} &" for line in begun), last, "      import"]
            lines += [f"      {self.argument(name, kind, argument)}" for kind, argument in arguments]
            if not subroutine:
                lines.append(f"      {self.value(returned)} :: answer")
            lines += [f"    end {'subroutine' if subroutine else 'function'}", ""]
        lines += ["  end interface", "", TAIL]
        return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("headers", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    module = Module(args.headers)
    if not module.functions or not module.structs:
        sys.exit("no functions found in the headers")
    if not args.check:
        args.module.write_text(module.text(), encoding="utf-8")
    elif args.module.read_text(encoding="utf-8") != module.text():
        again = f"tools/package/fortran.py {args.module} {' '.join(map(str, args.headers))}"
        sys.exit(f"{args.module} is not what the headers would make: call {again}")
    print(f"{len(module.functions)} functions, {len(module.structs)} types")


if __name__ == "__main__":
    main()
