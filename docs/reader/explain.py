"""Says what each part of an .rgm file is: lines of offset, size, part and meaning."""
from layout import FLAGS
from lines import WAYS
from native import native
from native_model import AS_IT_IS, FIXED, KINDS
from rgm_file import KINDS as CODINGS
from rgm_file import NATIVE, SPARSE, THESIS
from trees import ORDERS

STEPS = ["equal", "octaves", "half octaves"]
PREDICTORS = ["nothing", "the last site", "the last and the third last site"]


def explain(file):
    parts = [("prefix", file.prefix, f"version {file.version}, features {file.features}" + (": holds a text" if file.holds_text else ""))]
    parts += text_parts(file) if file.holds_text else block_parts(file)
    parts += [("footer", file.footer, f"header {len(file.header.data)}, index {len(file.index.data)}, checksum {file.checksum:016x}")]
    lines = [f"{part.offset:8} {len(part.data):8}  {name:<12} {meaning}" for name, part, meaning in parts]
    return [f"{'offset':>8} {'size':>8}  part", *lines]


def text_parts(file):
    yield "header", file.header, f"a text of {file.size} bytes"
    yield "text", file.body, "modelled" if file.is_modelled else "zstd"
    yield "index", file.index, f"hash of the text {file.content:016x}"


def block_parts(file):
    unit = "rows" if file.kind == SPARSE else "sites"
    yield "header", file.header, f"kind {file.kind}, {CODINGS[file.kind]}; {file.num_sites} sites; {file.per_block} {unit} per block"
    meanings = {"names": f"{len(file.names)} names, {WAYS[file.names_way]}", "tree": tree(file), "model": model(file),
                "partitions": partitions(file), "layout": layout(file.layout) if file.sections["layout"].data else "not known"}
    for name, section in file.sections.items():
        yield "  " + name, section, meanings[name]
    for i, block in enumerate(file.blocks):
        yield "block", block, block_of(file, i)
    checksums = f"{len(file.blocks)} checksum{'s' * (len(file.blocks) != 1)} of {file.check_bytes} bytes"
    yield "index", file.index, f"{checksums}; hash of the content {file.content:016x}"


def tree(file):
    if file.kind == SPARSE:
        return "shape and order of rows, range coded"
    way = ORDERS[min(file.tree.way, 2)] + (f" with {file.tree.way - 2} low bits" if file.tree.way >= 2 else "")
    return f"{file.tree.num_edges} edges; rows: {way}"


def model(file):
    if file.kind == NATIVE:
        return native_model(file.model)
    if file.kind == THESIS:
        return "states: " + file.model.decode("latin-1")
    if file.kind == SPARSE:
        order = "in the order of the file" if file.model.runs_by_file else "in the order of the tips"
        return f"letters {file.model.alphabet.decode()}; runs {order}; the reference"
    return "none"


def native_model(model):
    looks = ", ".join(repr(chr(byte)) if how == FIXED else "as it is" if how == AS_IT_IS else "in lower case" for how, byte in model.looks)
    candidate = "the old state and a candidate" if model.has_candidate else "the old state"
    weights = " and ".join(dict.fromkeys(STEPS[steps] for steps in model.steps))
    return (f"{KINDS[model.kind]} {bytes(model.residues).decode('latin-1')}; looks of cells: {looks}; "
            f"number of changes by {PREDICTORS[model.predicts_number]}; new states by {candidate}; weights of edges: {weights}")


def partitions(file):
    return "; ".join(f"{name.decode()} ({model.decode()})" for model, name, _ in file.partitions) or "none"


def layout(given):
    flags = [name for flag, name in FLAGS.items() if given.flags & flag]
    if given.skeleton is None:
        flags += [f"{given.width} cells per line" if given.width else "a line per row"]
        flags += [f"names {given.name_width} wide"] if given.name_width else []
        flags += [f"descriptions {WAYS[given.descriptions_way]}"] if given.descriptions else []
    else:
        flags += [f"of {len(given.skeleton)} bytes"]
    return ", ".join(flags)


def block_of(file, i):
    if file.kind == SPARSE:
        first = (i - 1) * file.per_block
        return f"runs of rows {first} to {min(first + file.per_block, len(file.names)) - 1}" if i > 0 else "changes on the tree"
    first = i * file.per_block
    return f"sites {first} to {first + file.sites_of(i) - 1}"


def steps_of(file):
    """What is read for each site of a native file, in order."""
    steps = []
    file.decoded(native(file.tree, file.model, steps))
    return [f"site {site}: " + "; ".join(f"{name} {value}" for name, value in read) for site, read in enumerate(steps)]
