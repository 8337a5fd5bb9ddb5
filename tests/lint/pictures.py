#!/usr/bin/env python3
"""pictures.py ROOT: in the pictures of all committed results no line goes back or straight up, all text is inside, and colour and dash tell
lines apart. Those that a page shows are committed, too, and up to date."""
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tools/bench"))
import plot  # noqa: E402
from drawings import svg as drawing  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
SHOWN = re.compile(r"\]\(([^)\s]*bench/results/[^)\s]*\.svg)\)")
EM = 0.5  # of the size of a font, about the width of a letter


def shown() -> set[pathlib.Path]:
    """The pictures of results that pages show."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    return {(page.parent / target).resolve() for page in pages for target in SHOWN.findall(page.read_text(encoding="utf-8"))}


def complaints(picture: str) -> list[str]:
    bad = []
    root = ElementTree.fromstring(picture)
    for line in root.iter(SVG + "polyline"):
        places = [float(place.split(",")[0]) for place in line.get("points").split()]
        if any(x >= y for x, y in zip(places, places[1:])):
            bad.append(f"a line joins points of the same size: {line.get('points')}")
    for node in root.iter(SVG + "text"):
        width = EM * float(node.get("font-size", root.get("font-size"))) * len(node.text or "")
        if node.get("text-anchor") is None and float(node.get("x")) + width > float(root.get("width")):
            bad.append(f"'{node.text}' is cut off")
    return bad


def main() -> None:
    bad = [] if len(set(drawing.COLOURS)) == len(drawing.COLOURS) and len(set(plot.DASHES)) == len(plot.DASHES) else ["a colour or a dash comes twice"]
    pictures = {}
    with tempfile.TemporaryDirectory() as folder:
        for result in sorted((ROOT / "bench/results").resolve().glob("*/*.json")):
            drawn = pathlib.Path(folder, "drawn.svg")
            if plot.plot(result, drawn):
                picture = pictures[result.with_suffix(".svg")] = drawn.read_text(encoding="utf-8")
                bad += [f"the picture of {result.parent.name}/{result.name}: {what}" for what in complaints(picture)]
    for file in sorted(shown()):
        name = f"{file.parent.name}/{file.name}"
        if file not in pictures:
            bad.append(f"a page shows {name}, which no results draw")
        elif not file.exists() or file.read_text(encoding="utf-8") != pictures[file]:
            bad.append(f"{name}, which a page shows, is out of date: tools/bench/plot.py bench/results/{file.parent.name}/{file.stem}.json")
    sys.exit("\n".join(bad) if bad else 0)


main()
