#!/usr/bin/env python3
"""pictures.py ROOT: the committed pictures of benchmarks are those of their results, no line goes back or straight up, all text is inside, and
colour and dash tell lines apart."""
import pathlib
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tools/bench"))
import plot  # noqa: E402
import svg as drawing  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
EM = 0.5  # of the size of a font, about the width of a letter


def complaints(result: pathlib.Path, picture: str) -> list[str]:
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
    if result.with_suffix(".svg").read_text(encoding="utf-8") != picture:
        bad.append(f"it is out of date: tools/bench/plot.py {result.relative_to(ROOT)}")
    return [f"{result.with_suffix('.svg').relative_to(ROOT)}: {what}" for what in bad]


def main() -> None:
    bad = [] if len(set(drawing.COLOURS)) == len(drawing.COLOURS) and len(set(plot.DASHES)) == len(plot.DASHES) else ["a colour or a dash comes twice"]
    with tempfile.TemporaryDirectory() as folder:
        for picture in sorted((ROOT / "bench/results").glob("*/*.svg")):
            drawn = pathlib.Path(folder, picture.name)
            result = picture.with_suffix(".json")
            if plot.plot(result, drawn):
                bad += complaints(result, drawn.read_text(encoding="utf-8"))
            else:
                bad.append(f"{picture.relative_to(ROOT)}: its results cannot be drawn any more")
    sys.exit("\n".join(bad) if bad else 0)


main()
